// json_source.cpp — Boost.JSON's own code, compiled once.
//
// Debian's Boost.JSON library is one more package to install; its source form is one translation
// unit. No other file may include src.hpp.
#include <boost/json/src.hpp>

// expect-error: belay: borrowed text (const char*, std::string_view) can be written but not read back: nobody would own it. Use std::string.
#include <belay/codec.hpp>

std::string_view back(std::string_view json) { return belay::from_json<std::string_view>(json); }

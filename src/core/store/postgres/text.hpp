// text.hpp — any bytes as PostgreSQL text, and back.
//
// PostgreSQL's text is UTF-8 without NUL; what a step's error says, or what a program puts into a row, may be
// anything. One bad byte must not make a whole batch fail for ever. So text that PostgreSQL would refuse is
// written with each offending byte as a character of Unicode's last private-use rows, U+10FF00 plus the byte
// (and a real one of those as its four bytes), which nobody else uses. Everything else is itself.
#pragma once

#include <string>
#include <string_view>

namespace belay::store::postgres {

// Whether PostgreSQL takes it and `decoded` would leave it alone.
bool is_plain(std::string_view text);

std::string encoded(std::string_view text);

bool may_be_encoded(std::string_view text);
std::string decoded(std::string_view text);

}  // namespace belay::store::postgres

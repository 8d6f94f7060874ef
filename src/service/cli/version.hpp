// version.hpp — what this binary is.
#pragma once

#include <string>
#include <string_view>

namespace belay::cli {

std::string_view version();   // "0.1.0"
std::string compiler_name();  // "GCC 12.2.0"

}  // namespace belay::cli

// whole_number.hpp — an option that takes a whole number from some number on, and says so to whoever types another.
#pragma once

#include <cstdint>

namespace CLI {
class Validator;
}

namespace belay::cli {

// CLI::PositiveNumber would name the largest floating-point number, in 309 digits.
CLI::Validator whole_number_from(std::int64_t least);

}  // namespace belay::cli

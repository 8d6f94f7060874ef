// seed.hpp — where a random test gets its seed, and how it says which.
#pragma once

#include <cstdint>
#include <string>

namespace belay::test {

// BELAY_SEED if it is set, else one that differs every time. Printed, with how to repeat it.
std::uint64_t seed_of_this_test();

}  // namespace belay::test

#include "support/seed.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace belay::test {

std::uint64_t seed_of_this_test() {
    const char* given = std::getenv("BELAY_SEED");
    const std::uint64_t seed =
        given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    fmt::print("seed {}; repeat with BELAY_SEED={} and --gtest_filter={}.{}\n", seed, seed,
               test->test_suite_name(), test->name());
    std::fflush(stdout);
    return seed;
}

}  // namespace belay::test

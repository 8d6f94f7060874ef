#include "core/env/secret.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace belay::env {
namespace {

TEST(Secret, fills_more_than_one_call_gives_and_never_the_same) {
    std::vector<std::byte> first(1000);
    std::vector<std::byte> second(1000);

    fill_with_secret(first);
    fill_with_secret(second);

    EXPECT_NE(first, second);
    const std::vector<std::byte> tail(first.end() - 32, first.end());
    EXPECT_NE(tail, std::vector<std::byte>(32));
}

}  // namespace
}  // namespace belay::env

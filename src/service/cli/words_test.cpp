#include "service/cli/words.hpp"

#include <gtest/gtest.h>

#include "core/base/text.hpp"

namespace belay::cli {
namespace {

TEST(Words, the_nearest_command_is_found_and_a_stranger_is_not) {
    const std::vector<std::string> known{"runs", "doctor", "bench", "help"};
    EXPECT_EQ(nearest("rnus", known), "runs");
    EXPECT_EQ(nearest("run", known), "runs");
    EXPECT_EQ(nearest("docter", known), "doctor");
    EXPECT_EQ(nearest("doc", known), "doctor");
    EXPECT_EQ(nearest("frobnicate", known), std::nullopt);
}

TEST(Words, a_time_of_another_day_shows_its_day) {
    const Time noon = base::parse_time("2026-03-01T12:00:00.250Z").value();
    EXPECT_EQ(clock_text(noon, noon), "12:00:00.250");
    EXPECT_EQ(clock_text(noon, noon - std::chrono::hours{24}), "03-01 12:00:00");
    EXPECT_EQ(clock_text(std::nullopt, noon), "-");
}

TEST(Words, bytes_are_rounded_to_a_unit) {
    EXPECT_EQ(bytes_text(12), "12 bytes");
    EXPECT_EQ(bytes_text(1536), "1.5 KiB");
    EXPECT_EQ(bytes_text(3ULL * 1024 * 1024 * 1024), "3.0 GiB");
}

}  // namespace
}  // namespace belay::cli

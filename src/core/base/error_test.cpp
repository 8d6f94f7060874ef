// error_test.cpp — every code has a name of its own, and errors carry what a caller reacts to.
#include <belay/error.hpp>

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace belay {
namespace {

using namespace std::chrono_literals;

TEST(ErrorCode, every_code_has_a_name_of_its_own) {
    std::set<std::string_view> names;

    for (int code = 0; code <= static_cast<int>(ErrorCode::Stopped); ++code)
        names.insert(to_string(static_cast<ErrorCode>(code)));

    EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::Stopped) + 1);
    EXPECT_FALSE(names.contains("unknown error code"));
    EXPECT_EQ(to_string(ErrorCode::CommitUnknown), "CommitUnknown");
}

TEST(Error, carries_its_code_and_message) {
    const Error error{ErrorCode::NotFound, "no run july"};

    EXPECT_EQ(error.code(), ErrorCode::NotFound);
    EXPECT_STREQ(error.what(), "no run july");
}

TEST(RetryAfter, carries_the_delay_it_was_told) {
    EXPECT_EQ(RetryAfter("slow down", 30s).after(), 30000ms);
}

}  // namespace
}  // namespace belay

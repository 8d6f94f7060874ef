#include "service/http/date.hpp"

#include <gtest/gtest.h>

namespace belay::http {
namespace {

using namespace std::chrono_literals;

TEST(HttpDate, is_read_and_written) {
    const auto time = parse_date("Sun, 06 Nov 1994 08:49:37 GMT");
    ASSERT_TRUE(time);
    EXPECT_EQ(*time, Time{784111777s});
    EXPECT_EQ(format_date(*time), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(HttpDate, refuses_what_is_none) {
    for (const auto* text :
         {"", "yesterday", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
          "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT"}) {
        EXPECT_FALSE(parse_date(text)) << text;
    }
}

TEST(RetryAfter, is_seconds_or_a_date) {
    const Time now{784111777s};
    EXPECT_EQ(parse_retry_after("120", now), 120s);
    EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now), 60s);
    EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:40:37 GMT", now), 0s);
    EXPECT_FALSE(parse_retry_after("soon", now));
    EXPECT_FALSE(parse_retry_after("-5", now));
    EXPECT_FALSE(parse_retry_after("", now));
}

}  // namespace
}  // namespace belay::http

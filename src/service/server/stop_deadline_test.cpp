#include "service/server/stop_deadline.hpp"

#include <future>
#include <sstream>

#include <gtest/gtest.h>

namespace belay::server {
namespace {

TEST(StopDeadline, what_hangs_is_not_waited_for) {
    std::ostringstream errors;
    std::promise<void> overdue;
    const StopDeadline deadline(Duration{0}, errors, [&] { overdue.set_value(); });

    overdue.get_future().wait();

    EXPECT_EQ(deadline.left(), Duration{0});
}

TEST(StopDeadline, who_ends_in_time_hears_nothing) {
    std::ostringstream errors;
    {
        const StopDeadline deadline(std::chrono::hours{1}, errors,
                                    [] { FAIL() << "it was in time"; });
        EXPECT_GT(deadline.left(), std::chrono::minutes{59});
    }
    EXPECT_EQ(errors.str(), "");
}

}  // namespace
}  // namespace belay::server

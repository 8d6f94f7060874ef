#include "service/api/slots.hpp"

#include <gtest/gtest.h>

#include "service/api/errors.hpp"

namespace belay::api {
namespace {

TEST(Slots, one_organization_takes_its_own_and_no_more_while_others_take_theirs) {
    Slots slots{2};
    const auto first = slots.take("acme");
    auto second = slots.take("acme");
    EXPECT_THROW(slots.take("acme"), ApiError);
    const auto others = slots.take("other");
    second.reset();
    EXPECT_NO_THROW(slots.take("acme"));
}

TEST(Slots, who_is_refused_hears_when_to_ask_again) {
    Slots slots{1};
    const auto first = slots.take("acme");
    try {
        slots.take("acme");
        FAIL() << "it was let in";
    } catch (const ApiError& error) {
        EXPECT_EQ(error.problem(), Problem::RateLimited);
        EXPECT_EQ(error.headers().find("Retry-After").value_or(""), "1");
    }
}

}  // namespace
}  // namespace belay::api

// body_test.cpp — what is wrong with a body is said in words that its sender knows.
#include "service/api/body.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace belay::api {
namespace {

struct Asked {
    std::string title{};
    std::optional<std::string> details{};
};
BOOST_DESCRIBE_STRUCT(Asked, (), (title, details))

std::string refusal(std::string body) {
    Request request;
    request.body = std::move(body);
    try {
        body_as<Asked>(request);
        return "";
    } catch (const ApiError& error) {
        EXPECT_EQ(error.problem(), Problem::InvalidJson);
        return error.what();
    }
}

TEST(Body, a_field_that_does_not_exist_is_named_with_those_that_do) {
    EXPECT_EQ(refusal(R"({"titel": "x"})"),
              "there is no field `titel`: the body has title, details");
    EXPECT_EQ(refusal(R"({"title": "x", "details": null})"), "");
    EXPECT_EQ(refusal(""), "");
}

TEST(Body, what_is_wrong_is_said_of_the_body_and_not_of_a_dollar_sign) {
    EXPECT_EQ(refusal("5"), "the body: expected an object, found a number");
    EXPECT_EQ(refusal(R"({"title": 5})"), "the body's title: expected a string, found a number");
    EXPECT_TRUE(refusal("{").starts_with("the body: not JSON"));
}

}  // namespace
}  // namespace belay::api

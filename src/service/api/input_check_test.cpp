// input_check_test.cpp — a member that a type does not have is named, wherever in the input it stands.
#include "service/api/input_check.hpp"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <boost/describe.hpp>
#include <boost/json.hpp>

#include <belay/schema.hpp>

namespace input_check_test {

struct Card {
    std::string number;
};
BOOST_DESCRIBE_STRUCT(Card, (), (number))

struct Cash {
    int notes = 2;
};
BOOST_DESCRIBE_STRUCT(Cash, (), (notes))

struct Line {
    std::string item;
};
BOOST_DESCRIBE_STRUCT(Line, (), (item))

struct Order {
    std::vector<Line> lines;
    std::map<std::string, Line> extras;
    std::optional<Line> gift;
    std::variant<Card, Cash> pay;
};
BOOST_DESCRIBE_STRUCT(Order, (), (lines, extras, gift, pay))

}  // namespace input_check_test

namespace belay::api {
namespace {

std::string fault_of(const char* input) {
    const auto schema = boost::json::parse(belay::schema_of<input_check_test::Order>());
    return misspelt_member(boost::json::parse(input), schema.as_object()).value_or("");
}

TEST(InputCheck, names_the_place_and_what_there_is) {
    EXPECT_EQ(fault_of(R"({"lines": [{"item": "a"}], "extras": {"b": {"item": "c"}}})"), "");
    EXPECT_EQ(fault_of(R"({"lnes": []})"),
              "$.lnes: there is no such member; there are lines, extras, gift, pay");
    EXPECT_EQ(fault_of(R"({"lines": [{}, {"itm": "a"}]})"),
              "$.lines[1].itm: there is no such member; there are item");
    EXPECT_EQ(fault_of(R"({"extras": {"b": {"itm": "c"}}})"),
              "$.extras.b.itm: there is no such member; there are item");
    EXPECT_EQ(fault_of(R"({"gift": {"itm": "c"}})"),
              "$.gift.itm: there is no such member; there are item");
    EXPECT_EQ(fault_of(R"({"gift": null})"), "");
}

// What is said of it is of the alternative that it says it is, and another one's members are none of its own.
TEST(InputCheck, an_alternative_is_the_one_that_the_input_names) {
    EXPECT_EQ(fault_of(R"({"pay": {"type": 1, "value": {"notes": 3}}})"), "");
    EXPECT_EQ(fault_of(R"({"pay": {"type": 1, "value": {"nots": 3}}})"),
              "$.pay.value.nots: there is no such member; there are notes");
    EXPECT_EQ(fault_of(R"({"pay": {"type": 1, "value": {"number": "4"}}})"),
              "$.pay.value.number: there is no such member; there are notes");
    EXPECT_EQ(fault_of(R"({"pay": {"type": 7, "value": {}}})"), "") << "the codec says that";
}

}  // namespace
}  // namespace belay::api

#include "ingestion/ai/schema.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

namespace belay::ai {
namespace {

std::string problem(const char* schema, const char* value) {
    return Schema{boost::json::parse(schema)}.problem(boost::json::parse(value)).value_or("");
}

constexpr const char* kInvoice = R"({
    "type": "object", "required": ["total", "lines"], "additionalProperties": false,
    "properties": {
        "total": {"type": "string", "description": "as printed", "minLength": 1, "maxLength": 5},
        "currency": {"type": ["string", "null"], "enum": ["SEK", "EUR", null]},
        "pages": {"type": "integer", "minimum": 1, "maximum": 9},
        "note": {"type": "string", "nullable": true},
        "lines": {"type": "array", "maxItems": 2, "items": {
            "type": "object", "required": ["amount"], "properties": {"amount": {"type": "number"}}}}
    }})";

TEST(Schema, takes_a_value_that_is_what_was_asked_for) {
    EXPECT_EQ(problem(kInvoice, R"({"total": "12.50", "currency": null, "pages": 2.0, "note": null,
                                    "lines": [{"amount": 1}, {"amount": 1.5, "more": true}]})"),
              "");
    EXPECT_EQ(problem(kInvoice, R"({"total": "åäöåä", "lines": []})"), "");
}

TEST(Schema, names_the_place_and_the_fault) {
    EXPECT_EQ(problem(kInvoice, "[]"), "$: \"object\" is needed, not an array");
    EXPECT_EQ(problem(kInvoice, R"({"lines": []})"), "$: `total` is missing");
    EXPECT_EQ(problem(kInvoice, R"({"total": 5, "lines": []})"),
              "$.total: \"string\" is needed, not a number");
    EXPECT_EQ(problem(kInvoice, R"({"total": "", "lines": []})"),
              "$.total: 0 characters are fewer than 1");
    EXPECT_EQ(problem(kInvoice, R"({"total": "123456", "lines": []})"),
              "$.total: 6 characters are more than 5");
    EXPECT_EQ(problem(kInvoice, R"({"total": "1", "currency": "USD", "lines": []})"),
              "$.currency: \"USD\" is none of [\"SEK\",\"EUR\",null]");
    EXPECT_EQ(problem(kInvoice, R"({"total": "1", "pages": 1.5, "lines": []})"),
              "$.pages: \"integer\" is needed, not a number");
    EXPECT_EQ(problem(kInvoice, R"({"total": "1", "pages": 0, "lines": []})"),
              "$.pages: 0 is less than 1");
    EXPECT_EQ(problem(kInvoice, R"({"total": "1", "pages": 10, "lines": []})"),
              "$.pages: 10 is more than 9");
    EXPECT_EQ(problem(kInvoice, R"({"total": "1", "lines": [{"amount": 1}, {"amount": "1"}]})"),
              "$.lines[1].amount: \"number\" is needed, not a string");
    EXPECT_EQ(problem(kInvoice, R"({"total": "1", "lines": [{}]})"),
              "$.lines[0]: `amount` is missing");
    EXPECT_EQ(
        problem(kInvoice, R"({"total": "1", "lines": [{"amount":1},{"amount":1},{"amount":1}]})"),
        "$.lines: 3 elements are more than 2");
    EXPECT_EQ(problem(kInvoice, R"({"total": "1", "lines": [], "extra": 1})"),
              "$.extra: it was not asked for");
}

TEST(Schema, knows_choices_constants_and_open_objects) {
    EXPECT_EQ(problem(R"({"anyOf": [{"type": "null"}, {"type": "string"}]})", "null"), "");
    EXPECT_EQ(problem(R"({"anyOf": [{"type": "null"}, {"type": "string"}]})", "1"),
              "$: \"null\" is needed, not a number");
    EXPECT_EQ(problem(R"({"const": 1})", "1.0"), "");
    EXPECT_EQ(problem(R"({"const": 1})", "2"), "$: 2 is not 1");
    EXPECT_EQ(problem(R"({"additionalProperties": {"type": "number"}})", R"({"a": 1, "b": "x"})"),
              "$.b: \"number\" is needed, not a string");
}

TEST(Schema, refuses_a_schema_with_rules_that_it_does_not_check) {
    const auto refusal = [](const char* schema) {
        try {
            Schema{boost::json::parse(schema)};
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal(R"({"properties": {"a": {"pattern": "x"}}})"),
              "schema $.a: `pattern` is not understood");
    EXPECT_EQ(refusal(R"({"type": "date"})"), "schema $: `type` is \"date\"");
    EXPECT_EQ(refusal(R"({"items": []})"), "schema $[]: an object is needed");
    EXPECT_EQ(refusal(R"({"required": "a"})"), "schema $: `required` must be an array of names");
    EXPECT_EQ(refusal(R"({"$ref": "#"})"), "schema $: `$ref` is not understood");
    EXPECT_EQ(refusal("true"), "schema $: an object is needed");
}

}  // namespace
}  // namespace belay::ai

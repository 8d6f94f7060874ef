// schema_test.cpp — the schema of every form: it says what the codec reads, defaults and texts included.
#include <belay/schema.hpp>

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <boost/describe.hpp>
#include <boost/json.hpp>

namespace schema_shop {

enum class Size { Small, Large };
BOOST_DESCRIBE_ENUM(Size, Small, Large)

struct Address {
    std::string street;
    std::string country = "SE";
};
BOOST_DESCRIBE_STRUCT(Address, (), (street, country))

struct Thing {
    std::int32_t number = 7;
};
BOOST_DESCRIBE_STRUCT(Thing, (), (number))

struct Order : Thing {
    std::string item;
    std::uint16_t pieces = 1;
    Size size = Size::Large;
    bool gift = false;
    double discount = 0.5;
    std::optional<std::string> note;
    std::optional<Address> invoice_to;
    Address ship_to{"Storgatan 1", "NO"};
    std::vector<std::string> tags;
    std::map<std::string, int> extras;
    static constexpr belay::Doc kDocs[] = {{"pieces", "how many"}};
};
BOOST_DESCRIBE_STRUCT(Order, (Thing),
                      (item, pieces, size, gift, discount, note, invoice_to, ship_to, tags, extras))

struct Node {
    int value = 0;
    std::vector<Node> children;
};
BOOST_DESCRIBE_STRUCT(Node, (), (value, children))

struct Card {
    static constexpr std::string_view kJsonName = "card";
    std::string digits;
};
BOOST_DESCRIBE_STRUCT(Card, (), (digits))

struct Money {
    std::string text;
};
struct Secret {
    std::string text;
};

}  // namespace schema_shop

template <>
struct belay::Codec<schema_shop::Money> {
    static constexpr std::string_view kSchema = R"({"type":"string","pattern":"^[0-9.]+$"})";
    static void write(std::string& out, const schema_shop::Money& m) { write_json(out, m.text); }
    static schema_shop::Money read(const boost::json::value& v) {
        return {read_json<std::string>(v)};
    }
};
template <>
struct belay::Codec<schema_shop::Secret> {
    static void write(std::string& out, const schema_shop::Secret& m) { write_json(out, m.text); }
    static schema_shop::Secret read(const boost::json::value& v) {
        return {read_json<std::string>(v)};
    }
};

namespace belay {
namespace {

using namespace schema_shop;

TEST(Schema, scalars_say_their_type_and_their_range) {
    EXPECT_EQ(schema_of<bool>(), R"({"type":"boolean"})");
    EXPECT_EQ(schema_of<std::int8_t>(), R"({"type":"integer","minimum":-128,"maximum":127})");
    EXPECT_EQ(schema_of<std::uint32_t>(), R"({"type":"integer","minimum":0,"maximum":4294967295})");
    EXPECT_EQ(schema_of<std::int64_t>(), R"({"type":"integer"})");
    EXPECT_EQ(schema_of<std::uint64_t>(), R"({"type":"integer","minimum":0})");
    EXPECT_EQ(schema_of<double>(), R"({"type":"number"})");
    EXPECT_EQ(schema_of<std::string>(), R"({"type":"string"})");
    EXPECT_EQ(schema_of<Bytes>(), R"({"type":"string","contentEncoding":"base64"})");
    EXPECT_EQ(schema_of<Size>(), R"({"type":"string","enum":["Small","Large"]})");
    EXPECT_EQ(schema_of<Duration>(), R"({"type":"integer","description":"milliseconds"})");
    EXPECT_EQ(schema_of<Time>(),
              R"x({"type":"integer","description":"milliseconds since 1970 (UTC)"})x");
    EXPECT_EQ(schema_of<void>(), R"({"type":"null"})");
    EXPECT_EQ(schema_of<Nothing>(), R"({"type":"null"})");
    EXPECT_EQ(schema_of<boost::json::value>(), "{}");
}

TEST(Schema, containers_say_what_is_in_them) {
    EXPECT_EQ(schema_of<std::deque<bool>>(), R"({"type":"array","items":{"type":"boolean"}})");
    EXPECT_EQ(schema_of<std::set<bool>>(),
              R"({"type":"array","items":{"type":"boolean"},"uniqueItems":true})");
    EXPECT_EQ((schema_of<std::map<std::string, bool>>()),
              R"({"type":"object","additionalProperties":{"type":"boolean"}})");
    EXPECT_EQ((schema_of<std::map<bool, double>>()),
              R"({"type":"array","items":{"type":"array","prefixItems":[{"type":"boolean"},)"
              R"({"type":"number"}],"minItems":2,"maxItems":2}})");
    EXPECT_EQ((schema_of<std::tuple<bool, std::string>>()),
              R"({"type":"array","prefixItems":[{"type":"boolean"},{"type":"string"}],)"
              R"("minItems":2,"maxItems":2})");
    EXPECT_EQ((schema_of<std::array<bool, 2>>()), (schema_of<std::pair<bool, bool>>()));
    EXPECT_EQ(schema_of<std::optional<Size>>(),
              R"({"type":["string","null"],"enum":["Small","Large",null]})");
    EXPECT_EQ((schema_of<std::optional<std::optional<bool>>>()),
              R"({"type":["array","null"],"prefixItems":[{"type":["boolean","null"]}],)"
              R"("minItems":1,"maxItems":1})");
}

TEST(Schema, a_variant_is_one_of_its_alternatives_by_name_or_position) {
    const auto schema = boost::json::parse(schema_of<std::variant<std::monostate, Card>>());
    const auto& alternatives = schema.at("oneOf").as_array();
    ASSERT_EQ(alternatives.size(), 2u);
    EXPECT_EQ(alternatives[0].at("properties").at("type").at("const"), 0);
    EXPECT_EQ(alternatives[1].at("properties").at("type").at("const"), "card");
    EXPECT_EQ(boost::json::serialize(alternatives[1].at("properties").at("value")),
              R"({"type":"object","properties":{"digits":{"type":"string"}},)"
              R"("additionalProperties":false})");
}

TEST(Schema, a_struct_says_its_members_their_defaults_and_their_texts) {
    const auto schema = boost::json::parse(schema_of<Order>());
    const auto& of = schema.at("properties").as_object();
    std::vector<std::string> names;
    for (const auto& member : of) names.emplace_back(member.key());
    EXPECT_EQ(names,
              (std::vector<std::string>{"number", "item", "pieces", "size", "gift", "discount",
                                        "note", "invoice_to", "ship_to", "tags", "extras"}));
    EXPECT_EQ(of.at("number").at("default"), 7);
    EXPECT_FALSE(of.at("item").as_object().contains("default"));
    EXPECT_EQ(boost::json::serialize(of.at("pieces")),
              R"({"type":"integer","minimum":0,"maximum":65535,"default":1,)"
              R"("description":"how many"})");
    EXPECT_EQ(of.at("size").at("default"), "Large");
    EXPECT_EQ(of.at("gift").at("default"), false);
    EXPECT_EQ(of.at("discount").at("default"), 0.5);
    EXPECT_FALSE(schema.as_object().contains("required"));
    EXPECT_EQ(schema.at("additionalProperties"), false);
}

TEST(Schema, a_struct_inside_has_the_defaults_that_its_owner_gives_it) {
    const auto schema = boost::json::parse(schema_of<Order>());
    const auto& ship_to = schema.at("properties").at("ship_to").at("properties");
    EXPECT_EQ(ship_to.at("street").at("default"), "Storgatan 1");
    EXPECT_EQ(ship_to.at("country").at("default"), "NO");
    const auto& invoice_to = schema.at("properties").at("invoice_to");
    EXPECT_EQ(boost::json::serialize(invoice_to.at("type")), R"(["object","null"])");
    EXPECT_EQ(invoice_to.at("properties").at("country").at("default"), "SE");
}

TEST(Schema, a_type_that_contains_itself_is_named_and_referred_to) {
    EXPECT_EQ(schema_of<Node>(),
              R"({"$ref":"#/$defs/type1","$defs":{"type1":{"type":"object","properties":)"
              R"({"value":{"type":"integer","minimum":-2147483648,"maximum":2147483647,)"
              R"("default":0},"children":{"type":"array","items":{"$ref":"#/$defs/type1"}}},)"
              R"("additionalProperties":false}}})");
}

TEST(Schema, a_codec_says_what_it_is_or_is_anything) {
    EXPECT_EQ(schema_of<Money>(), R"({"type":"string","pattern":"^[0-9.]+$"})");
    EXPECT_EQ(schema_of<Secret>(), "{}");
}

}  // namespace
}  // namespace belay

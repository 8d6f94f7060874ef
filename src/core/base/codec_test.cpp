// codec_test.cpp — every form there and back, as exact text, and what changes of code may do.
#include <belay/codec.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>

#include <gtest/gtest.h>
#include <boost/describe.hpp>

namespace shop {

enum class Status { Open, Paid, Sent };
BOOST_DESCRIBE_ENUM(Status, Open, Paid, Sent)

struct Line {
    std::string text;
    double total = 0;
    friend bool operator==(const Line&, const Line&) = default;
};
BOOST_DESCRIBE_STRUCT(Line, (), (text, total))

struct Document {
    std::int64_t number = 0;
    friend bool operator==(const Document&, const Document&) = default;
};
BOOST_DESCRIBE_STRUCT(Document, (), (number))

struct Invoice : Document {
    Status status = Status::Open;
    std::vector<Line> lines;
    std::optional<std::string> note;
    std::string currency = "EUR";
    friend bool operator==(const Invoice&, const Invoice&) = default;
};
BOOST_DESCRIBE_STRUCT(Invoice, (Document), (status, lines, note, currency))

class Account {
public:
    Account() = default;
    explicit Account(int balance) : balance_(balance) {}
    int balance() const { return balance_; }

private:
    int balance_ = 0;
    BOOST_DESCRIBE_CLASS(Account, (), (), (), (balance_))
};

struct Empty {};
BOOST_DESCRIBE_STRUCT(Empty, (), ())

struct Tree {
    int value = 0;
    std::vector<Tree> children;
    friend bool operator==(const Tree&, const Tree&) = default;
};
BOOST_DESCRIBE_STRUCT(Tree, (), (value, children))

struct Card {
    static constexpr std::string_view kJsonName = "card";
    std::string digits;
    friend bool operator==(const Card&, const Card&) = default;
};
BOOST_DESCRIBE_STRUCT(Card, (), (digits))

struct Plain {
    int x;
};

struct HasPlain {
    Plain plain;
};
BOOST_DESCRIBE_STRUCT(HasPlain, (), (plain))

struct NoDefault {
    explicit NoDefault(int number) : n(number) {}
    int n;
};
BOOST_DESCRIBE_STRUCT(NoDefault, (), (n))

struct Frozen {
    const int n = 0;
};
BOOST_DESCRIBE_STRUCT(Frozen, (), (n))

struct Money {
    std::int64_t cents = 0;
    friend bool operator==(const Money&, const Money&) = default;
};

struct Basket {
    std::vector<Money> prices;
};
BOOST_DESCRIBE_STRUCT(Basket, (), (prices))

}  // namespace shop

// "12.50": a form that Describe cannot give.
template <>
struct belay::Codec<shop::Money> {
    static void write(std::string& out, const shop::Money& m) {
        if (m.cents < 0) throw Error{ErrorCode::BadValue, "a price below zero"};
        const std::string cents = std::to_string(m.cents % 100);
        write_json(out, std::to_string(m.cents / 100) + (cents.size() < 2 ? ".0" : ".") + cents);
    }
    static shop::Money read(const boost::json::value& v) {
        const auto text = read_json<std::string>(v);
        const auto dot = text.find('.');
        if (dot == std::string::npos)
            throw std::invalid_argument("expected money such as \"1.00\"");
        return {std::stoll(text.substr(0, dot)) * 100 + std::stoll(text.substr(dot + 1))};
    }
};

namespace belay {
namespace {

using namespace std::chrono_literals;

// The text of `value`, after checking that it reads back as an equal value.
template <class T>
std::string round_trip(const T& value) {
    const std::string json = to_json(value);
    EXPECT_EQ(from_json<T>(json), value) << json;
    return json;
}

template <class F>
std::string error_of(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::BadValue);
        return error.what();
    }
    return "no error";
}

template <class T>
std::string read_error(std::string_view json) {
    return error_of([&] { from_json<T>(json); });
}

template <class T>
std::string write_error(const T& value) {
    return error_of([&] { to_json(value); });
}

// --- Which types ---------------------------------------------------------------------------------

static_assert(Storable<int> && Storable<std::string> && Storable<shop::Invoice>);
static_assert(Storable<std::map<std::string, std::vector<shop::Line>>>);
static_assert(Storable<shop::Tree>);
static_assert(Storable<shop::Money> && Storable<shop::Basket>);
static_assert(!Storable<shop::Plain> && !Storable<shop::HasPlain>);
static_assert(!Storable<std::vector<shop::Plain>> && !Storable<std::optional<shop::HasPlain>>);
static_assert(!Storable<shop::NoDefault> && Writable<shop::NoDefault>);
static_assert(!Storable<shop::Frozen> && Writable<shop::Frozen>);
static_assert(!Storable<std::vector<shop::NoDefault>>);
static_assert(!Storable<std::string_view> && Writable<std::string_view>);
static_assert(!Storable<const char*> && Writable<const char*> && Writable<char[4]>);
static_assert(!Storable<int*> && !Storable<std::unique_ptr<int>> && !Storable<wchar_t>);
static_assert(!Storable<long double> && !Storable<std::byte>);
static_assert(!Storable<std::chrono::steady_clock::time_point>);
static_assert(Storable<const int&>);

// --- Scalars ------------------------------------------------------------------------------------

TEST(Codec, writes_and_reads_bools_and_integers_to_their_limits) {
    EXPECT_EQ(round_trip(true), "true");
    EXPECT_EQ(round_trip(false), "false");
    EXPECT_EQ(round_trip(-7), "-7");
    EXPECT_EQ(round_trip(std::int8_t{-128}), "-128");
    EXPECT_EQ(round_trip('a'), "97");
    EXPECT_EQ(round_trip(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(round_trip(std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
    EXPECT_EQ(round_trip(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
    // The same numbers through the parser, where no shortcut serves.
    EXPECT_EQ(round_trip(std::vector{std::numeric_limits<std::uint64_t>::max()}),
              "[18446744073709551615]");
    EXPECT_EQ(round_trip(std::vector{std::numeric_limits<std::int64_t>::min()}),
              "[-9223372036854775808]");
}

TEST(Codec, integers_are_checked_against_their_range) {
    EXPECT_EQ(read_error<std::int8_t>("300"), "$: expected an integer from -128 to 127, found 300");
    EXPECT_EQ(read_error<std::uint8_t>("-1"), "$: expected an integer from 0 to 255, found -1");
    EXPECT_EQ(read_error<std::int64_t>("9223372036854775808"),
              "$: expected an integer from -9223372036854775808 to 9223372036854775807, found "
              "9223372036854775808");
    EXPECT_EQ(read_error<int>("3.5"), "$: expected an integer, found 3.5");
    EXPECT_EQ(read_error<int>("\"3\""), "$: expected an integer, found a string");
    EXPECT_EQ(read_error<int>("true"), "$: expected an integer, found a boolean");
    EXPECT_EQ(from_json<int>("3.0"), 3);
    EXPECT_EQ(from_json<int>(" 42\n"), 42);
}

TEST(Codec, doubles_are_short_and_exact) {
    EXPECT_EQ(round_trip(0.1), "0.1");
    EXPECT_EQ(round_trip(5.0), "5");
    EXPECT_EQ(round_trip(1e300), "1e+300");
    EXPECT_EQ(round_trip(-2.5e-7), "-2.5e-07");
    EXPECT_EQ(round_trip(9223372036854775808.0), "9223372036854775808");
    EXPECT_EQ(round_trip(std::numeric_limits<double>::denorm_min()), "5e-324");
    EXPECT_EQ(round_trip(0.1f), "0.1");
    EXPECT_EQ(round_trip(std::numeric_limits<float>::max()), "3.4028235e+38");
    EXPECT_EQ(to_json(-0.0), "-0.0");
    EXPECT_TRUE(std::signbit(from_json<double>("-0.0")));
    EXPECT_TRUE(std::signbit(from_json<std::vector<double>>("[-0.0]")[0]));
    EXPECT_EQ(from_json<double>("3"), 3.0);
}

TEST(Codec, every_double_and_float_comes_back_to_the_last_bit) {
    std::mt19937_64 random{20261115};
    std::vector<double> doubles;
    std::vector<float> floats{7.038531e-26f};
    while (doubles.size() < 20000) {
        const auto d = std::bit_cast<double>(random());
        const auto f = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (std::isfinite(d)) doubles.push_back(d);
        if (std::isfinite(f)) floats.push_back(f);
        doubles.push_back(static_cast<double>(random() >> 11) / 100);
    }

    EXPECT_EQ(from_json<std::vector<double>>(to_json(doubles)), doubles);
    EXPECT_EQ(from_json<std::vector<float>>(to_json(floats)), floats);
}

TEST(Codec, what_json_cannot_hold_is_refused_when_written) {
    const double nan = std::nan("");
    const double infinity = std::numeric_limits<double>::infinity();

    EXPECT_EQ(write_error(nan), "$: NaN has no JSON form");
    EXPECT_EQ(write_error(std::map<std::string, std::vector<double>>{{"rates", {1, -infinity}}}),
              "$.rates[1]: infinity has no JSON form");
    EXPECT_EQ(write_error(std::string("caf\xE9")),
              "$: text is not UTF-8 (byte 0xe9 at 3); bytes that are not text belong in "
              "belay::Bytes");
    EXPECT_EQ(write_error(static_cast<const char*>(nullptr)),
              "$: a null const char* has no JSON form");
    EXPECT_EQ(write_error(static_cast<shop::Status>(7)),
              "$: the enum value 7 has no name; it knows Open, Paid, Sent");
}

TEST(Codec, numbers_that_no_double_can_hold_are_refused_when_read) {
    EXPECT_EQ(read_error<double>("1e400"), "$: not JSON: exponent overflow at byte 5");
    EXPECT_EQ(from_json<double>("1e-400"), 0.0);
    EXPECT_EQ(read_error<float>("1e300"),
              "$: expected a number that a float can hold, found 1e+300");
}

TEST(Codec, text_keeps_every_character) {
    EXPECT_EQ(round_trip(std::string{}), "\"\"");
    EXPECT_EQ(round_trip(std::string("plain text of some length")),
              "\"plain text of some length\"");
    EXPECT_EQ(round_trip(std::string("ação €12 🧗")), "\"ação €12 🧗\"");
    EXPECT_EQ(round_trip(std::string("a\"b\\c\n\t\r\b\f")), R"("a\"b\\c\n\t\r\b\f")");
    EXPECT_EQ(round_trip(std::string("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
    EXPECT_EQ(from_json<std::string>(R"("\u00e7\ud83e\uddd7")"), "ç🧗");
}

TEST(Codec, borrowed_text_can_be_written) {
    EXPECT_EQ(to_json("literal"), "\"literal\"");
    EXPECT_EQ(to_json(std::string_view("view")), "\"view\"");
    EXPECT_EQ(to_json(std::vector<const char*>{"a", "b"}), R"(["a","b"])");
}

TEST(Codec, bytes_are_base64) {
    EXPECT_EQ(round_trip(Bytes{std::string_view("\0\xff\x10", 3)}), "\"AP8Q\"");
    EXPECT_EQ(round_trip(Bytes{}), "\"\"");
    EXPECT_EQ(read_error<Bytes>("\"A\""), "$: expected base64, found other text");
    EXPECT_EQ(Bytes{"abc"}.view(), "abc");
}

TEST(Codec, times_and_durations_are_counts_of_their_period) {
    EXPECT_EQ(round_trip(1500ms), "1500");
    EXPECT_EQ(round_trip(std::chrono::hours{-3}), "-3");
    EXPECT_EQ(round_trip(std::chrono::duration<double>{0.25}), "0.25");
    EXPECT_EQ(round_trip(Time{1794772800000ms}), "1794772800000");
}

TEST(Codec, nothing_is_null) {
    EXPECT_EQ(round_trip(Nothing{}), "null");
    EXPECT_EQ(round_trip(std::monostate{}), "null");
    EXPECT_EQ(read_error<Nothing>("1"), "$: expected null, found a number");
}

TEST(Codec, a_json_value_is_itself) {
    const boost::json::value value = {
        {"a", 1}, {"b", {1.5, 5.0, nullptr, true}}, {"c", {{"d", "é\n"}}}, {"e", 1ull << 63}};

    EXPECT_EQ(round_trip(value),
              "{\"a\":1,\"b\":[1.5,5.0,null,true],\"c\":{\"d\":\"é\\n\"},"
              "\"e\":9223372036854775808}");
}

// --- Containers ---------------------------------------------------------------------------------

TEST(Codec, sequences_and_sets_are_arrays) {
    EXPECT_EQ(round_trip(std::vector<int>{}), "[]");
    EXPECT_EQ(round_trip(std::vector{1, 2, 3}), "[1,2,3]");
    EXPECT_EQ(round_trip(std::vector<bool>{true, false}), "[true,false]");
    EXPECT_EQ(round_trip(std::deque<std::string>{"a"}), R"(["a"])");
    EXPECT_EQ(round_trip(std::list<double>{0.5}), "[0.5]");
    EXPECT_EQ(round_trip(std::array{1, 2}), "[1,2]");
    EXPECT_EQ(round_trip(std::array<int, 0>{}), "[]");
    EXPECT_EQ(round_trip(std::set<int>{3, 1, 2}), "[1,2,3]");
    EXPECT_EQ(round_trip(std::multiset<int>{2, 1, 2}), "[1,2,2]");
    EXPECT_EQ(round_trip(std::vector<std::vector<int>>{{1}, {}, {2, 3}}), "[[1],[],[2,3]]");
}

TEST(Codec, unordered_containers_that_are_equal_are_equal_text) {
    std::unordered_set<std::string> forward;
    std::unordered_set<std::string> backward;
    for (int i = 0; i < 100; ++i) forward.insert(std::to_string(i));
    for (int i = 99; i >= 0; --i) backward.insert(std::to_string(i));

    EXPECT_EQ(round_trip(forward), round_trip(backward));
    EXPECT_EQ(round_trip(std::unordered_map<std::string, int>{{"b", 2}, {"a", 1}}),
              R"({"a":1,"b":2})");
    EXPECT_EQ(round_trip(std::unordered_multiset<int>{2, 1, 2}), "[1,2,2]");
}

TEST(Codec, maps_are_objects_if_their_keys_are_strings) {
    EXPECT_EQ(round_trip(std::map<std::string, int>{{"a b", 1}, {"\"", 2}}), R"({"\"":2,"a b":1})");
    EXPECT_EQ(round_trip(std::map<int, std::string>{{1, "x"}, {2, "y"}}), R"([[1,"x"],[2,"y"]])");
    EXPECT_EQ(round_trip(std::unordered_map<int, int>{{2, 20}, {1, 10}}), "[[1,10],[2,20]]");
    EXPECT_EQ(round_trip(std::map<shop::Status, int>{{shop::Status::Paid, 1}}), R"([["Paid",1]])");
}

TEST(Codec, pairs_and_tuples_are_arrays_of_their_size) {
    EXPECT_EQ(round_trip(std::pair{1, std::string("x")}), R"([1,"x"])");
    EXPECT_EQ(round_trip(std::tuple{1, true, 2.5}), "[1,true,2.5]");
    EXPECT_EQ(round_trip(std::tuple<>{}), "[]");
    EXPECT_EQ((read_error<std::pair<int, int>>("[1]")),
              "$: expected an array of 2, found one of 1");
    EXPECT_EQ((read_error<std::array<int, 2>>("[1,2,3]")),
              "$: expected an array of 2, found one of 3");
}

TEST(Codec, an_optional_is_null_or_its_value) {
    EXPECT_EQ(round_trip(std::optional<int>{}), "null");
    EXPECT_EQ(round_trip(std::optional<int>{5}), "5");
}

TEST(Codec, an_optional_of_what_may_be_null_is_boxed) {
    using Twice = std::optional<std::optional<int>>;
    EXPECT_EQ(round_trip(Twice{}), "null");
    EXPECT_EQ(round_trip(Twice{std::in_place, std::nullopt}), "[null]");
    EXPECT_EQ(round_trip(Twice{5}), "[5]");
    EXPECT_EQ(round_trip(std::optional<Nothing>{Nothing{}}), "[null]");
}

TEST(Codec, a_variant_says_which_by_position_or_by_the_name_it_was_given) {
    using Payment = std::variant<std::monostate, shop::Card, int>;

    EXPECT_EQ(round_trip(Payment{}), R"({"type":0,"value":null})");
    EXPECT_EQ(round_trip(Payment{5}), R"({"type":2,"value":5})");
    EXPECT_EQ(round_trip(Payment{shop::Card{"1234"}}),
              R"({"type":"card","value":{"digits":"1234"}})");
    // A name that is given later still reads the records from before.
    EXPECT_EQ(from_json<Payment>(R"({"type":1,"value":{"digits":"1"}})"), Payment{shop::Card{"1"}});
    EXPECT_EQ(read_error<Payment>(R"({"type":7})"),
              "$.type: expected one of 0, \"card\", 2, found 7");
    EXPECT_EQ(read_error<Payment>(R"({"type":"cash"})"),
              "$.type: expected one of 0, \"card\", 2, found \"cash\"");
    EXPECT_EQ(read_error<Payment>(R"({"type":2,"value":"x"})"),
              "$.value: expected an integer, found a string");
    EXPECT_EQ(read_error<Payment>("{}"), "$.type: expected one of 0, \"card\", 2, found null");
}

// --- Described types ----------------------------------------------------------------------------

const shop::Invoice kInvoice = [] {
    shop::Invoice invoice;
    invoice.number = 42;
    invoice.status = shop::Status::Paid;
    invoice.lines = {{"Rope", 80.5}, {"Chalk", 4}};
    return invoice;
}();

TEST(Codec, a_described_struct_is_an_object_with_its_bases_members_first) {
    EXPECT_EQ(round_trip(kInvoice),
              R"({"number":42,"status":"Paid","lines":[{"text":"Rope","total":80.5},)"
              R"({"text":"Chalk","total":4}],"note":null,"currency":"EUR"})");
    EXPECT_EQ(to_json(shop::Empty{}), "{}");
    EXPECT_NO_THROW(from_json<shop::Empty>("{}"));
}

TEST(Codec, a_class_can_describe_its_private_members) {
    EXPECT_EQ(to_json(shop::Account{12}), R"({"balance_":12})");
    EXPECT_EQ(from_json<shop::Account>(R"({"balance_":12})").balance(), 12);
}

TEST(Codec, a_type_may_contain_itself) {
    EXPECT_EQ(round_trip(shop::Tree{1, {{2, {}}, {3, {{4, {}}}}}}),
              R"({"value":1,"children":[{"value":2,"children":[]},)"
              R"({"value":3,"children":[{"value":4,"children":[]}]}]})");
}

TEST(Codec, what_is_too_deep_to_be_read_is_refused_when_written) {
    const auto tree_of = [](int depth) {
        shop::Tree tree;
        for (int i = 1; i < depth; ++i) {
            shop::Tree parent;
            parent.children.push_back(std::move(tree));
            tree = std::move(parent);
        }
        return tree;
    };

    // Each level of the tree is an object in an array, and the innermost has an empty array.
    round_trip(tree_of(128));
    EXPECT_NE(write_error(tree_of(129)).find("nested deeper than 256 levels"), std::string::npos);
    EXPECT_EQ(read_error<boost::json::value>(std::string(257, '[')),
              "$: nested deeper than 256 levels");
}

TEST(Codec, an_enum_is_its_name) {
    EXPECT_EQ(round_trip(shop::Status::Sent), "\"Sent\"");
    EXPECT_EQ(read_error<shop::Status>("\"Lost\""),
              "$: expected one of \"Open\", \"Paid\", \"Sent\", found \"Lost\"");
    EXPECT_EQ(read_error<shop::Status>("1"),
              "$: expected one of \"Open\", \"Paid\", \"Sent\", found 1");
}

TEST(Codec, a_program_may_give_a_type_its_own_form) {
    EXPECT_EQ(round_trip(shop::Money{1205}), "\"12.05\"");
    EXPECT_EQ(to_json(shop::Basket{{{100}, {250}}}), R"({"prices":["1.00","2.50"]})");
    EXPECT_EQ(read_error<shop::Basket>(R"({"prices":["1.00",5]})"),
              "$.prices[1]: expected a string, found a number");
    EXPECT_EQ(read_error<shop::Basket>(R"({"prices":["free"]})"),
              "$.prices[0]: expected money such as \"1.00\"");
    EXPECT_EQ(write_error(shop::Basket{{{-1}}}), "$.prices[0]: a price below zero");
}

// --- Code changes, records stay -----------------------------------------------------------------

TEST(Codec, an_unknown_member_is_ignored) {
    EXPECT_EQ(from_json<shop::Line>(R"({"colour":{"r":1},"text":"Rope","vat":[1],"total":80.5})"),
              (shop::Line{"Rope", 80.5}));
}

TEST(Codec, a_missing_member_keeps_its_default) {
    const auto invoice = from_json<shop::Invoice>(R"({"number":7})");

    EXPECT_EQ(invoice.number, 7);
    EXPECT_EQ(invoice.currency, "EUR");
    EXPECT_EQ(invoice.status, shop::Status::Open);
    EXPECT_FALSE(invoice.note.has_value());
}

TEST(Codec, members_may_come_in_any_order) {
    EXPECT_EQ(from_json<shop::Line>(R"({"total":80.5,"text":"Rope"})"), (shop::Line{"Rope", 80.5}));
}

TEST(Codec, the_last_of_two_equal_members_counts) {
    EXPECT_EQ(from_json<shop::Line>(R"({"total":1,"total":2})").total, 2);
}

// --- Errors -------------------------------------------------------------------------------------

TEST(Codec, a_wrong_type_is_told_with_its_path) {
    EXPECT_EQ(read_error<shop::Invoice>(R"({"lines":[{"total":1},{"total":2},{"total":"much"}]})"),
              "$.lines[2].total: expected a number, found a string");
    EXPECT_EQ(read_error<shop::Invoice>("[]"), "$: expected an object, found an array");
    EXPECT_EQ(read_error<shop::Invoice>(R"({"lines":{}})"),
              "$.lines: expected an array, found an object");
    EXPECT_EQ(read_error<shop::Invoice>(R"({"currency":null})"),
              "$.currency: expected a string, found null");
    EXPECT_EQ(read_error<bool>("0"), "$: expected a boolean, found a number");
    EXPECT_EQ((read_error<std::map<std::string, int>>(R"({"a b":"x"})")),
              "$[\"a b\"]: expected an integer, found a string");
    EXPECT_EQ((read_error<std::map<int, int>>("[[1,2],[1,\"x\"]]")),
              "$[1][1]: expected an integer, found a string");
}

TEST(Codec, what_is_not_json_is_told_with_its_place) {
    EXPECT_EQ(read_error<int>(""), "$: not JSON: incomplete JSON at byte 0");
    EXPECT_EQ(read_error<shop::Line>(R"({"total":1)"), "$: not JSON: incomplete JSON at byte 10");
    EXPECT_EQ(read_error<shop::Line>(R"({"total" 1})"), "$: not JSON: syntax error at byte 9");
    EXPECT_EQ(read_error<int>("1 2"), "$: not JSON: text after the value at byte 2");
    EXPECT_EQ(read_error<std::string>("\"caf\xFF\""), "$: not JSON: syntax error at byte 4");
}

TEST(Codec, shortcuts_accept_only_json) {
    for (const char* text : {"01", "+1", "0x1", "1.", ".5", "1e", "-", "inf", "nan", "1,", "--1"}) {
        EXPECT_NE(read_error<int>(text), "no error") << text;
        EXPECT_NE(read_error<double>(text), "no error") << text;
    }
    for (const char* text : {"\"", "\"a\"b\"", "\"a\nb\"", "\"\\\"", "'a'", "\"\\x\""})
        EXPECT_NE(read_error<std::string>(text), "no error") << text;
}

}  // namespace
}  // namespace belay

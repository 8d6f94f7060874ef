#include <belay/sql.hpp>

#include <gtest/gtest.h>

namespace belay {
namespace {

using detail::from_sql;
using detail::to_sql;

TEST(SqlValues, every_kind_of_parameter_reads_back) {
    EXPECT_EQ(from_sql<std::int64_t>(to_sql(-7), "n"), -7);
    EXPECT_EQ(from_sql<bool>(to_sql(true), "b"), true);
    EXPECT_EQ(from_sql<double>(to_sql(0.1), "d"), 0.1);
    EXPECT_EQ(from_sql<std::string>(to_sql("text"), "t"), "text");
    EXPECT_EQ(from_sql<Bytes>(to_sql(Bytes{std::string_view("\0\1", 2)}), "x"),
              Bytes{std::string_view("\0\1", 2)});
    EXPECT_EQ(from_sql<Time>(to_sql(Time{Duration{42}}), "at"), Time{Duration{42}});
    EXPECT_EQ(from_sql<std::optional<std::string>>(to_sql(nullptr), "o"), std::nullopt);
    EXPECT_EQ(from_sql<std::optional<int>>(to_sql(std::optional<int>{3}), "o"), 3);
}

TEST(SqlValues, a_whole_number_reads_as_a_double) {
    EXPECT_EQ(from_sql<double>(SqlValue{std::int64_t{2}}, "d"), 2.0);
}

TEST(SqlValues, a_value_of_another_kind_is_an_error_that_names_the_column) {
    try {
        from_sql<std::int64_t>(SqlValue{std::string("seven")}, "total");
        FAIL() << "expected an Error";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::BadValue);
        EXPECT_EQ(std::string(e.what()), "column total: expected an integer, found text");
    }
    EXPECT_THROW(from_sql<std::string>(SqlValue{}, "name"), Error);
    EXPECT_THROW(from_sql<Bytes>(SqlValue{1.5}, "name"), Error);
}

}  // namespace
}  // namespace belay

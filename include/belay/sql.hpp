// sql.hpp — values, parameters and rows of SQL, the same on every store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <belay/codec.hpp>
#include <belay/error.hpp>

namespace belay {

using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string, Bytes>;

// What one statement gave: its rows, and how many rows it changed.
struct SqlResult {
    std::vector<std::string> columns{};
    std::vector<std::vector<SqlValue>> rows{};
    std::int64_t changed = 0;
};

namespace detail {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
inline constexpr bool kNoSqlForm = false;

template <class T>
SqlValue to_sql(const T& value) {
    if constexpr (std::is_same_v<T, SqlValue>) {
        return value;
    } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
        return std::monostate{};
    } else if constexpr (IsOptional<T>::value) {
        return value ? to_sql(*value) : SqlValue{std::monostate{}};
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<std::int64_t>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<double>(value);
    } else if constexpr (std::is_same_v<T, Bytes>) {
        return value;
    } else if constexpr (std::is_same_v<T, Time>) {
        return static_cast<std::int64_t>(value.time_since_epoch().count());
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        return std::string(std::string_view(value));
    } else {
        static_assert(
            kNoSqlForm<T>,
            "belay: an SQL parameter is a number, a string, belay::Bytes, belay::Time, nullptr "
            "or an optional of these; turn other values into text with belay::to_json(value).");
    }
}

// Throws Error{BadValue} naming the column when the value is NULL or of another kind.
std::int64_t sql_to_int(const SqlValue& value, std::string_view column);
double sql_to_double(const SqlValue& value, std::string_view column);
std::string sql_to_text(const SqlValue& value, std::string_view column);
Bytes sql_to_bytes(const SqlValue& value, std::string_view column);

template <class T>
T from_sql(const SqlValue& value, std::string_view column) {
    if constexpr (IsOptional<T>::value) {
        if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
        return from_sql<typename T::value_type>(value, column);
    } else if constexpr (std::is_same_v<T, bool>) {
        return sql_to_int(value, column) != 0;
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(sql_to_int(value, column));
    } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(sql_to_double(value, column));
    } else if constexpr (std::is_same_v<T, Bytes>) {
        return sql_to_bytes(value, column);
    } else if constexpr (std::is_same_v<T, Time>) {
        return Time{Duration{sql_to_int(value, column)}};
    } else if constexpr (std::is_same_v<T, std::string>) {
        return sql_to_text(value, column);
    } else {
        static_assert(kNoSqlForm<T>,
                      "belay: a column reads as an integer, a double, std::string, belay::Bytes, "
                      "belay::Time, or an optional of these.");
    }
}

}  // namespace detail

// One row of a result; borrowed from it.
class SqlRow {
public:
    SqlRow(const SqlResult& result, std::size_t index) : result_(&result), index_(index) {}

    // The column at `position` (from 0) as a T; optional<T> where it may be NULL.
    template <class T>
    T get(std::size_t position) const {
        if (position >= result_->columns.size()) {
            throw Error(ErrorCode::InvalidArgument, "column " + std::to_string(position) +
                                                        " was asked for, but the query has " +
                                                        std::to_string(result_->columns.size()));
        }
        return detail::from_sql<T>(result_->rows[index_][position], result_->columns[position]);
    }

private:
    const SqlResult* result_;
    std::size_t index_;
};

// The rows of a query, held in memory.
class SqlRows {
public:
    explicit SqlRows(SqlResult result) : result_(std::move(result)) {}

    std::size_t size() const { return result_.rows.size(); }
    bool empty() const { return result_.rows.empty(); }
    SqlRow operator[](std::size_t index) const { return SqlRow{result_, index}; }

    class Iterator {
    public:
        Iterator(const SqlResult& result, std::size_t index) : result_(&result), index_(index) {}
        SqlRow operator*() const { return SqlRow{*result_, index_}; }
        Iterator& operator++() {
            ++index_;
            return *this;
        }
        bool operator==(const Iterator& other) const { return index_ == other.index_; }

    private:
        const SqlResult* result_;
        std::size_t index_;
    };
    Iterator begin() const { return {result_, 0}; }
    Iterator end() const { return {result_, result_.rows.size()}; }

private:
    SqlResult result_;
};

}  // namespace belay

// sql_values.cpp — reading an SqlValue as the type a program asked for (include/belay/sql.hpp).
#include <fmt/format.h>

#include <belay/sql.hpp>

namespace belay::detail {

namespace {

std::string_view kind_of(const SqlValue& value) {
    switch (value.index()) {
        case 0:
            return "NULL";
        case 1:
            return "an integer";
        case 2:
            return "a floating-point number";
        case 3:
            return "text";
        default:
            return "bytes";
    }
}

template <class T>
const T& get(const SqlValue& value, std::string_view column, std::string_view expected) {
    if (const T* found = std::get_if<T>(&value)) return *found;
    throw Error(ErrorCode::BadValue,
                fmt::format("column {}: expected {}, found {}", column, expected, kind_of(value)));
}

}  // namespace

std::int64_t sql_to_int(const SqlValue& value, std::string_view column) {
    return get<std::int64_t>(value, column, "an integer");
}

double sql_to_double(const SqlValue& value, std::string_view column) {
    // SQLite hands back 2.0 as an integer where a column has no declared type.
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    return get<double>(value, column, "a number");
}

std::string sql_to_text(const SqlValue& value, std::string_view column) {
    return get<std::string>(value, column, "text");
}

Bytes sql_to_bytes(const SqlValue& value, std::string_view column) {
    return get<Bytes>(value, column, "bytes");
}

}  // namespace belay::detail

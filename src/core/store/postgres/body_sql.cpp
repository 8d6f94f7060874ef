#include "core/store/postgres/body_sql.hpp"

#include <charconv>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/store/postgres/text.hpp"

namespace belay::store::postgres {

namespace {

// OIDs of built-in types, which never change.
enum Type : unsigned {
    Bool = 16,
    Bytea = 17,
    Int8 = 20,
    Int2 = 21,
    Int4 = 23,
    ObjectId = 26,
    Float4 = 700,
    Float8 = 701,
    Numeric = 1700,
};

struct Adder {
    Parameters& out;
    void operator()(std::monostate) const { out.add(nullptr); }
    void operator()(std::int64_t value) const { out.add_typed(Int8, std::to_string(value), false); }
    void operator()(double value) const { out.add_typed(Float8, fmt::format("{}", value), false); }
    // Of unknown type, so that it may be a date, a number or JSON where such a thing is expected.
    void operator()(const std::string& value) const { out.add(value); }
    void operator()(const Bytes& value) const {
        out.add_typed(
            Bytea, std::string(reinterpret_cast<const char*>(value.data.data()), value.data.size()),
            true);
    }
};

int hex(char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

Bytes bytes_of(std::string_view text) {
    if (text.starts_with("\\x")) text.remove_prefix(2);
    std::string out;
    out.reserve(text.size() / 2);
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        out += static_cast<char>(hex(text[i]) * 16 + hex(text[i + 1]));
    }
    return Bytes{std::string_view(out)};
}

SqlValue number_of(std::string_view text) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc{} && read.ptr == text.data() + text.size()) return value;
    return std::string(text);
}

SqlValue value_of(const Result& result, int row, int column) {
    if (result.is_null(row, column)) return std::monostate{};
    const std::string_view text = result.raw(row, column);
    switch (result.type(column)) {
        case Bool:
            return std::int64_t{text == "t" ? 1 : 0};
        case Int2:
        case Int4:
        case Int8:
        case ObjectId:
        case Numeric:
            return number_of(text);
        case Float4:
        case Float8:
            return std::strtod(std::string(text).c_str(), nullptr);
        case Bytea:
            return bytes_of(text);
        default:
            return std::string(result.text(row, column));
    }
}

}  // namespace

Parameters parameters_of(const Translated& statement, std::span<const SqlValue> values,
                         std::string_view sql) {
    if (static_cast<std::size_t>(statement.parameters) != values.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("the statement has {} parameters, {} were given: {}",
                                statement.parameters, values.size(), sql));
    }
    Parameters out;
    for (const SqlValue& value : values) std::visit(Adder{out}, value);
    return out;
}

SqlResult result_of(const Result& result, bool reads_only) {
    SqlResult out;
    for (int column = 0; column < result.columns(); ++column)
        out.columns.emplace_back(result.name(column));
    out.rows.reserve(static_cast<std::size_t>(result.rows()));
    for (int row = 0; row < result.rows(); ++row) {
        auto& values = out.rows.emplace_back();
        values.reserve(static_cast<std::size_t>(result.columns()));
        for (int column = 0; column < result.columns(); ++column)
            values.push_back(value_of(result, row, column));
    }
    if (!reads_only) out.changed = result.changed();
    return out;
}

}  // namespace belay::store::postgres

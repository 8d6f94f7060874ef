#include "service/api/query.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/base/base64.hpp"
#include "core/base/text.hpp"
#include "core/base/utf8.hpp"
#include "service/api/errors.hpp"

namespace belay::api {

namespace {

constexpr std::size_t kParametersMax = 100;

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string decoded_or_refuse(std::string_view text) {
    auto decoded = percent_decoded(text, true);
    if (!decoded) {
        throw ApiError(
            Problem::InvalidParameter,
            fmt::format("the query has a broken %-escape, or bytes that are not UTF-8, in "
                        "`{}`",
                        shown(text)));
    }
    return *std::move(decoded);
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus_is_blank) {
            out += ' ';
        } else if (text[i] != '%') {
            out += text[i];
        } else {
            if (i + 2 >= text.size()) return std::nullopt;
            const int high = hex_digit(text[i + 1]);
            const int low = hex_digit(text[i + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            out += static_cast<char>(high * 16 + low);
            i += 2;
        }
    }
    if (!base::is_utf8(out) || out.find('\0') != std::string::npos) return std::nullopt;
    return out;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kPlain = "-._~";
    std::string out;
    for (const char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (letter || (c >= '0' && c <= '9') || kPlain.find(c) != std::string_view::npos) {
            out += c;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return out;
}

Query::Query(std::string_view text) {
    while (!text.empty()) {
        const auto end = text.find('&');
        const std::string_view one = text.substr(0, end);
        if (!one.empty()) {
            const auto equals = one.find('=');
            std::string value =
                equals == std::string_view::npos ? "" : decoded_or_refuse(one.substr(equals + 1));
            parameters_.emplace_back(decoded_or_refuse(one.substr(0, equals)), std::move(value));
        }
        if (parameters_.size() > kParametersMax) {
            throw ApiError(Problem::InvalidParameter,
                           fmt::format("more than {} query parameters", kParametersMax));
        }
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
}

std::optional<std::string_view> Query::find(std::string_view name) const {
    for (const auto& [key, value] : parameters_) {
        if (key == name) return value;
    }
    return std::nullopt;
}

std::vector<std::string_view> Query::all(std::string_view name) const {
    std::vector<std::string_view> values;
    for (const auto& [key, value] : parameters_) {
        if (key == name) values.emplace_back(value);
    }
    return values;
}

std::string Query::text(std::string_view name, std::size_t chars_max) const {
    const std::string_view value = find(name).value_or("");
    if (value.size() > chars_max) {
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("parameter `{}` has {} bytes; at most {} are allowed", name,
                                   value.size(), chars_max));
    }
    return std::string(value);
}

std::int64_t Query::integer(std::string_view name, std::int64_t otherwise, std::int64_t least,
                            std::int64_t most) const {
    const auto value = find(name);
    if (!value) return otherwise;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
    if (error != std::errc{} || end != value->data() + value->size() || number < least ||
        number > most) {
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("parameter `{}` is a whole number from {} to {}, not `{}`", name,
                                   least, most, shown(*value)));
    }
    return number;
}

std::optional<Time> Query::time(std::string_view name) const {
    const std::string text = this->text(name, 40);
    if (text.empty()) return std::nullopt;
    constexpr std::size_t kDayChars = 10;
    const auto time = base::parse_time(text.size() == kDayChars ? text + "T00:00:00.000Z" : text);
    if (!time) {
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("parameter `{}` is a time such as 2026-10-01T12:00:00.000Z, or "
                                   "a day, not `{}`",
                                   name, shown(text)));
    }
    return time;
}

bool Query::flag(std::string_view name) const {
    const auto value = find(name);
    if (!value || *value == "0" || *value == "false") return false;
    if (value->empty() || *value == "1" || *value == "true") return true;
    throw ApiError(Problem::InvalidParameter,
                   fmt::format("parameter `{}` is 1 or 0, not `{}`", name, shown(*value)));
}

void Query::allow_only(std::span<const std::string_view> names) const {
    for (const auto& [key, value] : parameters_) {
        if (std::find(names.begin(), names.end(), key) != names.end()) continue;
        throw ApiError(
            Problem::InvalidParameter,
            fmt::format("there is no parameter `{}` here; there {}: {}", shown(key),
                        names.size() == 1 ? "is" : "are",
                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
}

std::string cursor_text(std::int64_t position) {
    const std::string plain = fmt::format("c{}", position);
    std::string text;
    base::append_base64(text, std::as_bytes(std::span(plain)));
    while (text.ends_with('=')) text.pop_back();
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    return text;
}

std::int64_t read_cursor(std::string_view text) {
    const auto refuse = [&]() -> ApiError {
        return {
            Problem::InvalidParameter,
            fmt::format("parameter `cursor` is the `next_cursor` of an earlier answer, not `{}`",
                        shown(text))};
    };
    if (text.size() > 64) throw refuse();
    std::string padded{text};
    std::replace(padded.begin(), padded.end(), '-', '+');
    std::replace(padded.begin(), padded.end(), '_', '/');
    while (padded.size() % 4 != 0) padded += '=';
    const auto bytes = base::decode_base64(padded);
    if (!bytes || bytes->size() < 2 || static_cast<char>(bytes->front()) != 'c') throw refuse();
    const char* first = reinterpret_cast<const char*>(bytes->data()) + 1;
    const char* last = reinterpret_cast<const char*>(bytes->data()) + bytes->size();
    std::int64_t position = 0;
    const auto [end, error] = std::from_chars(first, last, position);
    if (error != std::errc{} || end != last || position < 0) throw refuse();
    return position;
}

}  // namespace belay::api

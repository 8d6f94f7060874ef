// codec_scalar.hpp — the JSON forms of numbers, text, bytes, times and nothing.
//
// Private to belay/codec.hpp. Writing appends digits straight to the text; a scalar that stands alone
// is read straight from it.
#pragma once

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <variant>

#include <belay/bytes.hpp>
#include <belay/detail/codec_form.hpp>
#include <belay/time.hpp>

namespace belay::detail {

// The types for which "integer" means a number: wide characters do not, and 128 bits do not fit.
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, wchar_t> &&
                  !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
                  !std::same_as<T, char32_t> && sizeof(T) <= 8;

void write_text(std::string& out, std::string_view text, const Path& path);
void write_double(std::string& out, double value, const Path& path);
void write_float(std::string& out, float value, const Path& path);
void write_base64(std::string& out, const Bytes& bytes);
void write_any(std::string& out, const boost::json::value& value, const Path& path);

bool read_bool(const boost::json::value& json, const Path& path);
std::int64_t read_signed(const boost::json::value& json, std::int64_t min, std::int64_t max,
                         const Path& path);
std::uint64_t read_unsigned(const boost::json::value& json, std::uint64_t max, const Path& path);
double read_double(const boost::json::value& json, const Path& path);
float read_float(const boost::json::value& json, const Path& path);
std::string_view read_text(const boost::json::value& json, const Path& path);
Bytes read_base64(const boost::json::value& json, const Path& path);
void read_null(const boost::json::value& json, const Path& path);
boost::json::value read_any(const boost::json::value& json);

// True if `text` is one JSON number and nothing else: from_chars is more generous than JSON.
bool is_number(std::string_view text) noexcept;
// The text between the quotes, if `json` is one JSON string without escapes.
std::optional<std::string_view> plain_text(std::string_view json) noexcept;

template <>
struct Form<bool> {
    using Parts = Types<>;
    static void write(std::string& out, bool value, const Path&) {
        out += value ? "true" : "false";
    }
    static bool read(const boost::json::value& json, const Path& path) {
        return read_bool(json, path);
    }
    static std::optional<bool> shortcut(std::string_view json) {
        if (json == "true") return true;
        if (json == "false") return false;
        return std::nullopt;
    }
};

template <Integer T>
struct Form<T> {
    using Parts = Types<>;
    using Limits = std::numeric_limits<T>;

    static void write(std::string& out, T value, const Path&) {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        out.append(digits, static_cast<std::size_t>(end - digits));
    }
    static T read(const boost::json::value& json, const Path& path) {
        if constexpr (std::is_signed_v<T>)
            return static_cast<T>(read_signed(json, Limits::min(), Limits::max(), path));
        else
            return static_cast<T>(read_unsigned(json, Limits::max(), path));
    }
    static std::optional<T> shortcut(std::string_view json) {
        T value{};
        const auto* end = json.data() + json.size();
        const auto [stop, problem] = std::from_chars(json.data(), end, value);
        if (problem != std::errc{} || stop != end || !is_number(json)) return std::nullopt;
        return value;
    }
};

template <>
struct Form<double> {
    using Parts = Types<>;
    static void write(std::string& out, double value, const Path& path) {
        write_double(out, value, path);
    }
    static double read(const boost::json::value& json, const Path& path) {
        return read_double(json, path);
    }
    static std::optional<double> shortcut(std::string_view json) {
        double value{};
        const auto* end = json.data() + json.size();
        const auto [stop, problem] = std::from_chars(json.data(), end, value);
        if (problem != std::errc{} || stop != end || !is_number(json)) return std::nullopt;
        return value;
    }
};

template <>
struct Form<float> {
    using Parts = Types<>;
    static void write(std::string& out, float value, const Path& path) {
        write_float(out, value, path);
    }
    static float read(const boost::json::value& json, const Path& path) {
        return read_float(json, path);
    }
};

template <>
struct Form<std::string> {
    using Parts = Types<>;
    static void write(std::string& out, const std::string& value, const Path& path) {
        write_text(out, value, path);
    }
    static std::string read(const boost::json::value& json, const Path& path) {
        return std::string(read_text(json, path));
    }
    static std::optional<std::string> shortcut(std::string_view json) {
        const auto text = plain_text(json);
        return text ? std::optional<std::string>(std::in_place, *text) : std::nullopt;
    }
};

// Text that somebody else owns can be written; there would be no owner when it is read back.
template <>
struct Form<std::string_view> {
    using Parts = Types<>;
    static constexpr bool kWriteOnly = true;
    static void write(std::string& out, std::string_view value, const Path& path) {
        write_text(out, value, path);
    }
};

template <>
struct Form<const char*> {
    using Parts = Types<>;
    static constexpr bool kWriteOnly = true;
    static void write(std::string& out, const char* value, const Path& path) {
        if (value == nullptr) fail(path, "a null const char* has no JSON form");
        write_text(out, value, path);
    }
};

template <>
struct Form<char*> : Form<const char*> {};

template <std::size_t N>
struct Form<char[N]> : Form<const char*> {};

template <>
struct Form<Bytes> {
    using Parts = Types<>;
    static void write(std::string& out, const Bytes& value, const Path&) {
        write_base64(out, value);
    }
    static Bytes read(const boost::json::value& json, const Path& path) {
        return read_base64(json, path);
    }
};

template <class T>
requires(std::same_as<T, Nothing> || std::same_as<T, std::monostate>) struct Form<T> {
    using Parts = Types<>;
    static constexpr bool kMayBeNull = true;
    static void write(std::string& out, const T&, const Path&) { out += "null"; }
    static T read(const boost::json::value& json, const Path& path) {
        read_null(json, path);
        return {};
    }
    static std::optional<T> shortcut(std::string_view json) {
        return json == "null" ? std::optional<T>(T{}) : std::nullopt;
    }
};

template <>
struct Form<boost::json::value> {
    using Parts = Types<>;
    static constexpr bool kMayBeNull = true;
    static void write(std::string& out, const boost::json::value& value, const Path& path) {
        write_any(out, value, path);
    }
    static boost::json::value read(const boost::json::value& json, const Path&) {
        return read_any(json);
    }
};

template <class Rep, class Period>
struct Form<std::chrono::duration<Rep, Period>> {
    using Duration = std::chrono::duration<Rep, Period>;
    using Parts = Types<Rep>;
    static void write(std::string& out, const Duration& value, const Path& path) {
        detail::write(out, value.count(), path);
    }
    static Duration read(const boost::json::value& json, const Path& path) {
        return Duration{detail::read<Rep>(json, path)};
    }
};

// Only of the system clock: a steady clock starts anew with the machine.
template <class D>
struct Form<std::chrono::time_point<std::chrono::system_clock, D>> {
    using Point = std::chrono::time_point<std::chrono::system_clock, D>;
    using Parts = Types<D>;
    static void write(std::string& out, const Point& value, const Path& path) {
        detail::write(out, value.time_since_epoch(), path);
    }
    static Point read(const boost::json::value& json, const Path& path) {
        return Point{detail::read<D>(json, path)};
    }
};

}  // namespace belay::detail

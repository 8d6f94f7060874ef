// codec_read.cpp — JSON text to values: the parts of belay/codec.hpp that are not templates.
//
// The text is parsed once by Boost.JSON into memory that is freed as a whole. The parser is Boost's,
// the handler is ours: Boost 1.81 rounds some doubles wrongly in the last bit, and a value read back
// must equal the value written, so doubles are read again from their text.
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include <belay/codec.hpp>

#include "core/base/base64.hpp"
#include "core/base/json_text.hpp"
#include "core/base/utf8.hpp"

namespace belay::detail {
namespace {

namespace json = boost::json;

// Builds a json::value from the parser's events.
class Builder {
public:
    static constexpr std::size_t max_object_size = json::object::max_size();
    static constexpr std::size_t max_array_size = json::array::max_size();
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();

    Builder(unsigned char* buffer, std::size_t size, const json::storage_ptr& result)
        : stack_({}, buffer, size) {
        stack_.reset(result);
    }

    json::value release() { return stack_.release(); }

    bool on_document_begin(json::error_code&) { return true; }
    bool on_document_end(json::error_code&) { return true; }
    bool on_object_begin(json::error_code&) { return true; }
    bool on_object_end(std::size_t n, json::error_code&) { return stack_.push_object(n), true; }
    bool on_array_begin(json::error_code&) { return true; }
    bool on_array_end(std::size_t n, json::error_code&) { return stack_.push_array(n), true; }
    bool on_key_part(json::string_view s, std::size_t, json::error_code&) {
        return stack_.push_chars(s), true;
    }
    bool on_key(json::string_view s, std::size_t, json::error_code&) {
        return stack_.push_key(s), true;
    }
    bool on_string_part(json::string_view s, std::size_t, json::error_code&) {
        return stack_.push_chars(s), true;
    }
    bool on_string(json::string_view s, std::size_t, json::error_code&) {
        return stack_.push_string(s), true;
    }
    bool on_number_part(json::string_view, json::error_code&) { return true; }
    bool on_int64(std::int64_t i, json::string_view, json::error_code&) {
        return stack_.push_int64(i), true;
    }
    bool on_uint64(std::uint64_t u, json::string_view, json::error_code&) {
        return stack_.push_uint64(u), true;
    }
    bool on_double(double rounded, json::string_view text, json::error_code& ec) {
        double exact = rounded;
        const auto [_, problem] = std::from_chars(text.data(), text.data() + text.size(), exact);
        // Too small for a double is zero, as Boost says; too large is no number that we can keep.
        if (problem != std::errc{}) exact = rounded;
        if (!std::isfinite(exact)) {
            ec = json::error::exponent_overflow;
            return false;
        }
        return stack_.push_double(exact), true;
    }
    bool on_bool(bool b, json::error_code&) { return stack_.push_bool(b), true; }
    bool on_null(json::error_code&) { return stack_.push_null(), true; }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }

private:
    json::value_stack stack_;
};

json::value parse(std::string_view text, const json::storage_ptr& result) {
    unsigned char buffer[2048];
    json::parse_options options;
    options.max_depth = kDepthMax;
    json::basic_parser<Builder> parser(options, buffer, sizeof buffer, result);
    json::error_code ec;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), ec);
    if (ec == json::error::too_deep)
        fail(Path{}, fmt::format("nested deeper than {} levels", kDepthMax));
    if (ec) fail(Path{}, fmt::format("not JSON: {} at byte {}", ec.message(), used));
    if (used < text.size())
        fail(Path{}, fmt::format("not JSON: text after the value at byte {}", used));
    return parser.handler().release();
}

std::string_view kind_of(const json::value& value) {
    switch (value.kind()) {
        case json::kind::null:
            return "null";
        case json::kind::bool_:
            return "a boolean";
        case json::kind::int64:
        case json::kind::uint64:
        case json::kind::double_:
            return "a number";
        case json::kind::string:
            return "a string";
        case json::kind::array:
            return "an array";
        case json::kind::object:
            return "an object";
    }
    return "something unknown";
}

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

// A value in a message: what it is, or itself if it is short.
std::string shown(const json::value& value) {
    switch (value.kind()) {
        case json::kind::int64:
            return fmt::to_string(value.get_int64());
        case json::kind::uint64:
            return fmt::to_string(value.get_uint64());
        case json::kind::double_:
            return fmt::to_string(value.get_double());
        case json::kind::string:
            return fmt::format("\"{}\"", base::truncate(view(value.get_string()), 60));
        default:
            return std::string(kind_of(value));
    }
}

bool is_identifier(std::string_view key) {
    if (key.empty() || (key[0] >= '0' && key[0] <= '9')) return false;
    for (const char c : key) {
        const bool fits =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!fits) return false;
    }
    return true;
}

// Doubles hold every integer up to here; above, 1e17 might mean its neighbour.
constexpr double kExactIntegerMax = 9007199254740992.0;

bool is_exact_integer(double value) {
    return std::trunc(value) == value && std::abs(value) <= kExactIntegerMax;
}

[[noreturn]] void fail_integer(const json::value& json, std::string_view range, const Path& path) {
    if (!json.is_number()) fail_expected(path, "an integer", json);
    if (json.is_double() && !is_exact_integer(json.get_double()))
        fail(path, fmt::format("expected an integer, found {}", shown(json)));
    fail(path, fmt::format("expected an integer from {}, found {}", range, shown(json)));
}

}  // namespace

// --- Errors -------------------------------------------------------------------------------------

std::string Path::text() const {
    if (parent == nullptr) return "$";
    std::string out = parent->text();
    if (key.data() == nullptr)
        out += fmt::format("[{}]", index);
    else if (is_identifier(key))
        out.append(".").append(key);
    else
        out += fmt::format("[\"{}\"]", base::truncate(key, 60));
    return out;
}

void fail(const Path& path, std::string_view problem) {
    throw Error{ErrorCode::BadValue, fmt::format("{}: {}", path.text(), problem)};
}

void fail_expected(const Path& path, std::string_view expected, const json::value& found) {
    fail(path, fmt::format("expected {}, found {}", expected, kind_of(found)));
}

void fail_in_codec(const Path& path, std::string_view problem) {
    if (!problem.starts_with('$')) fail(path, problem);
    throw Error{ErrorCode::BadValue, path.text().append(problem.substr(1))};
}

void fail_too_deep(const Path& path) {
    // The whole path would be 256 members long: its start says enough.
    throw Error{ErrorCode::BadValue, fmt::format("{}: nested deeper than {} levels",
                                                 base::truncate(path.text(), 80), kDepthMax)};
}

// --- Documents ----------------------------------------------------------------------------------

Document::Document(std::string_view text)
    : memory_(buffer_, sizeof buffer_), root_(parse(text, &memory_)) {}

const json::object& as_object(const json::value& value, const Path& path) {
    if (!value.is_object()) fail_expected(path, "an object", value);
    return value.get_object();
}

const json::array& as_array(const json::value& value, const Path& path) {
    if (!value.is_array()) fail_expected(path, "an array", value);
    return value.get_array();
}

const json::array& as_array_of(std::size_t size, const json::value& value, const Path& path) {
    const auto& array = as_array(value, path);
    if (array.size() != size)
        fail(path, fmt::format("expected an array of {}, found one of {}", size, array.size()));
    return array;
}

const json::value* find_member(const json::object& object, std::string_view name,
                               std::size_t& next) noexcept {
    if (next < object.size()) {
        const auto& entry = *(object.begin() + static_cast<std::ptrdiff_t>(next));
        if (std::string_view(entry.key().data(), entry.key().size()) == name) {
            ++next;
            return &entry.value();
        }
    }
    const auto found = object.find(json::string_view(name.data(), name.size()));
    if (found == object.end()) return nullptr;
    next = static_cast<std::size_t>(found - object.begin()) + 1;
    return &found->value();
}

const json::value& member_or_null(const json::object& object, std::string_view name) {
    static const json::value null;
    const auto* found = object.if_contains(json::string_view(name.data(), name.size()));
    return found != nullptr ? *found : null;
}

// --- Scalars ------------------------------------------------------------------------------------

bool read_bool(const json::value& value, const Path& path) {
    if (!value.is_bool()) fail_expected(path, "a boolean", value);
    return value.get_bool();
}

std::int64_t read_signed(const json::value& value, std::int64_t min, std::int64_t max,
                         const Path& path) {
    std::int64_t number = 0;
    bool fits = false;
    if (value.is_int64()) {
        number = value.get_int64();
        fits = true;
    } else if (value.is_double() && is_exact_integer(value.get_double())) {
        number = static_cast<std::int64_t>(value.get_double());
        fits = true;
    }
    if (!fits || number < min || number > max)
        fail_integer(value, fmt::format("{} to {}", min, max), path);
    return number;
}

std::uint64_t read_unsigned(const json::value& value, std::uint64_t max, const Path& path) {
    std::uint64_t number = 0;
    bool fits = false;
    if (value.is_uint64()) {
        number = value.get_uint64();
        fits = true;
    } else if (value.is_int64() && value.get_int64() >= 0) {
        number = static_cast<std::uint64_t>(value.get_int64());
        fits = true;
    } else if (value.is_double() && value.get_double() >= 0 &&
               is_exact_integer(value.get_double())) {
        number = static_cast<std::uint64_t>(value.get_double());
        fits = true;
    }
    if (!fits || number > max) fail_integer(value, fmt::format("0 to {}", max), path);
    return number;
}

double read_double(const json::value& value, const Path& path) {
    if (value.is_double()) return value.get_double();
    if (value.is_int64()) return static_cast<double>(value.get_int64());
    if (value.is_uint64()) return static_cast<double>(value.get_uint64());
    fail_expected(path, "a number", value);
}

float read_float(const json::value& value, const Path& path) {
    // Halfway from the largest float to what would be the next: from here on it rounds to infinity.
    // (The shortest text of the largest float is a little above it.)
    constexpr double kTooLarge = 0x1.ffffffp127;
    const double number = read_double(value, path);
    if (std::abs(number) >= kTooLarge)
        fail(path, fmt::format("expected a number that a float can hold, found {}", number));
    return static_cast<float>(number);
}

std::string_view read_text(const json::value& value, const Path& path) {
    if (!value.is_string()) fail_expected(path, "a string", value);
    return view(value.get_string());
}

Bytes read_base64(const json::value& value, const Path& path) {
    auto bytes = base::decode_base64(read_text(value, path));
    if (!bytes) fail(path, "expected base64, found other text");
    return Bytes{*std::move(bytes)};
}

void read_null(const json::value& value, const Path& path) {
    if (!value.is_null()) fail_expected(path, "null", value);
}

json::value read_any(const json::value& value) {
    // A copy in memory of its own: the document's is gone when the caller looks at it.
    return json::value(value, json::storage_ptr());
}

bool is_number(std::string_view text) noexcept {
    const auto digits = [&text] {
        std::size_t count = 0;
        while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
        text.remove_prefix(count);
        return count;
    };
    if (text.starts_with('-')) text.remove_prefix(1);
    const bool leading_zero = text.starts_with('0');
    const std::size_t whole = digits();
    if (whole == 0 || (leading_zero && whole > 1)) return false;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (digits() == 0) return false;
    }
    if (text.starts_with('e') || text.starts_with('E')) {
        text.remove_prefix(1);
        if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
        if (digits() == 0) return false;
    }
    return text.empty();
}

std::optional<std::string_view> plain_text(std::string_view text) noexcept {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    for (std::size_t at = 0; at < text.size();) {
        at += base::plain_prefix(text.substr(at));
        if (at == text.size()) break;
        if (static_cast<unsigned char>(text[at]) < 0x80) return std::nullopt;
        const std::size_t length = base::utf8_sequence(text.substr(at));
        if (length == 0) return std::nullopt;
        at += length;
    }
    return text;
}

// --- Names --------------------------------------------------------------------------------------

std::int64_t read_enum(const json::value& value, const EnumName* names, std::size_t count,
                       const Path& path) {
    if (value.is_string()) {
        for (const EnumName* n = names; n != names + count; ++n)
            if (n->name == view(value.get_string())) return n->value;
    }
    std::string known;
    for (const EnumName* n = names; n != names + count; ++n)
        known += fmt::format("{}\"{}\"", n == names ? "" : ", ", n->name);
    fail(path, fmt::format("expected one of {}, found {}", known, shown(value)));
}

std::size_t read_alternative(const json::object& object, const std::string_view* names,
                             std::size_t count, const Path& path) {
    const json::value& type = member_or_null(object, "type");
    for (std::size_t i = 0; i < count; ++i) {
        if (type.is_string() && !names[i].empty() && view(type.get_string()) == names[i]) return i;
        if (type.is_int64() && type.get_int64() == static_cast<std::int64_t>(i)) return i;
    }
    std::string known;
    for (std::size_t i = 0; i < count; ++i)
        known += (i == 0 ? "" : ", ") +
                 (names[i].empty() ? fmt::to_string(i) : fmt::format("\"{}\"", names[i]));
    fail(path.member("type"), fmt::format("expected one of {}, found {}", known, shown(type)));
}

}  // namespace belay::detail

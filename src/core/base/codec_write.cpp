// codec_write.cpp — values to JSON text: the parts of belay/codec.hpp that are not templates.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <belay/codec.hpp>

#include "core/base/base64.hpp"
#include "core/base/json_text.hpp"
#include "core/base/limits.hpp"
#include "core/base/utf8.hpp"

namespace belay::detail {
namespace {

static_assert(kDepthMax == base::kJsonDepthMax, "the public headers cannot see base/limits.hpp");

void write_escape(std::string& out, char c) {
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\b':
            out += "\\b";
            return;
        case '\f':
            out += "\\f";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            out += "\\u00";
            out += "0123456789abcdef"[c >> 4];
            out += "0123456789abcdef"[c & 15];
    }
}

[[noreturn]] void fail_not_utf8(std::string_view text, std::size_t at, const Path& path) {
    fail(path,
         fmt::format("text is not UTF-8 (byte 0x{:02x} at {}); bytes that are not text belong "
                     "in belay::Bytes",
                     static_cast<unsigned char>(text[at]), at));
}

template <class Number>
void append_shortest(std::string& out, Number value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out.append(digits, static_cast<std::size_t>(end - digits));
}

void check_finite(double value, const Path& path) {
    if (std::isnan(value)) fail(path, "NaN has no JSON form");
    if (std::isinf(value)) fail(path, "infinity has no JSON form");
}

}  // namespace

void write_text(std::string& out, std::string_view text, const Path& path) {
    out += '"';
    std::size_t at = 0;
    while (true) {
        const std::size_t plain = base::plain_prefix(text.substr(at));
        out.append(text.data() + at, plain);
        at += plain;
        if (at == text.size()) break;
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            write_escape(out, text[at++]);
        } else {
            const std::size_t length = base::utf8_sequence(text.substr(at));
            if (length == 0) fail_not_utf8(text, at, path);
            out.append(text.data() + at, length);
            at += length;
        }
    }
    out += '"';
}

void write_double(std::string& out, double value, const Path& path) {
    check_finite(value, path);
    append_shortest(out, value);
    // Read as an integer, "-0" would lose its sign.
    if (value == 0 && std::signbit(value)) out += ".0";
}

void write_float(std::string& out, float value, const Path& path) {
    check_finite(value, path);
    const std::size_t start = out.size();
    append_shortest(out, value);
    // JSON's numbers are read as doubles. For a few floats (7.038531e-26) the shortest text rounds to
    // another float by way of double; their double's text is longer and exact.
    double read_back = 0;
    std::from_chars(out.data() + start, out.data() + out.size(), read_back);
    if (static_cast<float>(read_back) != value) {
        out.resize(start);
        append_shortest(out, static_cast<double>(value));
    }
    if (value == 0 && std::signbit(value)) out += ".0";
}

void write_base64(std::string& out, const Bytes& bytes) {
    out += '"';
    base::append_base64(out, bytes.data);
    out += '"';
}

namespace {

// A json::value remembers that 5.0 is not an integer, and should after reading too.
void write_any_double(std::string& out, double value, const Path& path) {
    const std::size_t start = out.size();
    write_double(out, value, path);
    if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

void write_array(std::string& out, const boost::json::array& array, const Path& path) {
    check_depth(path);
    out += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
        if (i > 0) out += ',';
        write_any(out, array[i], path.element(i));
    }
    out += ']';
}

void write_object(std::string& out, const boost::json::object& object, const Path& path) {
    check_depth(path);
    out += '{';
    bool first = true;
    for (const auto& entry : object) {
        if (!first) out += ',';
        first = false;
        const Path at = path.member({entry.key().data(), entry.key().size()});
        write_text(out, at.key, at);
        out += ':';
        write_any(out, entry.value(), at);
    }
    out += '}';
}

}  // namespace

void write_any(std::string& out, const boost::json::value& value, const Path& path) {
    switch (value.kind()) {
        case boost::json::kind::null:
            out += "null";
            return;
        case boost::json::kind::bool_:
            out += value.get_bool() ? "true" : "false";
            return;
        case boost::json::kind::int64:
            append_shortest(out, value.get_int64());
            return;
        case boost::json::kind::uint64:
            append_shortest(out, value.get_uint64());
            return;
        case boost::json::kind::double_:
            write_any_double(out, value.get_double(), path);
            return;
        case boost::json::kind::string:
            write_text(out, {value.get_string().data(), value.get_string().size()}, path);
            return;
        case boost::json::kind::array:
            write_array(out, value.get_array(), path);
            return;
        case boost::json::kind::object:
            write_object(out, value.get_object(), path);
            return;
    }
}

void write_sorted(std::string& out, std::vector<std::string> pieces, char open, char close) {
    std::sort(pieces.begin(), pieces.end());
    out += open;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (i > 0) out += ',';
        out += pieces[i];
    }
    out += close;
}

void write_alternative(std::string& out, std::size_t index, std::string_view name) {
    out += "{\"type\":";
    if (name.empty())
        append_shortest(out, index);
    else
        write_text(out, name, Path{});
    out += ",\"value\":";
}

void write_enum(std::string& out, std::int64_t value, const EnumName* names, std::size_t count,
                const Path& path) {
    const EnumName* end = names + count;
    const EnumName* found =
        std::find_if(names, end, [value](const EnumName& n) { return n.value == value; });
    if (found == end) {
        std::string known;
        for (const EnumName* n = names; n != end; ++n)
            known.append(n == names ? "" : ", ").append(n->name);
        fail(path, fmt::format("the enum value {} has no name; it knows {}", value, known));
    }
    out += '"';
    out += found->name;
    out += '"';
}

}  // namespace belay::detail

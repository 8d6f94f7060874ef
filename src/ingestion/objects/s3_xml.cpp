#include "ingestion/objects/s3_xml.hpp"

#include <charconv>

namespace belay::objects {
namespace {

constexpr int kDepthMax = 32;

void append_utf8(std::string& out, unsigned code) {
    const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0U | code >> 6), put(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
        put(0xe0U | code >> 12), put(0x80U | (code >> 6 & 0x3fU)), put(0x80U | (code & 0x3fU));
    } else {
        put(0xf0U | code >> 18), put(0x80U | (code >> 12 & 0x3fU)),
            put(0x80U | (code >> 6 & 0x3fU)), put(0x80U | (code & 0x3fU));
    }
}

class Parser {
public:
    explicit Parser(std::string_view text) : rest_(text) {}

    std::optional<XmlElement> document() {
        if (!skip_misc()) return std::nullopt;
        XmlElement root;
        if (!element(root, 0) || !skip_misc() || !rest_.empty()) return std::nullopt;
        return root;
    }

private:
    bool take(std::string_view start) {
        if (!rest_.starts_with(start)) return false;
        rest_.remove_prefix(start.size());
        return true;
    }

    bool skip_past(std::string_view end) {
        const auto at = rest_.find(end);
        if (at == std::string_view::npos) return false;
        rest_.remove_prefix(at + end.size());
        return true;
    }

    void skip_space() {
        while (!rest_.empty() &&
               std::string_view(" \t\r\n").find(rest_[0]) != std::string_view::npos)
            rest_.remove_prefix(1);
    }

    // Declarations, comments and space around the root.
    bool skip_misc() {
        take("\xef\xbb\xbf");
        while (true) {
            skip_space();
            if (take("<?")) {
                if (!skip_past("?>")) return false;
            } else if (take("<!--")) {
                if (!skip_past("-->")) return false;
            } else {
                return !rest_.starts_with("<!");
            }
        }
    }

    bool name(std::string& out) {
        const auto end = rest_.find_first_of(" \t\r\n/>=<&");
        if (end == 0 || end == std::string_view::npos) return false;
        auto text = rest_.substr(0, end);
        rest_.remove_prefix(end);
        if (const auto colon = text.find(':'); colon != std::string_view::npos)
            text.remove_prefix(colon + 1);
        out = text;
        return !text.empty() && text.find(':') == std::string_view::npos;
    }

    // Attributes are namespaces only: read over. True if the tag ended; `empty` if as <x/>.
    bool attributes(bool& empty) {
        while (true) {
            skip_space();
            if (take("/>")) return empty = true;
            if (take(">")) return true;
            std::string ignored;
            if (!name(ignored)) return false;
            skip_space();
            if (!take("=")) return false;
            skip_space();
            if (rest_.empty() || (rest_[0] != '"' && rest_[0] != '\'')) return false;
            const char quote = rest_[0];
            rest_.remove_prefix(1);
            if (!skip_past(std::string_view(&quote, 1))) return false;
        }
    }

    bool entity(std::string& out) {
        const auto end = rest_.find(';');
        if (end == std::string_view::npos || end > 10) return false;
        const auto what = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        if (what == "lt") return out += '<', true;
        if (what == "gt") return out += '>', true;
        if (what == "amp") return out += '&', true;
        if (what == "quot") return out += '"', true;
        if (what == "apos") return out += '\'', true;
        if (!what.starts_with('#')) return false;
        const bool is_hex = what.size() > 1 && what[1] == 'x';
        const auto digits = what.substr(is_hex ? 2 : 1);
        unsigned code = 0;
        const auto last = digits.data() + digits.size();
        if (digits.empty() ||
            std::from_chars(digits.data(), last, code, is_hex ? 16 : 10).ptr != last || code == 0 ||
            code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
            return false;
        }
        append_utf8(out, code);
        return true;
    }

    bool element(XmlElement& into, int depth) {
        bool empty = false;
        if (depth > kDepthMax || !take("<") || !name(into.name) || !attributes(empty)) return false;
        while (!empty) {
            const auto end = rest_.find_first_of("<&");
            if (end == std::string_view::npos) return false;
            into.text += rest_.substr(0, end);
            rest_.remove_prefix(end);
            if (take("&")) {
                if (!entity(into.text)) return false;
            } else if (take("<!--")) {
                if (!skip_past("-->")) return false;
            } else if (take("<![CDATA[")) {
                const auto close = rest_.find("]]>");
                if (close == std::string_view::npos) return false;
                into.text += rest_.substr(0, close);
                rest_.remove_prefix(close + 3);
            } else if (take("</")) {
                std::string closing;
                if (!name(closing) || closing != into.name) return false;
                skip_space();
                return take(">");
            } else if (!element(into.children.emplace_back(), depth + 1)) {
                return false;
            }
        }
        return true;
    }

    std::string_view rest_;
};

}  // namespace

const XmlElement* XmlElement::child(std::string_view wanted) const {
    for (const auto& child : children)
        if (child.name == wanted) return &child;
    return nullptr;
}

std::string XmlElement::text_of(std::string_view wanted) const {
    const auto* found = child(wanted);
    return found == nullptr ? "" : found->text;
}

std::optional<XmlElement> parse_xml(std::string_view text) { return Parser{text}.document(); }

std::string xml_escape(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '&') {
            result += "&amp;";
        } else if (c == '<') {
            result += "&lt;";
        } else if (c == '>') {
            result += "&gt;";
        } else if (c == '"') {
            result += "&quot;";
        } else {
            result += c;
        }
    }
    return result;
}

}  // namespace belay::objects

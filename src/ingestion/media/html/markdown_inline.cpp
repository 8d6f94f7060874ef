#include "ingestion/media/html/markdown_inline.hpp"

#include <algorithm>

#include "ingestion/media/html/text.hpp"
#include "ingestion/web/url.hpp"

namespace belay::media::html {
namespace {

constexpr char kHardBreak = '\x01';  // never in a page: control characters are not text

// TeX between its delimiters in a text.
struct Formula {
    std::size_t begin = 0, end = 0;
    std::string_view tex{};
    bool display = false;
};

// `$…$` is a formula only if it looks like one: prices have dollars too.
bool looks_like_tex(std::string_view text) {
    if (text.empty() || is_space(text.front()) || is_space(text.back()) || text.size() > 2000)
        return false;
    return text.find_first_of("\\^_{=") != std::string_view::npos;
}

Formula next_formula(std::string_view text, std::size_t from) {
    struct Marks {
        std::string_view open, close;
        bool display, check;
    };
    for (std::size_t at = from; at < text.size(); ++at) {
        if (text[at] != '$' && text[at] != '\\') continue;
        for (const Marks& marks :
             {Marks{"$$", "$$", true, false}, Marks{"\\[", "\\]", true, false},
              Marks{"\\(", "\\)", false, false}, Marks{"$", "$", false, true}}) {
            if (!text.substr(at).starts_with(marks.open)) continue;
            const std::size_t begin = at + marks.open.size();
            const std::size_t end = text.find(marks.close, begin);
            if (end == std::string_view::npos || end == begin) continue;
            const std::string_view tex = text.substr(begin, end - begin);
            if (marks.check && !looks_like_tex(tex)) continue;
            const bool alone = at == 0 && end + marks.close.size() == text.size();
            return {at, end + marks.close.size(), trim(tex), marks.display && alone};
        }
    }
    return {text.size(), text.size(), {}, false};
}

class Inline {
public:
    explicit Inline(const std::string& base) : base_(base) {}

    void node(const Node& node) {
        if (node.is_text()) return text(node.text);
        if (is_invisible(node.tag)) return;
        if (node.has_attribute("data-tex")) return math(node);
        if (node.has_attribute("data-footnote")) return footnote(node);
        switch (node.tag) {
            case Tag::Br:
                return line_break();
            case Tag::Strong:
            case Tag::B:
                return wrapped(node, "**");
            case Tag::Em:
            case Tag::I:
                return wrapped(node, "*");
            case Tag::Del:
            case Tag::S:
            case Tag::Strike:
                return wrapped(node, "~~");
            case Tag::Mark:
                return wrapped(node, "==");
            case Tag::Code:
            case Tag::Tt:
            case Tag::Kbd:
            case Tag::Samp:
                return code(node);
            case Tag::A:
                return link(node);
            case Tag::Img:
                return image(node);
            case Tag::Sup:
                return shifted(node, '^');
            case Tag::Svg:
            case Tag::Video:
            case Tag::Audio:
            case Tag::Iframe:
                return;
            default:
                children(node);
                if (is_block(node.tag)) gap_ = true;
        }
    }

    void run(const Node* first, const Node* end) {
        for (const Node* at = first; at != end; at = at->next) node(*at);
    }

    std::string take() {
        while (!out_.empty() && (out_.back() == kHardBreak || is_space(out_.back())))
            out_.pop_back();
        return replace_all(out_, std::string(1, kHardBreak), "  \n");
    }

private:
    void children(const Node& node) {
        for (const Node* child = node.first; child != nullptr; child = child->next)
            this->node(*child);
    }

    void put(std::string_view piece) {
        if (piece.empty()) return;
        if (gap_ && !out_.empty() && out_.back() != kHardBreak) out_ += ' ';
        gap_ = false;
        out_.append(piece);
    }

    void text(std::string_view raw) {
        const std::string clean = collapse(raw);
        if (!raw.empty() && (clean.empty() || is_space(raw.front()) || raw.starts_with("\xC2\xA0")))
            gap_ = true;
        if (clean.empty()) return;
        put(escape_text(clean));
        gap_ = is_space(raw.back()) || raw.ends_with("\xC2\xA0");
    }

    // Formulas that the page's own script would have rendered stay as they are.
    static std::string escape_text(std::string_view text) {
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            const Formula formula = next_formula(text, at);
            out += escape_markdown(text.substr(at, formula.begin - at));
            if (formula.begin == text.size()) break;
            const std::string_view mark = formula.display ? "$$" : "$";
            out.append(mark).append(formula.tex).append(mark);
            at = formula.end;
        }
        return out;
    }

    void line_break() {
        if (!out_.empty() && out_.back() != kHardBreak) out_ += kHardBreak;
        gap_ = false;
    }

    // The inner text with its outer spaces moved outside: "** a**" would not be bold.
    std::string inside(const Node& node, bool& space_before, bool& space_after) {
        Inline inner{base_};
        inner.children(node);
        const std::string raw = raw_text(node);
        space_before = !raw.empty() && is_space(raw.front());
        space_after = !raw.empty() && is_space(raw.back());
        return inner.take();
    }

    void wrapped(const Node& node, std::string_view mark) {
        bool before = false, after = false;
        const std::string content = inside(node, before, after);
        if (before) gap_ = true;
        if (!content.empty()) {
            // Markup does not nest into itself, and does not cross a line break well.
            const bool plain = content.find("  \n") != std::string::npos ||
                               content.starts_with("![") ||
                               (content.starts_with(mark) && mark == "**");
            if (plain)
                put(content);
            else
                put(std::string{mark} + content + std::string{mark});
        }
        if (after) gap_ = true;
    }

    void code(const Node& node) {
        std::string content = collapse(raw_text(node));
        if (content.empty()) return;
        std::size_t longest = 0, run = 0;
        for (const char c : content) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
        const std::string fence(longest + 1, '`');
        const bool pad = content.front() == '`' || content.back() == '`';
        put(fence + (pad ? " " : "") + content + (pad ? " " : "") + fence);
    }

    void link(const Node& node) {
        bool before = false, after = false;
        std::string content = inside(node, before, after);
        if (before) gap_ = true;
        const std::string target = link_target(node.attribute("href"), base_);
        if (!content.empty()) {
            if (target.empty()) {
                put(content);
            } else {
                std::replace(content.begin(), content.end(), '\n', ' ');
                put("[" + content + "](" + escape_target(target) + ")");
            }
        }
        if (after) gap_ = true;
    }

    void image(const Node& node) {
        const std::string target = link_target(node.attribute("src"), base_);
        if (target.empty() || target.starts_with("data:")) return;
        std::string alt = collapse(node.attribute("alt"));
        put("![" + escape_markdown(alt) + "](" + escape_target(target) + ")");
    }

    static std::string escape_target(const std::string& target) {
        return replace_all(replace_all(replace_all(target, " ", "%20"), "(", "%28"), ")", "%29");
    }

    void shifted(const Node& node, char) { children(node); }

    void math(const Node& node) {
        const std::string tex{trim(node.attribute("data-tex"))};
        if (tex.empty()) return;
        if (!node.has_attribute("data-display")) return put("$" + tex + "$");
        gap_ = true;
        put("$$" + tex + "$$");
        gap_ = true;
    }

    void footnote(const Node& node) {
        gap_ = false;
        out_ += "[^" + std::string{node.attribute("data-footnote")} + "]";
    }

    const std::string& base_;
    std::string out_{};
    bool gap_ = false;
};

}  // namespace

std::string link_target(std::string_view href, const std::string& base) {
    const std::string clean{trim(href)};
    if (clean.empty()) return {};
    const std::string scheme = lower_ascii(clean.substr(0, 11));
    if (scheme.starts_with("javascript:") || scheme.starts_with("vbscript:") ||
        scheme.starts_with("data:text"))
        return {};
    if (clean[0] == '#' || base.empty()) return clean;
    return web::resolve(base, clean).value_or(clean);
}

std::string inline_markdown(const Node& node, const std::string& base) {
    if (node.is_element() && is_block(node.tag)) return inline_markdown(node.first, nullptr, base);
    Inline line{base};
    line.node(node);
    return line.take();
}

std::string inline_markdown(const Node* first, const Node* end, const std::string& base) {
    Inline line{base};
    line.run(first, end);
    return line.take();
}

std::string escape_markdown(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 8);
    for (const char c : text) {
        if (c == '\\' || c == '*' || c == '_' || c == '[' || c == ']' || c == '`') out += '\\';
        out += c;
    }
    return out;
}

std::string escape_line_start(std::string line) {
    if (line.empty()) return line;
    const auto hashes = line.find_first_not_of('#');
    if (hashes != 0 && hashes != std::string::npos && hashes <= 6 && line[hashes] == ' ')
        return "\\" + line;
    if (line[0] == '>') return "\\" + line;
    if ((line[0] == '-' || line[0] == '+') &&
        (line.size() == 1 || line[1] == ' ' || line[1] == line[0]))
        return "\\" + line;
    if (line.starts_with("~~~") || line.starts_with("===")) return "\\" + line;
    std::size_t digits = 0;
    while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') ++digits;
    if (digits > 0 && digits < 10 && digits + 1 < line.size() &&
        (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ')
        return line.substr(0, digits) + "\\" + line.substr(digits);
    return line;
}

}  // namespace belay::media::html

#include "ingestion/web/links.hpp"

#include <algorithm>
#include <set>

#include "core/base/utf8.hpp"
#include "ingestion/web/url.hpp"

namespace belay::web {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Nobody writes brackets inside brackets deeper than this, and whoever looks for the end of each of a million that
// never close must not look far.
constexpr int kDepthMax = 32;
constexpr std::size_t kFar = 2'000;

// The end of `[…]` that opens at `open`, brackets inside counted; npos if it does not close soon.
std::size_t closing_bracket(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size() && i < open + kFar && depth <= kDepthMax; ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '[')
            ++depth;
        else if (text[i] == ']' && --depth == 0)
            return i;
    }
    return std::string_view::npos;
}

// The target in `(…)` that opens at `open`: up to white space (a title follows) or the bracket.
struct Target {
    std::string text{};
    std::size_t end = std::string_view::npos;  // behind the closing bracket
};

Target read_target(std::string_view text, std::size_t open) {
    Target target;
    std::size_t i = open + 1;
    while (i < text.size() && is_space(text[i])) ++i;
    if (i < text.size() && text[i] == '<') {
        const auto close = text.substr(i, kUrlBytesMax).find('>');
        if (close == std::string_view::npos) return target;
        target.text = text.substr(i + 1, close - 1);
        i += close + 1;
    } else {
        int depth = 0;
        const std::size_t begin = i;
        for (; i < text.size() && !is_space(text[i]); ++i) {
            if (text[i] == '(' && ++depth > kDepthMax) return target;
            if (text[i] == ')' && depth-- == 0) break;
            if (i - begin > kUrlBytesMax) return target;
        }
        target.text = text.substr(begin, i - begin);
    }
    const auto close = text.substr(i, kFar).find(')');  // behind a title
    if (close == std::string_view::npos) return target;
    target.end = i + close + 1;
    return target;
}

// A fence or a code span that starts at `at`; its end, or `at` if there is none.
std::size_t skip_code(std::string_view text, std::size_t at) {
    std::size_t ticks = 0;
    while (at + ticks < text.size() && text[at + ticks] == '`') ++ticks;
    const std::string fence(ticks, '`');
    for (auto end = text.find(fence, at + ticks); end != std::string_view::npos;
         end = text.find(fence, end + 1)) {
        const bool longer = end + ticks < text.size() && text[end + ticks] == '`';
        if (!longer && text[end - 1] != '`') return end + ticks;
    }
    return at + ticks;
}

std::string plain(std::string_view markup) {
    std::string out;
    bool gap = false;
    for (std::size_t i = 0; i < markup.size(); ++i) {
        char c = markup[i];
        if (c == '\\' && i + 1 < markup.size())
            c = markup[++i];
        else if (c == '*' || c == '`' || c == '~')
            continue;
        if (is_space(c)) {
            gap = true;
            continue;
        }
        if (gap && !out.empty()) out += ' ';
        gap = false;
        out += c;
    }
    return out;
}

}  // namespace

std::vector<MarkdownLink> markdown_links(std::string_view markdown) {
    std::vector<MarkdownLink> found;
    for (std::size_t at = 0; at < markdown.size() && found.size() < kLinksMax;) {
        const char c = markdown[at];
        if (c == '\\') {
            at += 2;
        } else if (c == '`') {
            at = skip_code(markdown, at);
        } else if (c == '[') {
            const bool picture = at > 0 && markdown[at - 1] == '!';
            const std::size_t close = closing_bracket(markdown, at);
            if (close == std::string_view::npos || close + 1 >= markdown.size() ||
                markdown[close + 1] != '(') {
                ++at;
                continue;
            }
            Target target = read_target(markdown, close + 1);
            if (target.end == std::string_view::npos) {
                ++at;
                continue;
            }
            if (!picture) {
                const std::string_view inside = markdown.substr(at + 1, close - at - 1);
                // A picture that is a link has only the picture's description to say.
                std::string text =
                    inside.starts_with("![")
                        ? plain(inside.substr(2, std::min(inside.find(']'), inside.size()) - 2))
                        : plain(inside);
                found.push_back({std::move(target.text), std::move(text)});
            }
            at = target.end;
        } else {
            ++at;
        }
    }
    return found;
}

std::vector<PageLink> page_links(std::string_view markdown, std::string_view base) {
    std::vector<PageLink> found;
    const std::string home = site_of(base);
    if (home.empty()) return found;
    std::set<std::string> seen;
    if (const auto self = normalize(base)) seen.insert(*self);
    for (const MarkdownLink& link : markdown_links(markdown)) {
        if (link.target.empty() || link.target.front() == '#') continue;
        const auto absolute = resolve(base, link.target);
        const auto url = absolute ? normalize(*absolute) : std::nullopt;
        if (!url || site_of(*url) != home || !seen.insert(*url).second) continue;
        found.push_back({*url, base::truncate(link.text, kAnchorCharsMax)});
    }
    return found;
}

}  // namespace belay::web

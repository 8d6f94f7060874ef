#include "ingestion/media/html/nesting.hpp"

#include <algorithm>
#include <string>

#include "ingestion/media/html/tag.hpp"

namespace belay::media::html {
namespace {

bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

bool may_stay_open(Tag tag) {
    switch (tag) {
        case Tag::P:
        case Tag::Li:
        case Tag::Dt:
        case Tag::Dd:
        case Tag::Td:
        case Tag::Th:
        case Tag::Tr:
        case Tag::Tbody:
        case Tag::Thead:
        case Tag::Tfoot:
        case Tag::Option:
        case Tag::Optgroup:
        case Tag::Colgroup:
        case Tag::Html:
        case Tag::Head:
        case Tag::Body:
        case Tag::Rp:
        case Tag::Rt:
        case Tag::Caption:
        case Tag::A:
            return true;
        default:
            return is_void(tag);
    }
}

bool is_raw(Tag tag) {
    return tag == Tag::Script || tag == Tag::Style || tag == Tag::Textarea || tag == Tag::Title ||
           tag == Tag::Noscript;
}

}  // namespace

std::size_t nesting_of(std::string_view html) {
    std::size_t depth = 0, deepest = 0;
    std::string name;
    for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at)) {
        if (html.substr(at).starts_with("<!--")) {
            const auto end = html.find("-->", at + 4);
            if (end == std::string_view::npos) break;
            at = end + 3;
            continue;
        }
        ++at;
        const bool closes = at < html.size() && html[at] == '/';
        if (closes) ++at;
        if (at >= html.size() || !is_letter(html[at])) continue;
        name.clear();
        while (at < html.size() && name.size() < 20 &&
               (is_letter(html[at]) || (html[at] >= '0' && html[at] <= '9') || html[at] == '-'))
            name += static_cast<char>(html[at++] | 32);
        const Tag tag = tag_of(name);
        if (may_stay_open(tag)) continue;
        if (closes) {
            if (depth > 0) --depth;
            continue;
        }
        deepest = std::max(deepest, ++depth);
        if (is_raw(tag)) {
            // Its content is text; only its own end tag counts.
            std::size_t end = at;
            do {
                end = html.find("</", end + 1);
            } while (end != std::string_view::npos && end + 2 + name.size() <= html.size() &&
                     !std::equal(name.begin(), name.end(),
                                 html.begin() + static_cast<std::ptrdiff_t>(end + 2),
                                 [](char a, char b) { return a == (b | 32); }));
            if (end == std::string_view::npos) break;
            at = end;
        }
    }
    return deepest;
}

}  // namespace belay::media::html

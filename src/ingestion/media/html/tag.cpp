#include "ingestion/media/html/tag.hpp"

#include <algorithm>
#include <array>

namespace belay::media::html {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({
    "a",      "abbr",    "address",  "annotation", "area",       "article",  "aside",
    "audio",  "b",       "base",     "blockquote", "body",       "br",       "button",
    "canvas", "caption", "center",   "cite",       "code",       "col",      "colgroup",
    "dd",     "del",     "details",  "dfn",        "dialog",     "div",      "dl",
    "dt",     "em",      "embed",    "fieldset",   "figcaption", "figure",   "font",
    "footer", "form",    "frame",    "h1",         "h2",         "h3",       "h4",
    "h5",     "h6",      "head",     "header",     "hgroup",     "hr",       "html",
    "i",      "iframe",  "img",      "input",      "ins",        "kbd",      "label",
    "legend", "li",      "link",     "main",       "mark",       "math",     "menu",
    "meta",   "nav",     "noscript", "object",     "ol",         "optgroup", "option",
    "p",      "picture", "pre",      "progress",   "q",          "rp",       "rt",
    "ruby",   "s",       "samp",     "script",     "section",    "select",   "small",
    "source", "span",    "strike",   "strong",     "style",      "sub",      "summary",
    "sup",    "svg",     "table",    "tbody",      "td",         "template", "textarea",
    "tfoot",  "th",      "thead",    "time",       "title",      "tr",       "track",
    "tt",     "u",       "ul",       "var",        "video",      "wbr",
});
static_assert(kNames.size() == static_cast<std::size_t>(Tag::Other));
static_assert(std::is_sorted(kNames.begin(), kNames.end()));

}  // namespace

Tag tag_of(std::string_view name) {
    const auto at = std::lower_bound(kNames.begin(), kNames.end(), name);
    if (at == kNames.end() || *at != name) return Tag::Other;
    return static_cast<Tag>(at - kNames.begin());
}

std::string_view name_of(Tag tag) {
    const auto index = static_cast<std::size_t>(tag);
    return index < kNames.size() ? kNames[index] : std::string_view{};
}

bool is_heading(Tag tag) { return tag >= Tag::H1 && tag <= Tag::H6; }

int level_of(Tag tag) {
    return is_heading(tag) ? static_cast<int>(tag) - static_cast<int>(Tag::H1) + 1 : 0;
}

bool is_block(Tag tag) {
    switch (tag) {
        case Tag::Address:
        case Tag::Article:
        case Tag::Aside:
        case Tag::Blockquote:
        case Tag::Body:
        case Tag::Caption:
        case Tag::Center:
        case Tag::Dd:
        case Tag::Details:
        case Tag::Dialog:
        case Tag::Div:
        case Tag::Dl:
        case Tag::Dt:
        case Tag::Fieldset:
        case Tag::Figcaption:
        case Tag::Figure:
        case Tag::Footer:
        case Tag::Form:
        case Tag::H1:
        case Tag::H2:
        case Tag::H3:
        case Tag::H4:
        case Tag::H5:
        case Tag::H6:
        case Tag::Header:
        case Tag::Hgroup:
        case Tag::Hr:
        case Tag::Html:
        case Tag::Legend:
        case Tag::Li:
        case Tag::Main:
        case Tag::Menu:
        case Tag::Nav:
        case Tag::Ol:
        case Tag::Optgroup:
        case Tag::Option:
        case Tag::P:
        case Tag::Pre:
        case Tag::Section:
        case Tag::Summary:
        case Tag::Table:
        case Tag::Tbody:
        case Tag::Td:
        case Tag::Tfoot:
        case Tag::Th:
        case Tag::Thead:
        case Tag::Tr:
        case Tag::Ul:
            return true;
        default:
            return false;
    }
}

bool is_void(Tag tag) {
    switch (tag) {
        case Tag::Area:
        case Tag::Base:
        case Tag::Br:
        case Tag::Col:
        case Tag::Embed:
        case Tag::Hr:
        case Tag::Img:
        case Tag::Input:
        case Tag::Link:
        case Tag::Meta:
        case Tag::Source:
        case Tag::Track:
        case Tag::Wbr:
            return true;
        default:
            return false;
    }
}

bool is_invisible(Tag tag) {
    switch (tag) {
        case Tag::Head:
        case Tag::Link:
        case Tag::Meta:
        case Tag::Noscript:
        case Tag::Script:
        case Tag::Style:
        case Tag::Template:
        case Tag::Title:
            return true;
        default:
            return false;
    }
}

}  // namespace belay::media::html

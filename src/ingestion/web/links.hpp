// links.hpp — the links of a Markdown document that lead to other pages of its site.
//
// The rules of spec/FACTS.md B2: relative ones are resolved; fragments, mail addresses, pictures and
// other sites are left out; what a reader clicked on is kept, cut at 500 characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

namespace belay::web {

inline constexpr std::size_t kAnchorCharsMax = 500;
inline constexpr std::size_t kLinksMax =
    10'000;  // of one document; a page with more is a directory

struct PageLink {
    std::string url{};          // normalised: one spelling for one page
    std::string anchor_text{};  // what the link said, without markup
};
BOOST_DESCRIBE_STRUCT(PageLink, (), (url, anchor_text))

// Links of `markdown`, which was read from the page at `base`, to pages of the same site ("www." does
// not matter) other than itself: each target once, with its first anchor text, in order.
std::vector<PageLink> page_links(std::string_view markdown, std::string_view base);

// Every link of a Markdown text as written: target and anchor, pictures and code left out.
struct MarkdownLink {
    std::string target{};
    std::string text{};
};
std::vector<MarkdownLink> markdown_links(std::string_view markdown);

}  // namespace belay::web

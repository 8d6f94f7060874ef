#include "ingestion/web/links.hpp"

#include <string>

#include <gtest/gtest.h>

namespace belay::web {
namespace {

std::vector<std::string> targets(std::string_view markdown,
                                 std::string_view base = "https://www.example.com/docs/page") {
    std::vector<std::string> found;
    for (const auto& link : page_links(markdown, base)) found.push_back(link.url);
    return found;
}

using Urls = std::vector<std::string>;

TEST(PageLinks, relative_parent_and_absolute_links_of_the_site_are_kept) {
    EXPECT_EQ(targets("[a](other) [b](../up#part) [c](https://example.com/c) [d](//example.com/d)"),
              (Urls{"https://www.example.com/docs/other", "https://www.example.com/up",
                    "https://example.com/c", "https://example.com/d"}));
}

TEST(PageLinks, anchors_mail_pictures_code_and_other_sites_are_left_out) {
    EXPECT_EQ(
        targets("[a](#x) [b](mailto:a@example.com) ![c](pic.png) `[d](code)` "
                "[e](https://other.org/) [f](javascript:1)\n```\n[g](fenced)\n```\n\\[h](no)"),
        Urls{});
}

TEST(PageLinks, titles_and_angle_brackets_are_not_part_of_the_address) {
    EXPECT_EQ(targets("[a](b \"A title (with brackets)\") [c](<d e>) [f](g_(h))"),
              (Urls{"https://www.example.com/docs/b", "https://www.example.com/docs/d%20e",
                    "https://www.example.com/docs/g_(h)"}));
}

TEST(PageLinks, each_page_comes_once_and_never_the_page_itself) {
    EXPECT_EQ(targets("[a](x?utm_source=1) [b](x#y) [self](page) [self](/docs/page?utm_x=1)"),
              Urls{"https://www.example.com/docs/x"});
}

TEST(PageLinks, what_the_link_said_is_kept_without_markup_and_cut) {
    const auto found = page_links(
        "[the **`bold`** \\[one\\]](a) [![A picture](p.png)](b) [" + std::string(600, 'x') + "](c)",
        "https://example.com/");
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].anchor_text, "the bold [one]");
    EXPECT_EQ(found[1].anchor_text, "A picture");
    EXPECT_EQ(found[2].anchor_text.size(), 499 + std::string{"…"}.size());
}

TEST(PageLinks, targets_that_do_not_close_cost_no_time) {
    // Each of a million beginnings of a link looks for its end; looking to the end of the text takes hours.
    for (const std::string_view start : {"[](", "[](<", "[](a \"", "[](()", "[[]"}) {
        std::string text;
        while (text.size() < 3'000'000) text += start;
        EXPECT_TRUE(markdown_links(text).empty()) << start;
    }
}

TEST(PageLinks, a_target_may_have_brackets_of_its_own) {
    const auto links = markdown_links(
        "[a](https://example.org/x_(y)_(z) \"t (u\") [b](<https://example.org/v w>)");

    ASSERT_EQ(links.size(), 2u);
    EXPECT_EQ(links[0].target, "https://example.org/x_(y)_(z)");
    EXPECT_EQ(links[1].target, "https://example.org/v w");
}

TEST(PageLinks, brackets_that_do_not_close_cost_no_time) {
    EXPECT_TRUE(targets(std::string(200'000, '[')).empty());
    EXPECT_TRUE(targets("[a](" + std::string(200'000, '(')).empty());
}

}  // namespace
}  // namespace belay::web

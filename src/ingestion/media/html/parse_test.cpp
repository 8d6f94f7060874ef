#include "ingestion/media/html/parse.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "core/base/utf8.hpp"
#include "ingestion/media/html/attributes.hpp"
#include "ingestion/media/html/nesting.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

TEST(Attributes, a_tag_keeps_its_first_ones_and_the_page_the_rest_of_its_text) {
    const std::string page = "<p id=a b='>' c>one</p><!-- <p x> --><br/>1 < 2 <a href=\"x\">";
    EXPECT_EQ(with_few_attributes(page), page);
    std::string many;
    for (std::size_t i = 0; i < kAttributesMax + 9; ++i) many += " a" + std::to_string(i) + "='>'";
    const auto cut = with_few_attributes("<p" + many + ">text</p>");
    EXPECT_EQ(std::ranges::count(cut, '='), static_cast<std::ptrdiff_t>(kAttributesMax));
    EXPECT_TRUE(cut.ends_with("'>'>text</p>")) << cut.substr(cut.size() - 40);
    const auto bodies = with_few_attributes("<body" + many + "><body" + many + ">text");
    EXPECT_EQ(std::ranges::count(bodies, '='), static_cast<std::ptrdiff_t>(kAttributesMax));
    EXPECT_TRUE(bodies.ends_with("><body>text"));
    EXPECT_EQ(with_few_attributes("<p a='"), "<p a='");
}

TEST(Parse, gives_a_tree_with_attributes_and_text) {
    const Document page = parse("<p ID=a class='x y'>one <b>two</b></p>");

    const Node* const paragraph = element_by_id(page.html(), "a");
    ASSERT_NE(paragraph, nullptr);
    EXPECT_EQ(paragraph->tag, Tag::P);
    EXPECT_TRUE(has_class(*paragraph, "y"));
    EXPECT_EQ(inner_text(*paragraph), "one two");
}

TEST(Parse, a_character_by_a_number_beyond_all_characters_leaves_text_that_is_utf8) {
    const Document page = parse(
        "<p title='&#xD80999999999999999999990;'>a&#xD80999999999999999999990;b&#99999999999;</p>");

    const Node* const paragraph = first_element(*page.body());
    ASSERT_NE(paragraph, nullptr);
    EXPECT_TRUE(base::is_utf8(inner_text(*paragraph)));
    EXPECT_TRUE(base::is_utf8(paragraph->attributes.at(0).value));
}

TEST(Parse, keeps_the_names_of_unknown_elements) {
    const Document page = parse("<My-Box>x</My-Box>");

    const Node* const box = first_element(*page.body());
    ASSERT_NE(box, nullptr);
    EXPECT_EQ(box->tag, Tag::Other);
    EXPECT_EQ(box->name(), "my-box");
}

TEST(Parse, reads_noscript_as_text_so_that_it_cannot_swallow_the_page) {
    const Document page = parse("<body><noscript><div></noscript><p>article</p>");

    ASSERT_EQ(elements(page.html(), Tag::P).size(), 1u);
    EXPECT_EQ(elements(page.html(), Tag::P)[0]->parent->tag, Tag::Body);
    EXPECT_EQ(inner_text(*page.body()), "article");
}

TEST(Parse, flattens_what_is_nested_too_deeply_and_loses_no_text) {
    std::string html;
    for (int i = 0; i < 5'000; ++i) html += "<div>";
    html += "deep";

    const Document page = parse(html);

    EXPECT_EQ(inner_text(page.html()), "deep");
    int depth = 0;
    for (const Node* at = page.html().first; at != nullptr; at = at->last) ++depth;
    EXPECT_LE(depth, kTreeDepthMax + 1);
}

TEST(Parse, refuses_a_page_over_a_limit_and_says_which) {
    const auto message = [](const ParseLimits& limits) -> std::string {
        std::string html;
        for (int i = 0; i < 2000; ++i) html += "<b id=" + std::to_string(i) + ">";
        try {
            parse(html, limits);
            return "accepted";
        } catch (const PageRefused& refused) {
            return refused.what();
        }
    };
    EXPECT_NE(message({.bytes_max = 100}).find("bytes"), std::string::npos);
    EXPECT_NE(message({.nodes_max = 100}).find("nodes"), std::string::npos);
    EXPECT_NE(message({.memory_max = 100'000}).find("memory"), std::string::npos);
    EXPECT_NE(message({.nesting_max = 100}).find("nests 2000 elements"), std::string::npos);
    EXPECT_EQ(message({}), "accepted");
}

TEST(Nesting, counts_what_is_open_and_not_what_closes_itself) {
    EXPECT_EQ(nesting_of("<div><p>a<p>b<p>c<br><img></div><div><b>x</b></div>"), 2u);
    EXPECT_EQ(nesting_of("<script>if (a<b) x('<div><div><div>')</script><i>"), 1u);
    EXPECT_EQ(nesting_of("<!-- <div><div> --><div></DIV></div>"), 1u);
    EXPECT_EQ(nesting_of("<h1>x</h1><h2>y</h2>"), 1u);
}

TEST(Parse, takes_any_bytes_without_complaint) {
    for (const std::string_view html : {"", "<", "<!", "<!--", "<p", "</", "<a href=", "&#x110000;",
                                        "<table><p><tr>", "<svg><p></svg>", "<frameset><frame>"})
        EXPECT_NO_THROW(parse(html)) << html;
}

}  // namespace
}  // namespace belay::media::html

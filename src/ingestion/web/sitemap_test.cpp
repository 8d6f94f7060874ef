#include "ingestion/web/sitemap.hpp"

#include <string>

#include <gtest/gtest.h>

namespace belay::web {
namespace {

TEST(Sitemap, lists_pages_with_their_dates) {
    const Sitemap map = parse_sitemap(
        "<?xml version='1.0'?><urlset xmlns='x'><!-- <url><loc>http://no/</loc></url> -->"
        "<url><loc> https://example.com/a?x=1&amp;y=2#f "
        "</loc><lastmod>2020-01-31</lastmod><image:loc>https://example.com/i.png</image:loc></url>"
        "<url><loc><![CDATA[https://example.com/b]]></loc></url><url><loc>mailto:a@b</loc></url></"
        "urlset>");

    ASSERT_EQ(map.pages.size(), 2u);
    EXPECT_EQ(map.pages[0].url, "https://example.com/a?x=1&y=2");
    EXPECT_EQ(map.pages[0].last_modified, "2020-01-31");
    EXPECT_EQ(map.pages[1].url, "https://example.com/b");
    EXPECT_TRUE(map.sitemaps.empty());
}

TEST(Sitemap, ampersands_that_begin_no_entity_cost_no_time) {
    const std::string many(3'000'000, '&');
    EXPECT_TRUE(
        parse_sitemap("<urlset><url><loc>" + many + ";</loc></url></urlset>").pages.empty());
}

TEST(Sitemap, an_index_lists_other_sitemaps) {
    const Sitemap map = parse_sitemap(
        "<sitemapindex><sitemap><loc>https://example.com/1.xml.gz</loc></sitemap></sitemapindex>");
    ASSERT_EQ(map.sitemaps.size(), 1u);
    EXPECT_EQ(map.sitemaps[0].url, "https://example.com/1.xml.gz");
}

TEST(Sitemap, may_be_a_feed_or_a_list_of_lines) {
    EXPECT_EQ(parse_sitemap(
                  "<rss><channel><item><link>https://example.com/a</link></item></channel></rss>")
                  .pages.size(),
              1u);
    EXPECT_EQ(
        parse_sitemap(
            "<feed><entry><link rel='alternate' href='https://example.com/a'/></entry></feed>")
            .pages.size(),
        1u);
    EXPECT_EQ(
        parse_sitemap("https://example.com/a\r\nhttps://example.com/b\n\nnonsense\n").pages.size(),
        2u);
}

TEST(Sitemap, says_when_there_was_more_than_it_takes) {
    std::string lines;
    for (std::size_t i = 0; i < kSitemapUrlsMax + 1; ++i)
        lines += "http://a/" + std::to_string(i) + "\n";
    const Sitemap map = parse_sitemap(lines);
    EXPECT_EQ(map.pages.size(), kSitemapUrlsMax);
    EXPECT_TRUE(map.truncated);
}

TEST(Sitemap, that_is_none_is_empty) {
    for (const auto* text :
         {"", "<", "<url><loc>", "<urlset><url><loc>http://a/", "{}", "<![CDATA["})
        EXPECT_TRUE(parse_sitemap(text).pages.empty()) << text;
}

}  // namespace
}  // namespace belay::web

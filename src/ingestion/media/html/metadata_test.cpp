#include "ingestion/media/html/metadata.hpp"

#include <string>

#include <gtest/gtest.h>

#include "ingestion/media/html/parse.hpp"

namespace belay::media::html {
namespace {

Metadata metadata_of(const std::string& html,
                     const std::string& url = "https://www.example.com/a") {
    return read_metadata(parse(html), url);
}

TEST(Metadata, the_title_loses_the_name_of_the_site) {
    EXPECT_EQ(metadata_of("<title>The flood | Example</title>").title, "The flood");
    EXPECT_EQ(metadata_of("<title>News: rivers - The flood - Daily Post</title><meta "
                          "property=og:site_name content='Daily Post'>")
                  .title,
              "News: rivers - The flood");
    EXPECT_EQ(metadata_of("<title>A - B story of the river - The Long Name of a Paper</title><h1>A "
                          "- B story of the river</h1>")
                  .title,
              "A - B story of the river");
    EXPECT_EQ(
        metadata_of("<title>x</title><meta property=og:title content='The flood — Example'>").title,
        "The flood");
    EXPECT_EQ(metadata_of("<title>Rust - a language</title>").title, "Rust - a language");
}

TEST(Metadata, json_ld_says_who_and_when_also_through_references) {
    const Metadata found = metadata_of(R"(<script type="application/ld+json">{"@graph": [
        {"@type": "WebSite", "name": "The Daily"},
        {"@type": "NewsArticle", "headline": "The flood", "datePublished": "2020-01-31T22:00:00-05:00", "author": {"@id": "#p"}},
        {"@type": "Person", "@id": "#p", "name": "Ada Berg"},],
    }</script>)");

    EXPECT_EQ(found.author, "Ada Berg");
    EXPECT_EQ(found.date, "2020-01-31");
    EXPECT_EQ(found.site, "The Daily");
    EXPECT_EQ(found.title, "The flood");
}

TEST(Metadata, broken_json_ld_is_passed_over) {
    EXPECT_EQ(metadata_of("<title>T</title><script type=application/ld+json>{\"@type\": "
                          "\"Article\", oops</script>")
                  .author,
              "");
    std::string deep(100'000, '[');
    EXPECT_NO_THROW(metadata_of("<script type=application/ld+json>" + deep + "</script>"));
}

TEST(Metadata, an_author_keeps_the_last_letter_whatever_its_bytes) {
    EXPECT_EQ(metadata_of("<meta charset=utf-8><meta name=author content='Ada Berg\u00d3'>").author,
              "Ada Berg\u00d3");
    EXPECT_EQ(metadata_of("<meta charset=utf-8><meta name=author content='Ada Berg\u00c0 \u2013'>")
                  .author,
              "Ada Berg\u00c0");
}

TEST(Metadata, the_author_is_a_name_without_decoration) {
    EXPECT_EQ(metadata_of("<meta name=author content='By Ada Berg'>").author, "Ada Berg");
    EXPECT_EQ(metadata_of("<body><p class=byline>Von <a>Ada Berg</a> | 3 Min.</p>").author,
              "Ada Berg");
    EXPECT_EQ(metadata_of("<body><p>Von Ada Berg</p>").author, "Ada Berg");
    EXPECT_EQ(metadata_of("<meta name=author content=admin><body><span itemprop=author><b "
                          "itemprop=name>Ada Berg</b></span>")
                  .author,
              "Ada Berg");
    EXPECT_EQ(
        metadata_of("<meta property=article:author content='https://facebook.com/ada'>").author,
        "");
    EXPECT_EQ(metadata_of("<meta name=citation_author content='Ada Berg'><meta "
                          "name=citation_author content='Bo Ek'>")
                  .author,
              "Ada Berg, Bo Ek");
}

TEST(Metadata, the_date_comes_from_meta_time_address_or_text) {
    EXPECT_EQ(metadata_of("<meta property=article:published_time content=2020-01-31T10:00Z>").date,
              "2020-01-31");
    EXPECT_EQ(metadata_of("<body><time datetime='2020-01-31 10:00'>today</time>").date,
              "2020-01-31");
    EXPECT_EQ(metadata_of("", "https://example.com/2020/01/31/flood").date, "2020-01-31");
    EXPECT_EQ(metadata_of("<body><p>Published 31 January 2020</p>").date, "2020-01-31");
    EXPECT_EQ(metadata_of("<html lang=en><body><p>1/31/2020</p>").date, "2020-01-31");
    EXPECT_EQ(metadata_of("<body><p>© 2020</p>").date, "");
}

TEST(Metadata, relative_links_lead_from_the_base_element_or_from_where_a_saved_page_came_from) {
    EXPECT_EQ(metadata_of("<base href=/deep/>").base_url, "https://www.example.com/deep/");
    EXPECT_EQ(metadata_of("<!-- saved from url=(0025)https://example.org/x/y --><p>", "").base_url,
              "https://example.org/x/y");
    EXPECT_EQ(metadata_of("<link rel=canonical href=https://example.org/c>", "").base_url,
              "https://example.org/c");
    EXPECT_EQ(metadata_of("<base href=javascript:1>").base_url, "https://www.example.com/a");
}

}  // namespace
}  // namespace belay::media::html

#include "ingestion/web/robots.hpp"

#include <string>

#include <gtest/gtest.h>

namespace belay::web {
namespace {

TEST(Robots, without_rules_everything_is_allowed) {
    EXPECT_TRUE(Robots{}.allows("/a"));
    EXPECT_TRUE(Robots("", "belay").allows("/"));
    EXPECT_TRUE(Robots("<html>not found</html>", "belay").allows("/"));
}

TEST(Robots, the_group_that_names_us_replaces_the_one_for_everybody) {
    const Robots robots(
        "User-agent: *\nDisallow: /\n\nUser-Agent: Other\nUser-agent: BELAY/1.0\nDisallow: "
        "/private # mine\n",
        "belay");
    EXPECT_TRUE(robots.allows("/open"));
    EXPECT_FALSE(robots.allows("/private/x"));
    EXPECT_FALSE(Robots("User-agent: *\nDisallow: /", "belay").allows("/open"));
}

TEST(Robots, groups_of_the_same_name_are_one) {
    const Robots robots(
        "user-agent: belay\ndisallow: /a\nuser-agent: x\ndisallow: /\nuser-agent: belay\ndisallow: "
        "/b",
        "belay");
    EXPECT_FALSE(robots.allows("/a"));
    EXPECT_FALSE(robots.allows("/b"));
    EXPECT_TRUE(robots.allows("/c"));
}

TEST(Robots, the_longest_rule_decides_and_allow_wins_a_draw) {
    const Robots robots("User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /x\nAllow: /x",
                        "belay");
    EXPECT_FALSE(robots.allows("/a/c"));
    EXPECT_TRUE(robots.allows("/a/b/c"));
    EXPECT_TRUE(robots.allows("/x"));
}

TEST(Robots, patterns_have_stars_and_an_end) {
    const Robots robots("User-agent: *\nDisallow: /*.pdf$\nDisallow: /*/secret\nDisallow: /%7Eme",
                        "belay");
    EXPECT_FALSE(robots.allows("/a/b.pdf"));
    EXPECT_TRUE(robots.allows("/a/b.pdf?x"));
    EXPECT_FALSE(robots.allows("/q/secret/1"));
    EXPECT_FALSE(robots.allows("/~me"));
    EXPECT_TRUE(robots.allows("/secret"));
}

TEST(Robots, tell_the_delay_and_the_sitemaps) {
    const Robots robots(
        "Sitemap: https://example.com/a.xml\nUser-agent: *\nCrawl-delay: 2.5\nsitemap: "
        "https://example.com/b.xml",
        "belay");
    EXPECT_EQ(robots.crawl_delay(), 2.5);
    EXPECT_EQ(robots.sitemaps().size(), 2u);
    EXPECT_EQ(Robots("User-agent: *\nCrawl-delay: 1e99", "belay").crawl_delay(), 86400.0);
}

TEST(Robots, lines_end_in_every_way_that_files_have) {
    for (const std::string_view end : {"\n", "\r\n", "\r"}) {
        std::string text = "User-agent: *";
        text.append(end).append("Disallow: /a").append(end).append("Allow: /a/b").append(end);
        const Robots robots{text, "belay"};
        EXPECT_FALSE(robots.allows("/a/c"));
        EXPECT_TRUE(robots.allows("/a/b"));
    }
}

TEST(Robots, a_hostile_pattern_costs_no_time) {
    std::string pattern = "User-agent: *\nDisallow: ";
    for (int i = 0; i < 900; ++i) pattern += "*a";
    EXPECT_TRUE(Robots(pattern + "b", "belay").allows("/" + std::string(8000, 'a')));
}

}  // namespace
}  // namespace belay::web

#include "ingestion/web/url.hpp"

#include <gtest/gtest.h>

namespace belay::web {
namespace {

TEST(Url, is_taken_apart_and_put_together_again) {
    const auto url = parse_url("HTTPS://User:pw@Example.COM:8443/a/b?q=1#frag");
    ASSERT_TRUE(url);
    EXPECT_EQ(url->host, "example.com");
    EXPECT_EQ(url->port_or_default(), 8443);
    EXPECT_EQ(url->query, "q=1");
    EXPECT_EQ(url->text(), "https://User:pw@example.com:8443/a/b?q=1#frag");
    EXPECT_EQ(parse_url("http://example.com")->text(), "http://example.com/");
    EXPECT_EQ(parse_url("http://[::1]:80/")->host, "[::1]");
    EXPECT_EQ(parse_url("mailto:a@b.c")->scheme, "mailto");
}

TEST(Url, that_cannot_be_fetched_is_refused) {
    for (const auto* text : {"", "example.com", "/a", "http://", "http:///a", "http://a:99999/",
                             "http://a b/", "http://a%2fb/", "http://ex<ample/"})
        EXPECT_FALSE(parse_url(text)) << text;
    EXPECT_FALSE(parse_url("http://a/" + std::string(9000, 'x')));
}

TEST(Url, resolves_as_the_standard_says) {
    // RFC 3986 §5.4.
    const auto from = [](std::string_view reference) {
        return resolve("http://a/b/c/d;p?q", reference).value_or("none");
    };
    EXPECT_EQ(from("g:h"), "g:h");
    EXPECT_EQ(from("g"), "http://a/b/c/g");
    EXPECT_EQ(from("./g"), "http://a/b/c/g");
    EXPECT_EQ(from("g/"), "http://a/b/c/g/");
    EXPECT_EQ(from("/g"), "http://a/g");
    EXPECT_EQ(from("//g"), "http://g/");
    EXPECT_EQ(from("?y"), "http://a/b/c/d;p?y");
    EXPECT_EQ(from("g?y#s"), "http://a/b/c/g?y#s");
    EXPECT_EQ(from("#s"), "http://a/b/c/d;p?q#s");
    EXPECT_EQ(from(""), "http://a/b/c/d;p?q");
    EXPECT_EQ(from("."), "http://a/b/c/");
    EXPECT_EQ(from(".."), "http://a/b/");
    EXPECT_EQ(from("../g"), "http://a/b/g");
    EXPECT_EQ(from("../../../g"), "http://a/g");
    EXPECT_EQ(from("g;x=1/../y"), "http://a/b/c/y");
}

TEST(Url, is_repaired_as_browsers_do) {
    EXPECT_EQ(resolve("http://a/", " /b c\n "), "http://a/b%20c");
    EXPECT_EQ(resolve("http://a/", "räv"), "http://a/r%C3%A4v");
    EXPECT_EQ(resolve("http://a/", "http:\\\\b\\c"), "http://b/c");
    EXPECT_FALSE(resolve("not a base", "x"));
}

TEST(Url, has_one_spelling_when_normalised) {
    EXPECT_EQ(normalize("HTTP://Example.com:80/%7euser/./a/../b?utm_source=x&q=1&fbclid=2#top"),
              "http://example.com/~user/b?q=1");
    EXPECT_EQ(normalize("https://example.com?utm_medium=x"), "https://example.com/");
    EXPECT_EQ(normalize("https://example.com/a%2fb"), "https://example.com/a%2Fb");
    EXPECT_FALSE(normalize("ftp://example.com/"));
    EXPECT_EQ(normalize("https://example.com/%%34%31"), "https://example.com/A");
    EXPECT_EQ(normalize("https://example.com/a%%32%65%%32%65/b"),
              normalize("https://example.com/a../b"));
    EXPECT_EQ(normalize("http://[0:0:0::0001]:8080/"), "http://[::1]:8080/");
    EXPECT_EQ(normalize("http://[2001:DB8:0:0:1::]/"), normalize("http://[2001:db8::1:0:0:0]/"));
}

TEST(Url, with_brackets_around_anything_but_an_ipv6_address_is_refused) {
    for (const auto* text : {"http://[::1/", "http://[]/", "http://[1.2.3.4]/", "http://[::1]x/",
                             "http://a[::1]/", "http://a]/", "http://[fe80::1%25eth0]/"})
        EXPECT_FALSE(parse_url(text)) << text;
}

TEST(Url, of_a_site_does_not_care_for_www) {
    EXPECT_EQ(site_of("https://www.example.com/x"), "example.com");
    EXPECT_EQ(site_of("mailto:a@b"), "");
}

}  // namespace
}  // namespace belay::web

#include "service/http/url.hpp"

#include <gtest/gtest.h>

namespace belay::http {
namespace {

TEST(Url, is_taken_apart) {
    const auto url = parse_url("HTTPS://Example.org:8443/a%20b?x=1&y#frag");

    ASSERT_TRUE(url);
    EXPECT_EQ(url->scheme, "https");
    EXPECT_EQ(url->host, "example.org");
    EXPECT_EQ(url->port, 8443);
    EXPECT_EQ(url->path, "/a%20b");
    EXPECT_EQ(url->query, "x=1&y");
    EXPECT_EQ(url->origin(), "https://example.org:8443");
    EXPECT_EQ(parse_url("http://example.org")->origin(), "http://example.org");
    EXPECT_EQ(parse_url("http://[::1]:80/")->origin(), "http://[::1]");
    EXPECT_TRUE(parse_url("http://user:pw@example.org/")->has_credentials);
}

TEST(Url, is_only_http_and_https) {
    for (const auto* text : {"", "example", "/path", "ftp://example.org/", "file:///etc/passwd",
                             "javascript:alert(1)", "gopher://x/", "http://", "http://a b/"}) {
        EXPECT_FALSE(parse_url(text)) << text;
    }
    EXPECT_FALSE(parse_url(std::string_view("http://a/\0b", 11)));
}

TEST(Url, a_reference_is_resolved_on_its_page) {
    EXPECT_EQ(resolve_url("http://a.org/x/y?q", "z"), "http://a.org/x/z");
    EXPECT_EQ(resolve_url("http://a.org/x/y", "/z#f"), "http://a.org/z");
    EXPECT_EQ(resolve_url("http://a.org/x/y", "?p=1"), "http://a.org/x/y?p=1");
    EXPECT_EQ(resolve_url("http://a.org/x/y", "//b.org/z"), "http://b.org/z");
    EXPECT_EQ(resolve_url("http://a.org/x/y", " https://b.org/ "), "https://b.org/");
    EXPECT_EQ(resolve_url("http://a.org/x/y", "../z"), "http://a.org/z");
    EXPECT_FALSE(resolve_url("http://a.org/", "file:///etc/passwd"));
}

TEST(Url, characters_are_escaped_and_come_back) {
    EXPECT_EQ(percent_encode("a b/å~"), "a%20b%2F%C3%A5~");
    EXPECT_EQ(percent_encode("a b/c", true), "a%20b/c");
    EXPECT_EQ(percent_decode("a%20b%2F%C3%A5~"), "a b/å~");
    EXPECT_EQ(percent_decode("100%"), "100%");
    EXPECT_EQ(percent_decode("%zz%4"), "%zz%4");
}

}  // namespace
}  // namespace belay::http

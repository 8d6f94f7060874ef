#include "ingestion/web/fetch/content_type.hpp"

#include <gtest/gtest.h>

namespace belay::web::fetch {
namespace {

TEST(ContentType, is_read_with_its_charset) {
    const auto parsed = parse_content_type("Text/HTML ; foo=bar; Charset=\"ISO-8859-1\"");
    EXPECT_EQ(parsed.type, "text/html");
    EXPECT_EQ(parsed.charset, "iso-8859-1");
    EXPECT_EQ(parse_content_type("text/html;charset=utf-8;charset=x").charset, "utf-8");
    EXPECT_EQ(parse_content_type("").type, "");
    EXPECT_EQ(parse_content_type(";;;").type, "");
    EXPECT_EQ(parse_content_type("text/plain; charset").charset, "");
}

TEST(ContentType, decides_the_kind) {
    const auto kind = [](std::string type, std::string_view url,
                         std::string_view body) -> std::string {
        const auto found = kind_of_page({std::move(type), ""}, url, body);
        return found ? std::string(to_string(*found)) : "none";
    };
    EXPECT_EQ(kind("text/html", "http://a/x", "anything"), "html");
    EXPECT_EQ(kind("application/xhtml+xml", "http://a/x", ""), "html");
    EXPECT_EQ(kind("text/markdown", "http://a/x", ""), "markdown");
    EXPECT_EQ(kind("text/plain", "http://a/x.md?raw=1", "# a"), "markdown");
    EXPECT_EQ(kind("text/plain", "http://a/x.txt", "a"), "text");
    EXPECT_EQ(kind("application/pdf", "http://a/x", "broken"), "pdf");
    EXPECT_EQ(kind("text/html", "http://a/x", "%PDF-1.7"), "pdf");
    EXPECT_EQ(kind("application/octet-stream", "http://a/x.pdf", "%PDF-1.7"), "pdf");
    EXPECT_EQ(kind("application/octet-stream", "http://a/readme.md", "# a"), "markdown");
    EXPECT_EQ(kind("application/octet-stream", "http://a/x.bin", "text?"), "none");
    EXPECT_EQ(kind("", "http://a/x", "\n<!DOCTYPE html><p>"), "html");
    EXPECT_EQ(kind("", "http://a/x", "just text å"), "text");
    EXPECT_EQ(kind("", "http://a/x", std::string_view("\0\1\2", 3)), "none");
    EXPECT_EQ(kind("image/png", "http://a/x.md", "# a"), "none");
    EXPECT_EQ(kind("application/json", "http://a/x", "{}"), "none");
}

}  // namespace
}  // namespace belay::web::fetch

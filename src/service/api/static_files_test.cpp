#include "service/api/static_files.hpp"

#include <gtest/gtest.h>

#include "service/api/conditional.hpp"
#include "service/api/content.hpp"

namespace belay::api {
namespace {

class FewFiles final : public StaticFiles {
public:
    std::optional<StaticFile> find(std::string_view path) const override {
        if (path == "/index.html")
            return StaticFile{"<html>", "", "text/html; charset=utf-8", "h1", false};
        if (path == "/docs/index.html")
            return StaticFile{"<docs>", "", "text/html; charset=utf-8", "h3", false};
        if (path == "/assets/app.3f2a.js")
            return StaticFile{"let x = 1", "GZ", "text/javascript", "h2", true};
        return std::nullopt;
    }
};

Request get(std::string target, Headers headers = {}) {
    Request request;
    set_target(request, std::move(target));
    request.headers = std::move(headers);
    return request;
}

std::string body_of(const Response& response) {
    return std::string(std::get<StaticBytes>(response.body).bytes);
}

TEST(StaticFiles, hashed_names_are_kept_forever_and_the_page_is_asked_for_again) {
    const FewFiles files;
    const auto page = static_response(files, get("/"));
    EXPECT_EQ(body_of(*page), "<html>");
    EXPECT_EQ(page->headers.get("Cache-Control"), "no-cache");
    const auto script =
        static_response(files, get("/assets/app.3f2a.js", {{"Accept-Encoding", "gzip"}}));
    EXPECT_EQ(body_of(*script), "GZ");
    EXPECT_EQ(script->headers.get("Content-Encoding"), "gzip");
    EXPECT_EQ(script->headers.get("Cache-Control"), "public, max-age=31536000, immutable");
    EXPECT_EQ(body_of(*static_response(files, get("/assets/app.3f2a.js"))), "let x = 1");
}

TEST(StaticFiles, a_tag_that_is_known_is_not_sent_again) {
    const FewFiles files;
    const auto answer = static_response(files, get("/", {{"If-None-Match", "\"h1\""}}));
    EXPECT_EQ(answer->status, 304);
    EXPECT_EQ(answer->body_length(), 0u);
}

TEST(StaticFiles, an_address_of_the_page_is_the_page_and_a_missing_file_is_not) {
    const FewFiles files;
    const Headers browser{{"Accept", "text/html,*/*"}};
    EXPECT_EQ(body_of(*static_response(files, get("/runs/july", browser))), "<html>");
    EXPECT_FALSE(static_response(files, get("/runs/july")));
    EXPECT_FALSE(static_response(files, get("/assets/old.js", browser)));
    EXPECT_FALSE(static_response(files, get("/api/nothing", browser)));
    Request post = get("/", browser);
    post.method = Method::Post;
    EXPECT_FALSE(static_response(files, post));
}

TEST(StaticFiles, a_folder_with_an_index_of_its_own_is_apart_from_the_page) {
    const FewFiles files;
    const Headers browser{{"Accept", "text/html,*/*"}};
    const auto moved = static_response(files, get("/docs", browser));
    EXPECT_EQ(moved->status, 308);
    EXPECT_EQ(moved->headers.get("Location"), "/docs/");
    EXPECT_EQ(body_of(*static_response(files, get("/docs/", browser))), "<docs>");
    EXPECT_EQ(body_of(*static_response(files, get("/docs/index.html", browser))), "<docs>");
    EXPECT_FALSE(static_response(files, get("/docs/nothing", browser)));
    EXPECT_EQ(body_of(*static_response(files, get("/documents", browser))), "<html>");
}

class Text final : public ByteSource {
public:
    explicit Text(std::string text) : text_(std::move(text)) {}
    std::size_t read(std::span<std::byte> space) override {
        const auto count = std::min(space.size(), text_.size() - at_);
        std::copy_n(reinterpret_cast<const std::byte*>(text_.data()) + at_, count, space.begin());
        at_ += count;
        return count;
    }

private:
    std::string text_;
    std::size_t at_ = 0;
};

Response content(Headers headers, Method method = Method::Get,
                 std::string type = "application/pdf") {
    Request request = get("/api/files/1/content", std::move(headers));
    request.method = method;
    return content_response(
        request,
        {.size = 10,
         .etag = quoted_etag("abc"),
         .content_type = std::move(type),
         .file_name = "räkning.pdf"},
        [](std::uint64_t first, std::uint64_t length) {
            return std::make_unique<Text>(std::string("0123456789").substr(first, length));
        });
}

std::string streamed(Response& response) {
    std::string out(64, '\0');
    auto& body = std::get<StreamBody>(response.body);
    if (!body.source) return "";
    out.resize(body.source->read(std::as_writable_bytes(std::span(out))));
    return out;
}

TEST(Content, whole_partial_unchanged_and_impossible) {
    Response whole = content({});
    EXPECT_EQ(whole.status, 200);
    EXPECT_EQ(streamed(whole), "0123456789");
    EXPECT_EQ(whole.headers.get("Accept-Ranges"), "bytes");
    Response part = content({{"Range", "bytes=2-4"}});
    EXPECT_EQ(part.status, 206);
    EXPECT_EQ(streamed(part), "234");
    EXPECT_EQ(part.headers.get("Content-Range"), "bytes 2-4/10");
    EXPECT_EQ(content({{"Range", "bytes=2-4"}, {"If-Range", "\"old\""}}).status, 200);
    EXPECT_EQ(content({{"If-None-Match", "\"abc\""}}).status, 304);
    const Response impossible = content({{"Range", "bytes=10-"}});
    EXPECT_EQ(impossible.status, 416);
    EXPECT_EQ(impossible.headers.get("Content-Range"), "bytes */10");
    Response head = content({}, Method::Head);
    EXPECT_EQ(head.body_length(), 10u);
    EXPECT_EQ(streamed(head), "");
}

TEST(Content, what_was_uploaded_cannot_run_as_a_page_of_ours) {
    const Response pdf = content({});
    EXPECT_EQ(pdf.headers.get("Content-Disposition"),
              "inline; filename=\"r__kning.pdf\"; filename*=UTF-8''r%C3%A4kning.pdf");
    for (const char* type : {"text/html", "image/svg+xml", "", "application/xhtml+xml"}) {
        const Response risky = content({}, Method::Get, type);
        EXPECT_TRUE(risky.headers.get("Content-Disposition").starts_with("attachment")) << type;
        EXPECT_EQ(risky.headers.get("Content-Security-Policy"), "default-src 'none'; sandbox");
    }
}

}  // namespace
}  // namespace belay::api

#include "service/page/page.hpp"

#include <gtest/gtest.h>

namespace belay::page {
namespace {

class Page : public testing::Test {
protected:
    void SetUp() override {
        if (files() == nullptr) GTEST_SKIP() << "built without node: there is no page";
    }
    static api::Response get(std::string path, bool gzip = true) {
        api::Request request;
        request.method = api::Method::Get;
        request.path = std::move(path);
        request.headers.set("Accept", "text/html");
        if (gzip) request.headers.set("Accept-Encoding", "gzip, br");
        return api::static_response(*files(), request).value_or(api::Response{});
    }
};

TEST_F(Page, the_index_is_asked_for_again_and_the_hashed_assets_never_are) {
    const auto index = get("/");
    EXPECT_EQ(index.headers.get("Cache-Control"), "no-cache");
    EXPECT_EQ(index.headers.get("Content-Type"), "text/html; charset=utf-8");

    int assets = 0;
    for (const PageFile& one : table()) {
        if (!one.path.starts_with("/assets/")) continue;
        ++assets;
        EXPECT_TRUE(one.file.immutable) << one.path;
    }
    EXPECT_GE(assets, 3);  // script, style, font
}

TEST_F(Page, an_address_of_a_view_is_the_page_itself) {
    EXPECT_EQ(get("/runs/imgcls_123").headers.get("ETag"), get("/").headers.get("ETag"));
}

TEST_F(Page, every_text_has_a_smaller_compressed_form_and_fonts_have_none) {
    for (const PageFile& one : table()) {
        const bool text = one.file.content_type.find("charset") != std::string_view::npos;
        const bool is_worth_it = text && one.file.bytes.size() > 1024;
        EXPECT_TRUE(text || one.file.gzip.empty()) << one.path;
        EXPECT_LT(one.file.gzip.size(), one.file.bytes.size()) << one.path;
        if (is_worth_it) {
            EXPECT_EQ(one.file.gzip.substr(0, 2), "\x1f\x8b") << one.path;
        }
    }
}

TEST_F(Page, the_first_load_has_at_most_200_kib_of_compressed_script) {
    // The scripts that the index names; the others come when their view does.
    const auto index = files()->find("/index.html");
    ASSERT_TRUE(index);
    std::size_t bytes = 0;
    for (const PageFile& one : table()) {
        const bool script = one.path.ends_with(".js");
        if (script && index->bytes.find(one.path) != std::string_view::npos)
            bytes += one.file.gzip.size();
    }
    EXPECT_GT(bytes, 10'000u);
    EXPECT_LE(bytes, 200u * 1024u);
}

}  // namespace
}  // namespace belay::page

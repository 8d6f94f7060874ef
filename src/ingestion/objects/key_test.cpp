#include "ingestion/objects/key.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::objects {
namespace {

TEST(Key, has_an_organization_and_a_name_with_folders) {
    const Key key{"acme/2026/kvitto å.jpg"};

    EXPECT_EQ(key.organization(), "acme");
    EXPECT_EQ(key.name(), "2026/kvitto å.jpg");
    EXPECT_EQ(Key("acme", "2026/kvitto å.jpg"), key);
}

TEST(Key, refuses_what_is_not_a_name_and_says_why) {
    const auto why = [](std::string_view text) { return Key::problem(text).value_or(""); };

    EXPECT_EQ(why("acme"), "it has no slash: a key is `organization/name`");
    EXPECT_NE(why("/a"), "");
    EXPECT_NE(why("a/"), "");
    EXPECT_NE(why("a//b"), "");
    EXPECT_EQ(why("a/../b"), "`..` is not a name");
    EXPECT_EQ(why("../b"), "`..` is not a name");
    EXPECT_EQ(why("a/."), "`.` is not a name");
    EXPECT_EQ(why("a/b\nc"), "it has a control character");
    EXPECT_EQ(why(std::string_view("a/b\0c", 5)), "it has a control character");
    EXPECT_EQ(why("a/\xff"), "it is not UTF-8");
    EXPECT_EQ(why("a/" + std::string(241, 'x')), "a part of it has 241 bytes, more than 240");
    EXPECT_EQ(why(std::string(1025, 'x')), "it has 1025 bytes, more than 1024");
    EXPECT_EQ(why("a/..."), "");
    EXPECT_EQ(why("a/" + std::string(240, 'x')), "");
}

TEST(Key, throws_an_error_that_names_the_key) {
    try {
        const Key key{"a/../b"};
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_STREQ(error.what(), "object key `a/../b`: `..` is not a name");
    }
    EXPECT_THROW(Key("a/b", "c"), Error);
}

}  // namespace
}  // namespace belay::objects

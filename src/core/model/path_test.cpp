#include "core/model/path.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/limits.hpp"

namespace belay::model {
namespace {

Path path(std::string_view text) { return Path::parse(text).value(); }

TEST(Path, reads_back_as_it_was_written) {
    for (const auto* text : {"", "1", "10", "4.2.1", "1.1.1.1", "9223372036854775807"}) {
        EXPECT_EQ(path(text).text(), text);
    }
}

TEST(Path, anything_else_is_no_path) {
    for (const auto* text : {"0", "01", "1.", ".1", "1..2", "-1", "+1", " 1", "1 ", "a", "1.a",
                             "patch:name", "9223372036854775808"}) {
        EXPECT_EQ(Path::parse(text), std::nullopt) << text;
    }
}

TEST(Path, a_path_deeper_than_the_limit_is_refused) {
    std::string deep = "1";
    for (std::size_t i = 1; i < base::kPathDepthMax; ++i) deep += ".1";

    EXPECT_NE(Path::parse(deep), std::nullopt);
    EXPECT_EQ(Path::parse(deep + ".1"), std::nullopt);
}

TEST(Path, sorts_by_number_and_a_scope_before_what_is_inside_it) {
    std::vector<Path> paths{path("10"), path("4.10"), path("4.2.1"),
                            path("4"),  path("5"),    path("4.9")};

    std::sort(paths.begin(), paths.end());

    std::vector<std::string> texts;
    for (const auto& p : paths) texts.push_back(p.text());
    EXPECT_EQ(texts, (std::vector<std::string>{"4", "4.2.1", "4.9", "4.10", "5", "10"}));
}

TEST(Path, knows_its_parent_and_its_children) {
    EXPECT_EQ(path("4.2.1").parent(), path("4.2"));
    EXPECT_EQ(path("4").parent(), Path{});
    EXPECT_EQ(Path{}.parent(), Path{});
    EXPECT_EQ(path("4.2").child(1), path("4.2.1"));
    EXPECT_EQ(Path{}.child(7), path("7"));
}

TEST(Path, an_ancestor_is_any_path_that_it_is_inside_of_but_not_itself) {
    EXPECT_TRUE(path("4").is_ancestor_of(path("4.2.1")));
    EXPECT_TRUE(path("4.2").is_ancestor_of(path("4.2.1")));
    EXPECT_TRUE(Path{}.is_ancestor_of(path("4")));

    EXPECT_FALSE(path("4").is_ancestor_of(path("4")));
    EXPECT_FALSE(path("4").is_ancestor_of(path("42")));
    EXPECT_FALSE(path("4.2.1").is_ancestor_of(path("4.2")));
}

TEST(Path, two_paths_share_the_part_before_they_differ) {
    EXPECT_EQ(path("4.2.1").common_with(path("4.3")), path("4"));
    EXPECT_EQ(path("4.2").common_with(path("4.2.1")), path("4.2"));
    EXPECT_EQ(path("4").common_with(path("5")), Path{});
}

}  // namespace
}  // namespace belay::model

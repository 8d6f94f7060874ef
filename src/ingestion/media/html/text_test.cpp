#include "ingestion/media/html/text.hpp"

#include <gtest/gtest.h>

#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/parse.hpp"

namespace belay::media::html {
namespace {

TEST(Text, collapse_leaves_single_spaces_and_no_invisible_characters) {
    EXPECT_EQ(collapse("  a \n\t b\xC2\xA0\xC2\xA0"
                       "c \xE2\x80\x8B"),
              "a b c");
    EXPECT_EQ(collapse(""), "");
}

TEST(Text, plain_words_make_two_spellings_of_a_title_equal) {
    EXPECT_EQ(plain_words("«The Flood»: what now?"), "the flood what now");
    EXPECT_EQ(plain_words("ÅÄÖ Ärende"), "åäö ärende");
    EXPECT_EQ(plain_words("ПРИВЕТ"), "привет");
}

TEST(Text, reading_length_counts_scripts_without_spaces_twice) {
    EXPECT_EQ(reading_length("ab  cd"), 5u);
    EXPECT_EQ(reading_length("中文"), 4u);
}

TEST(Text, inner_text_separates_blocks_but_not_inline_elements) {
    const Document page = parse("<p>a<b>b</b></p><p>c<br>d</p><script>x</script>");
    EXPECT_EQ(inner_text(*page.body()), "ab c d");
}

TEST(Cues, names_are_words_and_utility_classes_are_not_names) {
    const Document page = parse(
        "<div class='relatedPosts md:sidebar text-center share_box' id=LoopsAndFeedback><h2>Loops "
        "and feedback</h2></div>");
    const Names names{*first_element(*page.body())};

    EXPECT_TRUE(names.has_word("related"));
    EXPECT_TRUE(names.has_word("share"));
    EXPECT_FALSE(names.contains("sidebar"));
    EXPECT_FALSE(names.contains("text-center"));
    EXPECT_FALSE(names.has_word("feedback"));
}

}  // namespace
}  // namespace belay::media::html

#include "ingestion/media/sound_page.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <belay/codec.hpp>

namespace belay::media {
namespace {

Page page_with(Box box) {
    return {.width = 595, .height = 842, .words = {{.text = "TOTAL", .box = box}}};
}

TEST(SoundPage, an_honest_page_stays_as_it_is) {
    Page page = page_with({-2, 10, 40, 12});
    page.words.push_back({.text = "à", .box = {594, 840, 10, 12}, .confidence = 0.3, .line = 1});
    const std::string before = to_json(page);

    make_sound(page);

    EXPECT_EQ(to_json(page), before);
}

TEST(SoundPage, a_word_that_stands_on_no_page_is_left_out) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    for (const Box box : {Box{1e300, 0, 1, 1}, Box{0, -1e300, 1, 1}, Box{0, 0, -1, 1},
                          Box{0, 0, 1, 1e308}, Box{kNone, 0, 1, 1}, Box{0, 0, 1, kNone}}) {
        Page page = page_with(box);
        make_sound(page);
        EXPECT_TRUE(page.words.empty())
            << box.x << ' ' << box.y << ' ' << box.width << ' ' << box.height;
    }
}

TEST(SoundPage, a_word_is_no_book_and_a_page_has_an_end) {
    Page page = page_with({0, 0, 1, 1});
    page.words[0].text = std::string(5'000'000, 'a');
    page.words[0].confidence = -3;
    page.width = -1;
    page.height = 1e9;

    make_sound(page);

    EXPECT_LE(page.words[0].text.size(), kWordCharsMax + 2);  // the ellipsis has three bytes
    EXPECT_EQ(page.words[0].confidence, 0);
    EXPECT_EQ(page.width, 0);
    EXPECT_EQ(page.height, 0);

    page.words.assign(kPageWordsMax + 7, Word{.text = "a"});
    make_sound(page);
    EXPECT_EQ(page.words.size(), kPageWordsMax);
}

}  // namespace
}  // namespace belay::media

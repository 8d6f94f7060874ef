#include "ingestion/media/sound_page.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/utf8.hpp"

namespace belay::media {
namespace {

bool is_within(double value, double least) {
    return value >= least && value <= kPageSideMax;
}  // false for NaN

bool is_possible(const Box& box) {
    // Ink may hang over the edge of its page.
    return is_within(box.x, -kPageSideMax) && is_within(box.y, -kPageSideMax) &&
           is_within(box.width, 0) && is_within(box.height, 0);
}

double sure(double confidence) { return confidence >= 0 ? std::min(confidence, 1.0) : 0.0; }

}  // namespace

void make_sound(Page& page) {
    if (!is_within(page.width, 0)) page.width = 0;
    if (!is_within(page.height, 0)) page.height = 0;
    if (!std::isfinite(page.skew)) page.skew = 0;
    page.confidence = sure(page.confidence);
    std::erase_if(page.words, [](const Word& word) { return !is_possible(word.box); });
    if (page.words.size() > kPageWordsMax) page.words.resize(kPageWordsMax);
    for (Word& word : page.words) {
        word.confidence = sure(word.confidence);
        if (word.text.size() > kWordCharsMax || !base::is_utf8(word.text))
            word.text = base::truncate(word.text, kWordCharsMax);
    }
}

}  // namespace belay::media

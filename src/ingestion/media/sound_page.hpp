// sound_page.hpp — a page from the sandbox, before anybody computes with it.
//
// A PDF may put a word at 10^300, and a helper that a hostile file has taken over may say anything that is JSON. Rules
// that sort words by their places must never meet a number that is none, and no word may be as long as a book.
#pragma once

#include <cstddef>

#include "ingestion/media/page.hpp"

namespace belay::media {

// The longest sheet that anybody prints is far below, in points as in pixels.
inline constexpr double kPageSideMax = 1e6;
inline constexpr std::size_t kPageWordsMax = 100'000;
inline constexpr std::size_t kWordCharsMax = 1000;

// Leaves out the words that stand where no page is, or have a size that nothing has; cuts what is longer than the limits
// above and repairs text that is not UTF-8. A page that a reader of ours made of an honest file stays as it is.
void make_sound(Page& page);

}  // namespace belay::media

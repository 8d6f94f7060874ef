// fusion.hpp — one page of what two readers saw.
//
// Tesseract knows words and where one ends; PP-OCR sees digits that Tesseract misses, and loses spaces. So words and
// spaces are the first reader's, numbers the second's unless it is unsure of them, and letters that the second does
// not know (å, ö, ß) the first's. What only one of them saw is kept. Each word says who read it (`by`), and what the
// other one saw where they differ about a number (`other`): whoever adds amounts up tries both.
#pragma once

#include <cstddef>

#include "ingestion/media/page.hpp"

namespace belay::media {

// `first` with what `second` saw of the same page, in the same units. A pure function; a page fused with itself is
// that page. A page of more than kFusedWordsMax words is given back as it is: no paper has them.
inline constexpr std::size_t kFusedWordsMax = 10'000;
Page fused(const Page& first, const Page& second);

}  // namespace belay::media

// lines.hpp — which words stand on one printed line.
//
// A text layer has no lines, and OCR sees the two ends of a receipt's row ("TOTAL", far to the right
// "6.85") as lines of two blocks. The rules need the row as the eye sees it: words whose heights overlap,
// followed from left to right, so that a slight slant or a curl of the paper does not tear it apart.
#pragma once

#include <vector>

#include "ingestion/media/page.hpp"

namespace belay::media {

// Numbers the lines of `words` from the top, from 0, and puts the words into reading order: by line,
// then from left to right.
void number_lines(std::vector<Word>& words);

}  // namespace belay::media

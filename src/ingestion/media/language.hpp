// language.hpp — in which of the languages that we read a page is written.
#pragma once

#include <string>
#include <vector>

#include "ingestion/media/page.hpp"

namespace belay::media {

// "eng", "swe" or "deu", by the small words and the words of trade that each uses; empty when the page
// does not say. Works on text that was read with another language's model: å, ä, ö and ü may be missing.
std::string guess_language(const std::vector<Word>& words);

}  // namespace belay::media

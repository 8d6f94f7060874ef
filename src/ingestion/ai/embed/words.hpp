// words.hpp — the words of a text, as the word vectors spell them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belay::ai::embed {

// Lower-case runs of letters and digits; "don't" and "well-known" stay one word, "Belay's" is "belay".
// Marks, white space and Markdown's links and fences leave no words.
std::vector<std::string> words_of(std::string_view text);

}  // namespace belay::ai::embed

// spelling.hpp — two readings of the same print laid beside each other, letter by letter.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "ingestion/media/page.hpp"

namespace belay::media {

// The letters of some words, without the spaces between them, and whose they are.
struct Spelling {
    struct Letter {
        std::string_view text{};  // one code point; borrowed from the word
        std::size_t word = 0;     // its index among all words
    };
    std::vector<Letter> letters{};
};
Spelling spelling(const std::vector<Word>& words, const std::vector<std::size_t>& which);

// A letter of both, or of one alone.
struct Pair {
    std::optional<std::size_t> first{}, second{};
};

// Both spellings whole and in order, with as few differences as can be; costs the product of their lengths.
std::vector<Pair> aligned(const Spelling& first, const Spelling& second);

}  // namespace belay::media

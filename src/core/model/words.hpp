// words.hpp — an enum and its words, as one table.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/base/assert.hpp"

namespace belay::model {

template <class Enum>
struct Word {
    Enum value;
    std::string_view text;
};

template <class Enum, std::size_t N>
std::string_view word_of(const std::array<Word<Enum>, N>& words, Enum value) {
    for (const auto& word : words) {
        if (word.value == value) return word.text;
    }
    BELAY_ASSERT(false, "no word for the value {}", static_cast<int>(value));
    return {};
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const std::array<Word<Enum>, N>& words, std::string_view text) {
    for (const auto& word : words) {
        if (word.text == text) return word.value;
    }
    return std::nullopt;
}

}  // namespace belay::model

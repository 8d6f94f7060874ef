// word_file.hpp — the layout of words.vec: word vectors that are used where they lie, mapped into memory.
//
//   header          64 bytes
//   common          dimension × float     the direction that every text shares, a unit vector
//   offsets         (count + 1) × uint32  of the words, into the characters
//   ranks           count × uint32        0 is the most frequent word
//   scales          count × float         of the vector: value = scale × byte
//   vectors         count × dimension × int8
//   characters      the words, sorted by their bytes, one after another
//
// One byte a number: 37 MB instead of 307, and the nearest words stay the same. Written by
// tools/make-word-vectors.cpp on the machine that reads it, so the byte order is its own.
#pragma once

#include <cstdint>

namespace belay::ai::embed {

inline constexpr std::uint64_t kWordFileMagic = 0x3143455659414C42;  // "BLAYVEC1"

struct WordFileHeader {
    std::uint64_t magic = kWordFileMagic;
    std::uint32_t count = 0;
    std::uint32_t dimension = 0;
    std::uint64_t characters = 0;  // bytes
    std::uint64_t checksum = 0;    // FNV-1a of everything after the header
    char model[32] = {};           // its name, filled with zeros
};
static_assert(sizeof(WordFileHeader) == 64);

// Of the words' vectors in a text: frequent words say little. `rank` stands for the frequency (Zipf).
inline double word_weight(std::uint32_t rank) {
    constexpr double kHarmonic = 13.3;  // ln(341,000) + 0.577
    constexpr double kSmooth = 1e-3;
    const double probability = 1.0 / ((static_cast<double>(rank) + 1) * kHarmonic);
    return kSmooth / (kSmooth + probability);
}

// FNV-1a, in steps: start from kFnvStart.
inline constexpr std::uint64_t kFnvStart = 0xCBF29CE484222325;
inline std::uint64_t fnv1a(std::uint64_t hash, const void* bytes, std::uint64_t size) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    for (std::uint64_t i = 0; i < size; ++i) hash = (hash ^ at[i]) * 0x100000001B3;
    return hash;
}

}  // namespace belay::ai::embed

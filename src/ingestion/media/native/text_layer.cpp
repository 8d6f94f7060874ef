// text_layer.cpp — whether a page's text layer is what a reader would see.
#include <algorithm>
#include <cstdint>

#include "core/base/utf8.hpp"
#include "ingestion/media/native/pdf.hpp"

namespace belay::media::native {
namespace {

struct Census {
    int letters = 0, digits = 0, marks = 0, strange = 0;
    int latin = 0, vowels = 0;
    int words = 0, lone = 0;  // `lone`: words of one character
};

char32_t code_point(std::string_view text, std::size_t length) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    switch (length) {
        case 1:
            return byte(0);
        case 2:
            return (byte(0) & 0x1fu) << 6 | (byte(1) & 0x3fu);
        case 3:
            return (byte(0) & 0x0fu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
        default:
            return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3fu) << 12 | (byte(2) & 0x3fu) << 6 |
                   (byte(3) & 0x3fu);
    }
}

bool is_strange(char32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfffd || (c >= 0xe000 && c <= 0xf8ff) ||
           c >= 0xf0000;
}

bool is_letter(char32_t c) {
    return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || c >= 0xc0;
}

bool is_vowel(char32_t c) {
    constexpr std::u32string_view kVowels = U"aeiouyAEIOUYäöåüéèêáàâíóúøæÄÖÅÜÉØÆ";
    return kVowels.find(c) != std::u32string_view::npos;
}

void count(Census& census, std::string_view word) {
    int characters = 0;
    while (!word.empty()) {
        const std::size_t length = std::max<std::size_t>(1, base::utf8_sequence(word));
        const char32_t c = code_point(word, length);
        word.remove_prefix(length);
        ++characters;
        if (is_strange(c))
            ++census.strange;
        else if (c >= U'0' && c <= U'9')
            ++census.digits;
        else if (is_letter(c))
            ++census.letters;
        else
            ++census.marks;
        if (c < 0x250 && is_letter(c)) ++census.latin;
        if (is_vowel(c)) ++census.vowels;
    }
    ++census.words;
    if (characters == 1) ++census.lone;
}

}  // namespace

TextLayer judge(const Page& text_layer) {
    Census census;
    for (const Word& word : text_layer.words) count(census, word.text);
    const int said = census.letters + census.digits;
    if (census.words == 0 || said + census.strange == 0) return TextLayer::None;
    if (census.strange * 10 > said) return TextLayer::Nonsense;
    // A font without its table shifts letters or turns them into marks; no language looks like that.
    if (census.marks > said) return TextLayer::Nonsense;
    if (census.latin > 100 && census.vowels * 10 < census.latin) return TextLayer::Nonsense;
    if (said < 60 || census.words < 10) return TextLayer::Scarce;
    return TextLayer::Good;
}

}  // namespace belay::media::native

// fold.hpp — text made comparable: what a label says, whatever its case, accents and punctuation.
//
// A label is printed as "Fälligkeit:", "FÄLLIGKEIT" or, after OCR, "Falligkeit"; folded, all three are
// "falligkeit". Folding is only for comparing: what is shown to people is the text as printed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace belay::ai::rules {

// Lower-case ASCII: letters of the Latin alphabets lose their accents (ß becomes ss, æ ae), typographic
// quotes, dashes and spaces become plain ones, any other character outside ASCII becomes '?'.
std::string fold(std::string_view text);

// The folded letters and digits of `text`, nothing else: "Rechnungs-Nr.:" becomes "rechnungsnr".
std::string fold_alnum(std::string_view text);

// The folded words of `text`: runs of letters and digits.
std::vector<std::string> fold_words(std::string_view text);

// Whether two folded words are the same but for at most one letter misread, lost or added in every
// six: how far OCR may be from a label that it still is. Words under six letters must be equal.
bool nearly_equal(std::string_view a, std::string_view b);

// The text without spaces (also no-break ones) at its ends.
std::string_view trim(std::string_view text);

// Code points in `text`; a broken byte counts as one.
std::size_t char_count(std::string_view text);

bool has_digit(std::string_view text);
bool has_letter(std::string_view text);
std::size_t digit_count(std::string_view text);

// Reads `text` as a signed whole number; nothing but digits, at most nine of them.
int small_int(std::string_view text, int otherwise = -1);

}  // namespace belay::ai::rules

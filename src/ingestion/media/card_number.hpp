// card_number.hpp — card numbers, and how they are made harmless.
//
// A full card number must not be stored anywhere: not in a field, not in the text of a page. What may be
// kept is its last four digits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingestion/media/page.hpp"

namespace belay::media {

// `text` with every card number in it (13 to 19 digits, spaces and dashes between, valid check digit)
// masked but for its last four digits: "4111 1111 1111 1111" becomes "**** **** **** 1111".
std::string mask_card_numbers(std::string_view text);

// The same on a page, where a number may be spread over several words of a line.
void mask_card_numbers(Page& page);

// The digits of `number` pass the check that card numbers carry (Luhn).
bool passes_luhn(std::string_view digits);

}  // namespace belay::media

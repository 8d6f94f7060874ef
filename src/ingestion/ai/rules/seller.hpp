// seller.hpp — what the names, numbers and addresses of companies look like.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belay::ai::rules {

// Whether a text has a company's legal form: Sdn Bhd, GmbH, AB, Ltd, Inc, … also misread by a letter.
bool has_firm_form(std::string_view text);

// The same without words such as Trading, which are part of a name.
bool has_seller_form(std::string_view text);

// Words before the legal form: "Stationery Sdn Bhd" has one.
std::size_t words_before_form(std::string_view text);

// Whether folded text has a word that shops have in their names: restaurant, market, trading, …
bool has_trade_word(std::string_view said);

// A line of a receipt's head as a name: without the registration number behind it and the marks around
// it, the legal form put right.
std::string company_name(std::string_view line);

// Whether a line is part of a postal address: street words, house numbers, postcodes with a place.
bool is_address(std::string_view line);

// A company's registration or VAT number in the line, as printed; empty if there is none. Swedish
// organisation numbers and VAT numbers of the EU are checked by their form, others by their label.
std::string organisation_number(std::string_view line);

}  // namespace belay::ai::rules

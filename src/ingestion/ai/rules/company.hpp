// company.hpp — what company names and addresses look like.
#pragma once

#include <string>
#include <string_view>

namespace belay::ai::rules {

// Ends in, or holds as a word, a legal form: GmbH, AB, Ltd., B.V., SARL, Inc., …
bool has_legal_form(std::string_view text);

// The name as a person would give it: without a French legal form behind it, which by French usage is
// stated beside a company's name and is no part of it, and without marks at its ends.
std::string clean_name(std::string_view text);

// A line of an address: a street with a number, a postal code with a town, a country.
bool is_address_line(std::string_view text);

// The line of an address that names the town: with a postal code, or a country.
bool is_town_line(std::string_view text);

// "Herrn", "Frau", "Mr.": the line before a person's name.
bool is_salutation(std::string_view text);

// Phone, e-mail, web, account and register lines: no names.
bool is_contact_line(std::string_view text);

// Could be the name of a company or a person: letters, not too long, no sentence, no amount, none of
// the above, and not what the document calls itself ("Rechnung", "INVOICE").
bool is_name_like(std::string_view text);

}  // namespace belay::ai::rules

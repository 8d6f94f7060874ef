// company.cpp — legal forms, streets and towns of Europe and North America.
#include "ingestion/ai/rules/company.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "ingestion/ai/rules/currency.hpp"
#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

bool among(std::string_view word, std::span<const std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr auto kForms =
    std::to_array<std::string_view>({"gmbh",     "mbh",         "ag",
                                     "kg",       "ohg",         "gbr",
                                     "ug",       "eg",          "ev",
                                     "kgaa",     "se",          "ekfr",
                                     "ek",       "ab",          "hb",
                                     "publ",     "aktiebolag",  "handelsbolag",
                                     "ltd",      "limited",     "plc",
                                     "llp",      "llc",         "inc",
                                     "corp",     "corporation", "incorporated",
                                     "pvt",      "pte",         "pty",
                                     "bv",       "nv",          "vof",
                                     "sarl",     "sas",         "sasu",
                                     "sa",       "eurl",        "spa",
                                     "srl",      "as",          "asa",
                                     "aps",      "oy",          "oyj",
                                     "sro",      "spzoo",       "kft",
                                     "lda",      "sl",          "co",
                                     "company",  "stiftung",    "verein",
                                     "forening", "gruppe",      "kommanditbolag"});
constexpr auto kFrenchForms =
    std::to_array<std::string_view>({"sarl", "sas", "sasu", "eurl", "sa"});
constexpr auto kSalutations =
    std::to_array<std::string_view>({"herrn", "herr", "frau", "familie", "firma", "mr", "mrs", "ms",
                                     "fru", "monsieur", "madame", "mevrouw", "dhr"});
constexpr auto kCountries = std::to_array<std::string_view>(
    {"deutschland", "germany",    "schweden",    "sweden",  "sverige",      "france",
     "frankreich",  "nederland",  "netherlands", "usa",     "unitedstates", "unitedkingdom",
     "uk",          "osterreich", "austria",     "schweiz", "switzerland",  "canada",
     "danmark",     "denmark",    "norge",       "norway",  "suomi",        "finland",
     "belgie",      "belgique",   "belgium",     "india",   "hongkong",     "italia",
     "espana",      "england",    "ireland"});

// Folded words with the points of "B.V." and "a.G." closed up.
std::vector<std::string> name_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : fold(text) + ' ') {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            word += c;
        else if (c == '.' || c == '\'')
            continue;
        else if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    }
    return words;
}

bool is_postal(std::string_view word) {
    const auto digits = digit_count(word);
    return digits >= 4 && digits <= 5 && digits == word.size();
}

}  // namespace

bool has_legal_form(std::string_view text) {
    const auto words = name_words(text);
    if (words.size() < 2) return false;
    // "AS", "SE", "CO" and "AG" are words too: short ones count behind the name only.
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (among(words[i], kForms) && (words[i].size() > 2 || i + 3 >= words.size())) return true;
    }
    return false;
}

std::string clean_name(std::string_view text) {
    const auto is_edge = [](char c) {
        return c == ' ' || c == ',' || c == ';' || c == ':' || c == '|' || c == '*' || c == '-' ||
               c == '"';
    };
    while (!text.empty() && is_edge(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_edge(text.back())) text.remove_suffix(1);
    const auto space = text.rfind(' ');
    if (space != std::string_view::npos && space > 2) {
        auto last = fold_alnum(text.substr(space + 1));
        if (among(last, kFrenchForms)) text = text.substr(0, space);
    }
    return std::string{trim(text)};
}

bool is_town_line(std::string_view text) {
    const auto words = name_words(text);
    if (words.empty() || words.size() > 7) return false;
    if (among(fold_alnum(text), kCountries)) return true;
    const auto all_digits = [](const std::string& word) {
        return digit_count(word) == word.size();
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto& word = words[i];
        const bool next_is_text = i + 1 < words.size() && !has_digit(words[i + 1]);
        // 12345 Stadt, DE 12345 Stadt, D-63571 Ort, 3012 CN Rotterdam
        if (is_postal(word) && next_is_text && i <= 2) return true;
        if (i + 1 >= words.size()) continue;
        const auto& next = words[i + 1];
        // 111 22 Stockholm
        if (word.size() == 3 && all_digits(word) && next.size() == 2 && all_digits(next) &&
            i <= 1 && i + 2 < words.size())
            return true;
        // TN24 8QR, SW1B 3BN; M1S 5J7
        const bool letters_first = !has_digit(word.substr(0, 1)) && has_digit(word) &&
                                   word.size() >= 2 && word.size() <= 4;
        const bool digit_first = next.size() == 3 && has_digit(next.substr(0, 1));
        if (letters_first && digit_first) return true;
    }
    // Fremont CA 94538
    return words.size() >= 3 && is_postal(words.back()) && words[words.size() - 2].size() == 2;
}

bool is_address_line(std::string_view text) {
    const auto words = name_words(text);
    if (words.empty()) return false;
    if (is_town_line(text)) return true;
    const auto& last = words.back();
    const bool numbered = has_digit(last) && last.size() <= 5;
    if (numbered && words.size() >= 2 && words.size() <= 6 && !has_legal_form(text))
        return true;  // Musterstr. 12
    const bool starts_numbered =
        has_digit(words[0]) && words[0].size() <= 5 && words.size() >= 2 && words.size() <= 7;
    if (starts_numbered) return true;  // 42 rue du stade, 4557 De Silva St
    for (const auto& word : words) {
        if (has_legal_form(text)) break;
        if (word.size() > 6 &&
            (word.ends_with("strasse") || word.ends_with("gatan") || word.ends_with("vagen")))
            return true;
    }
    return words[0] == "box" || words[0] == "postfach" || words[0] == "po";
}

bool is_salutation(std::string_view text) {
    const auto words = name_words(text);
    return words.size() == 1 && among(words[0], kSalutations);
}

bool is_contact_line(std::string_view text) {
    const auto folded = fold(text);
    if (folded.find('@') != std::string::npos || folded.find("www.") != std::string::npos ||
        folded.find("http") != std::string::npos)
        return true;
    const auto words = fold_words(text);
    static constexpr auto kContact = std::to_array<std::string_view>({"tel",
                                                                      "telefon",
                                                                      "phone",
                                                                      "fax",
                                                                      "telefax",
                                                                      "mobil",
                                                                      "mobile",
                                                                      "email",
                                                                      "iban",
                                                                      "bic",
                                                                      "swift",
                                                                      "ust",
                                                                      "ustid",
                                                                      "uid",
                                                                      "steuernummer",
                                                                      "steuer",
                                                                      "vat",
                                                                      "tva",
                                                                      "btw",
                                                                      "kvk",
                                                                      "hrb",
                                                                      "siret",
                                                                      "siren",
                                                                      "gln",
                                                                      "orgnr",
                                                                      "org",
                                                                      "momsreg",
                                                                      "bankgiro",
                                                                      "plusgiro",
                                                                      "konto",
                                                                      "kto",
                                                                      "blz",
                                                                      "bank",
                                                                      "amtsgericht",
                                                                      "registergericht",
                                                                      "geschaftsfuhrer",
                                                                      "geschaftsfuhrung",
                                                                      "vorstand",
                                                                      "aufsichtsrat",
                                                                      "gstin",
                                                                      "cin",
                                                                      "ifsc",
                                                                      "account",
                                                                      "handelsregisternummer",
                                                                      "kundennummer",
                                                                      "kundnr",
                                                                      "kundennr",
                                                                      "nummer",
                                                                      "globale",
                                                                      "ansprechpartner",
                                                                      "contact",
                                                                      "ean",
                                                                      "duns"});
    return !words.empty() && (among(words[0], kContact) ||
                              (words.size() > 1 && among(words[0] + words[1], kContact)));
}

bool is_name_like(std::string_view text) {
    const auto count = char_count(text);
    const auto words = name_words(text);
    if (count < 2 || count > 70 || words.empty() || words.size() > 8 || !has_letter(text))
        return false;
    if (is_address_line(text) || is_contact_line(text) || is_salutation(text)) return false;
    if (!currency_word(text).empty()) return false;
    if (digit_count(text) * 3 > count) return false;
    const auto all = fold_alnum(text);
    static constexpr auto kTitles = std::to_array<std::string_view>(
        {"invoice",   "rechnung",    "faktura",        "facture",
         "factuur",   "gutschrift",  "avoir",          "creditnote",
         "quittung",  "original",    "kopie",          "copy",
         "duplicate", "taxinvoice",  "statement",      "seite",
         "page",      "sida",        "paid",           "bezahlt",
         "lieferant", "kaufer",      "verkaufer",      "logo",
         "yourlogo",  "companyname", "kostenrechnung", "handelsrechnung",
         "betreff",   "absender",    "empfanger",      "kunde",
         "customer",  "billto",      "shipto",         "details",
         "summary",   "information", "description",    "address",
         "notes",     "bemerkungen", "positionsdaten", "belegsummen"});
    if (among(all, kTitles)) return false;
    for (const auto& word : words) {
        if (word.ends_with("rechnung") || word == "invoice" || word == "facture" ||
            word == "faktura" || word == "factuur" || word == "rechnungen")
            return false;
        if (word == "seite" || word == "page" || word == "sida" || word == "copyright" ||
            word == "datum" || word == "date" || word == "details")
            return false;
    }
    // Names begin with a capital or a digit, sentences end in a point and have small words.
    const auto first = static_cast<unsigned char>(trim(text).front());
    if (first >= 'a' && first <= 'z' && words.size() > 2) return false;
    return text.back() != ':' && !(text.ends_with('.') && words.size() > 5);
}

}  // namespace belay::ai::rules

// invoice_ids.cpp — finds such numbers by their labels and shapes, and keeps those whose digits check.
#include "ingestion/ai/rules/invoice_ids.hpp"

#include <algorithm>
#include <array>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

std::string upper_alnum(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'))
            out += c;
        else if (c >= 'a' && c <= 'z')
            out += static_cast<char>(c - 'a' + 'A');
    }
    return out;
}

std::string digits_of(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c >= '0' && c <= '9') out += c;
    }
    return out;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

struct CountryLength {
    std::string_view country;
    std::size_t least, most;
};
constexpr auto kIbanLengths = std::to_array<CountryLength>(
    {{"DE", 22, 22}, {"SE", 24, 24}, {"FR", 27, 27}, {"NL", 18, 18}, {"GB", 22, 22},
     {"NO", 15, 15}, {"DK", 18, 18}, {"FI", 18, 18}, {"AT", 20, 20}, {"CH", 21, 21},
     {"BE", 16, 16}, {"LU", 20, 20}, {"IT", 27, 27}, {"ES", 24, 24}, {"PT", 25, 25},
     {"PL", 28, 28}, {"CZ", 24, 24}, {"IE", 22, 22}, {"EE", 20, 20}, {"LV", 21, 21},
     {"LT", 20, 20}, {"LI", 21, 21}, {"HU", 28, 28}, {"SK", 24, 24}});
constexpr auto kVatLengths = std::to_array<CountryLength>(
    {{"DE", 9, 9},   {"SE", 12, 12}, {"FR", 11, 11}, {"NL", 12, 12}, {"GB", 9, 12},  {"DK", 8, 8},
     {"FI", 8, 8},   {"AT", 9, 9},   {"BE", 10, 10}, {"LU", 8, 8},   {"IT", 11, 11}, {"ES", 9, 9},
     {"PT", 9, 9},   {"PL", 10, 10}, {"CZ", 8, 10},  {"IE", 8, 9},   {"EE", 9, 9},   {"LV", 11, 11},
     {"LT", 9, 12},  {"HU", 8, 8},   {"SK", 10, 10}, {"SI", 8, 8},   {"RO", 2, 10},  {"BG", 9, 10},
     {"HR", 11, 11}, {"EL", 9, 9},   {"CY", 9, 9},   {"MT", 8, 8}});

bool has_length(std::string_view country, std::size_t size,
                std::span<const CountryLength> lengths) {
    return std::any_of(lengths.begin(), lengths.end(), [&](const CountryLength& l) {
        return l.country == country && size >= l.least && size <= l.most;
    });
}

enum Meaning { Bankgiro = 1, Plusgiro, Ocr, OrgNr, Vat, Bic };
constexpr auto kLabels = std::to_array<Label>({
    {"bankgiro", Bankgiro},
    {"bankgironr", Bankgiro},
    {"bankgironummer", Bankgiro},
    {"bg", Bankgiro},
    {"bgnr", Bankgiro},
    {"plusgiro", Plusgiro},
    {"plusgironr", Plusgiro},
    {"postgiro", Plusgiro},
    {"pg", Plusgiro},
    {"pgnr", Plusgiro},
    {"plusgironummer", Plusgiro},
    {"ocr", Ocr},
    {"ocrnummer", Ocr},
    {"ocrnr", Ocr},
    {"ocrreferens", Ocr},
    {"referensnummer", Ocr},
    {"betalningsreferens", Ocr},
    {"meddelandeocr", Ocr},
    {"orgnr", OrgNr},
    {"organisationsnummer", OrgNr},
    {"organisationsnr", OrgNr},
    {"orgnummer", OrgNr},
    {"corporateid", OrgNr},
    {"ustidnr", Vat},
    {"ustid", Vat},
    {"vatno", Vat},
    {"vatnumber", Vat},
    {"vatid", Vat},
    {"vatreg", Vat},
    {"vatregno", Vat},
    {"momsregnr", Vat},
    {"momsregistreringsnummer", Vat},
    {"vatnr", Vat},
    {"tva", Vat},
    {"notva", Vat},
    {"btw", Vat},
    {"btwnr", Vat},
    {"btwnummer", Vat},
    {"vat", Vat},
    {"umsatzsteueridnr", Vat},
    {"umsatzsteueridentifikationsnummer", Vat},
    {"ustidentnr", Vat},
    {"momsnr", Vat},
    {"uidnr", Vat},
    {"uid", Vat},
    {"bic", Bic},
    {"swift", Bic},
    {"bicswift", Bic},
    {"swiftbic", Bic},
    {"biccode", Bic},
    {"swiftcode", Bic},
});

std::string giro_text(const std::string& digits, std::size_t behind) {
    return digits.substr(0, digits.size() - behind) + "-" + digits.substr(digits.size() - behind);
}

template <class Check>
void take(Found<std::string>& into, const Document& document, const LabelAt& label, Check check) {
    if (into) return;
    for (const auto& place :
         places_near(document.lines, label,
                     {.right_max = 20, .below_max = 2, .right_count = 2, .below_count = 1})) {
        const auto& line = document.lines[place.line];
        // One word, or the words of a grouped number.
        for (std::size_t n = std::min<std::size_t>(place.segment.count, 6); n >= 1; --n) {
            const std::string text = check(line.text(place.segment.first, n));
            if (text.empty()) continue;
            into = {text, place.below ? 0.85 : 0.95, line.page,
                    line.box_of(place.segment.first, n)};
            return;
        }
    }
}

// IBANs need no label: their check digits speak. Groups of four are put together.
void find_iban(const Document& document, Found<std::string>& iban) {
    for (const auto& line : document.lines) {
        for (std::size_t i = 0; i < line.words.size() && !iban; ++i) {
            std::string text;
            for (std::size_t n = 0; n < 10 && i + n < line.words.size(); ++n) {
                text += upper_alnum(line.words[i + n].text);
                if (text.size() > 34) break;
                if (is_iban(text)) {
                    iban = {text, 0.98, line.page, line.box_of(i, n + 1)};
                    break;
                }
            }
        }
    }
}

}  // namespace

bool is_iban(std::string_view raw) {
    const auto text = upper_alnum(raw);
    if (text.size() < 15 || text.size() > 34 || !is_upper(text[0]) || !is_upper(text[1]))
        return false;
    if (!has_length(text.substr(0, 2), text.size(), kIbanLengths)) return false;
    int rest = 0;
    for (const char c : text.substr(4) + text.substr(0, 4)) {
        if (is_upper(c))
            rest = (rest * 100 + (c - 'A' + 10)) % 97;
        else
            rest = (rest * 10 + (c - '0')) % 97;
    }
    return rest == 1;
}

bool has_luhn_digit(std::string_view digits) {
    if (digits.size() < 2 || digits.size() > 30 || digit_count(digits) != digits.size())
        return false;
    int sum = 0;
    bool twice = false;
    for (auto at = digits.rbegin(); at != digits.rend(); ++at, twice = !twice) {
        const int d = (*at - '0') * (twice ? 2 : 1);
        sum += d > 9 ? d - 9 : d;
    }
    return sum % 10 == 0;
}

bool is_swedish_orgnr(std::string_view text) {
    auto digits = digits_of(text);
    if (digits.size() == 12 &&
        (digits.starts_with("16") || digits.starts_with("19") || digits.starts_with("20")))
        digits.erase(0, 2);
    return digits.size() == 10 && has_luhn_digit(digits);
}

bool is_vat_number(std::string_view raw) {
    const auto text = upper_alnum(raw);
    if (text.size() < 4 || !is_upper(text[0]) || !is_upper(text[1])) return false;
    const auto country = text.substr(0, 2), rest = text.substr(2);
    if (country == "NO" || text.starts_with("CHE")) return digit_count(text) == 9;
    if (!has_length(country, rest.size(), kVatLengths) || digit_count(rest) + 3 < rest.size())
        return false;
    if (country == "SE")
        return digit_count(rest) == 12 && rest.ends_with("01") &&
               is_swedish_orgnr(rest.substr(0, 10));
    if (country == "DE")
        return digit_count(rest) == 9;  // samples and old numbers fail its check digit
    return true;
}

InvoiceIds read_invoice_ids(const Document& document) {
    InvoiceIds ids;
    find_iban(document, ids.payment.iban);
    for (const auto& label : find_labels(document.lines, kLabels)) {
        switch (label.meaning) {
            case Bankgiro:
                take(ids.payment.bankgiro, document, label, [](const std::string& text) {
                    const auto digits = digits_of(text);
                    const bool shape =
                        (digits.size() == 7 || digits.size() == 8) && !has_letter(text);
                    return shape && has_luhn_digit(digits) ? giro_text(digits, 4) : std::string{};
                });
                break;
            case Plusgiro:
                take(ids.payment.plusgiro, document, label, [](const std::string& text) {
                    const auto digits = digits_of(text);
                    const bool shape =
                        digits.size() >= 2 && digits.size() <= 8 && !has_letter(text);
                    return shape && has_luhn_digit(digits) ? giro_text(digits, 1) : std::string{};
                });
                break;
            case Ocr:
                take(ids.payment.ocr_reference, document, label, [](const std::string& text) {
                    const auto digits = digits_of(text);
                    const bool shape =
                        digits.size() >= 4 && digits.size() <= 25 && !has_letter(text);
                    return shape && has_luhn_digit(digits) ? digits : std::string{};
                });
                break;
            case OrgNr:
                take(ids.orgnr, document, label, [](const std::string& text) {
                    if (!is_swedish_orgnr(text) || has_letter(text)) return std::string{};
                    auto digits = digits_of(text);
                    if (digits.size() == 12) digits.erase(0, 2);
                    return giro_text(digits, 4);
                });
                break;
            case Vat:
                take(ids.vat_number, document, label, [](const std::string& text) {
                    return is_vat_number(text) ? upper_alnum(text) : std::string{};
                });
                break;
            case Bic:
                take(ids.payment.bic, document, label, [](const std::string& text) {
                    const auto code = upper_alnum(text);
                    const bool letters =
                        code.size() >= 6 && std::all_of(code.begin(), code.begin() + 6, is_upper);
                    return letters && (code.size() == 8 || code.size() == 11) &&
                                   text.find(' ') == std::string::npos
                               ? code
                               : std::string{};
                });
                break;
            default:
                break;
        }
    }
    // A Swedish VAT number holds the company number.
    if (!ids.orgnr && ids.vat_number && ids.vat_number->starts_with("SE")) {
        ids.orgnr = {giro_text(ids.vat_number->substr(2, 10), 4), ids.vat_number.confidence,
                     ids.vat_number.page, ids.vat_number.box};
    }
    return ids;
}

}  // namespace belay::ai::rules

// currency.cpp — the currencies that documents name, and who shares a sign.
#include "ingestion/ai/rules/currency.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "ingestion/ai/rules/amount.hpp"
#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

constexpr std::array<std::string_view, 42> kCodes{
    "EUR", "USD", "SEK", "NOK", "DKK", "GBP", "CHF", "CAD", "AUD", "NZD", "INR",
    "JPY", "CNY", "PLN", "CZK", "HUF", "RON", "BGN", "ISK", "TRY", "ZAR", "BRL",
    "MXN", "SGD", "HKD", "THB", "MYR", "IDR", "PHP", "KRW", "ILS", "AED", "SAR",
    "RUB", "UAH", "HRK", "EGP", "MAD", "VND", "TWD", "ARS", "CLP"};

struct Name {
    std::string_view text;  // folded, or a sign as printed
    std::string_view code;
};
constexpr std::array kNames{
    Name{"€", "EUR"},    Name{"£", "GBP"},     Name{"¥", "JPY"},  Name{"₹", "INR"},
    Name{"₽", "RUB"},  Name{"₺", "TRY"},     Name{"zł", "PLN"}, Name{"$", "$"},
    Name{"us$", "USD"},  Name{"ca$", "CAD"},   Name{"c$", "CAD"}, Name{"a$", "AUD"},
    Name{"au$", "AUD"},  Name{"nz$", "NZD"},   Name{"s$", "SGD"}, Name{"hk$", "HKD"},
    Name{"euro", "EUR"}, Name{"euros", "EUR"}, Name{"kr", "kr"},  Name{"kronor", "kr"},
    Name{"rs", "INR"},   Name{"inr", "INR"},   Name{"rm", "MYR"}, Name{"chf", "CHF"},
    Name{"sfr", "CHF"},  Name{"fr", "CHF"},    Name{"kc", "CZK"}, Name{"ft", "HUF"},
};

std::string code_of(std::string_view text) {
    if (text.size() != 3) return {};
    std::string upper;
    for (const char c : text) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return is_currency_code(upper) ? upper : std::string{};
}

std::string strip_punctuation(std::string_view text) {
    text = trim(text);
    const auto drop = [](char c) {
        return c == '.' || c == ':' || c == '(' || c == ')' || c == '[' || c == ']' || c == ',';
    };
    while (!text.empty() && drop(text.front())) text.remove_prefix(1);
    while (!text.empty() && drop(text.back())) text.remove_suffix(1);
    return std::string{text};
}

// Who uses "$" and "kr", and what in a text speaks for them.
struct Sharer {
    std::string_view sign, code;
    std::array<std::string_view, 12> hints;  // folded words
};
constexpr std::array kSharers{
    Sharer{"kr",
           "SEK",
           {"moms", "org", "orgnr", "bankgiro", "plusgiro", "sverige", "sweden", "att", "betala",
            "faktura", "och", "kvitto"}},
    Sharer{"kr",
           "NOK",
           {"mva", "norge", "norway", "foretaksregisteret", "kontonummer", "oslo", "beløp"}},
    Sharer{"kr", "DKK", {"cvr", "danmark", "denmark", "kobenhavn", "belob", "reg", "dankort"}},
    Sharer{"$",
           "CAD",
           {"canada", "ontario", "toronto", "quebec", "hst", "gst", "vancouver", "montreal",
            "alberta", "pst", "qst", "calgary"}},
    Sharer{"$", "AUD", {"australia", "abn", "sydney", "melbourne", "nsw", "brisbane"}},
    Sharer{
        "$", "USD", {"usa", "inc", "llc", "states", "california", "york", "texas", "zip", "ein"}},
};

}  // namespace

bool is_currency_code(std::string_view code) {
    return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

std::string currency_word(std::string_view text) {
    const auto bare = strip_punctuation(text);
    if (bare.empty() || bare.size() > 8) return {};
    std::string lower;
    for (const char c : bare) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const auto& name : kNames) {
        if (lower == name.text) return std::string{name.code};
    }
    return code_of(bare);
}

CurrencyChoice document_currency(const std::vector<media::Page>& pages) {
    std::map<std::string, double> votes;
    std::map<std::string, int> words;
    for (const auto& page : pages) {
        for (std::size_t i = 0; i < page.words.size(); ++i) {
            const auto& text = page.words[i].text;
            for (const auto& word : fold_words(text)) ++words[word];
            const auto beside_number = [&](std::size_t at) {
                return at < page.words.size() && page.words[at].line == page.words[i].line &&
                       has_digit(page.words[at].text);
            };
            if (const auto code = currency_word(text); !code.empty()) {
                const bool is_name = code.size() == 3 && fold_alnum(text).size() > 3;
                // A two-letter word such as "fr" or "ft" is a currency only beside a number.
                const bool amount = beside_number(i + 1) || (i > 0 && beside_number(i - 1));
                const bool printed_code =
                    text.size() >= 3 && code_of(strip_punctuation(text)) == strip_punctuation(text);
                if (amount)
                    votes[code] += 3;
                else if (printed_code)
                    votes[code] += 2;
                else if (is_name || text == "€" || text == "$" || text == "£")
                    votes[code] += 1;
            } else if (has_digit(text)) {
                // Glued to its amount: "$12.00", "12,00kr"; "KR87654321012" is a code.
                const auto readings = read_amounts(text);
                if (!readings.empty() && digit_count(text) <= 9 &&
                    !readings.front().currency.empty()) {
                    votes[readings.front().currency] += 3;
                }
            }
        }
    }
    for (const std::string sign : {"kr", "$"}) {
        if (votes[sign] == 0) continue;
        // A code of a country with this sign that the document prints decides; then its words do.
        std::string best;
        double most = 0;
        for (const auto& sharer : kSharers) {
            if (sharer.sign != sign) continue;
            double score = 2 * votes[std::string{sharer.code}];
            for (const auto& hint : sharer.hints) {
                if (!hint.empty() && words.contains(std::string{hint})) score += 1;
            }
            if (score > most) {
                most = score;
                best = sharer.code;
            }
        }
        if (best.empty()) best = sign == "kr" ? "SEK" : "USD";
        votes[best] += votes[sign];
        votes.erase(sign);
    }
    CurrencyChoice choice;
    double total = 0, most = 0;
    for (const auto& [code, count] : votes) {
        total += count;
        if (count > most) {
            most = count;
            choice.code = code;
        }
    }
    if (most > 0) choice.confidence = 0.5 + 0.5 * most / total;
    return choice;
}

}  // namespace belay::ai::rules

#include "ingestion/ai/rules/seller.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/receipt_text.hpp"

namespace belay::ai::rules {
namespace {

// A company's legal form, folded. What follows it is a number or a branch, not the name.
constexpr std::array<std::string_view, 18> kForms{
    "gmbh",   "aktiebolag",  "handelsbolag", "ltd", "limited", "llc", "inc", "plc",    "llp",
    "berhad", "corporation", "ohg",          "aps", "sarl",    "pte", "gbr", "sdnbhd", "bhd"};
// Two letters are a form only in capitals and behind a name: "kg" is a weight.
constexpr std::array<std::string_view, 9> kShortForms{"AG", "KG", "AB", "HB", "SB",
                                                      "BV", "OY", "AS", "SE"};
// Words that end the names of firms without a legal form.
constexpr std::array<std::string_view, 5> kFirmWords{"enterprise", "enterprises", "trading",
                                                     "marketing", "ventures"};

// "SDN" and "BHD" are three letters: one of them may be wrong if the other is right.
bool like_sdn_bhd(const std::string& a, const std::string& b) {
    const auto one_off = [](const std::string& word, std::string_view right) {
        if (word.size() != right.size()) return false;
        std::size_t off = 0;
        for (std::size_t i = 0; i < word.size(); ++i) off += word[i] == right[i] ? 0 : 1;
        return off <= 1;
    };
    return one_off(a, "sdn") && one_off(b, "bhd") &&
           (a == "sdn" || b == "bhd" || (a[0] == 's' && b[0] == 'b'));
}

struct Token {
    std::string folded;
    std::size_t begin = 0, end = 0;  // in the text
};

std::vector<Token> tokens(std::string_view text) {
    std::vector<Token> out;
    std::size_t i = 0;
    const auto part = [&](char c) {
        return c != ' ' && c != '/' && c != ',' && c != '(' && c != ')';
    };
    while (i < text.size()) {
        while (i < text.size() && !part(text[i])) ++i;
        const std::size_t begin = i;
        while (i < text.size() && part(text[i])) ++i;
        if (i > begin) {
            std::string folded = fold_alnum(text.substr(begin, i - begin));
            if (!folded.empty()) out.push_back({std::move(folded), begin, i});
        }
    }
    return out;
}

enum class Kind { SdnBhd, Legal, Firm };

struct FormAt {
    std::size_t first = 0, count = 0;  // which tokens
    Kind kind = Kind::Legal;
};

bool like_gmbh(const std::string& word) {
    return word.size() == 4 && word[0] == 'g' && word.ends_with("bh");
}

std::optional<FormAt> form_in(std::string_view text, const std::vector<Token>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i + 1 < words.size() && like_sdn_bhd(words[i].folded, words[i + 1].folded))
            return FormAt{i, 2, Kind::SdnBhd};
        if (words[i].folded == "sdnbhd") return FormAt{i, 1, Kind::SdnBhd};
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].folded;
        if (like_gmbh(word) || std::find(kForms.begin(), kForms.end(), word) != kForms.end())
            return FormAt{i, 1, Kind::Legal};
        std::string_view raw = text.substr(words[i].begin, words[i].end - words[i].begin);
        while (!raw.empty() && raw.back() == '.') raw.remove_suffix(1);
        if (std::find(kShortForms.begin(), kShortForms.end(), raw) != kShortForms.end())
            return FormAt{i, 1, Kind::Legal};
        // "S/B", whose last letter is easily misread.
        if (word == "s" && i + 1 < words.size() && words[i + 1].folded.size() == 1 &&
            text[words[i].end] == '/')
            return FormAt{i, 2, Kind::Legal};
    }
    for (std::size_t i = words.size(); i-- > 1;) {
        for (const std::string_view firm : kFirmWords) {
            if (words[i].folded == firm || nearly_equal(words[i].folded, firm))
                return FormAt{i, 1, Kind::Firm};
        }
    }
    return std::nullopt;
}

}  // namespace

bool has_firm_form(std::string_view text) { return form_in(text, tokens(text)).has_value(); }

bool has_seller_form(std::string_view text) {
    const auto at = form_in(text, tokens(text));
    return at && at->kind != Kind::Firm;
}

std::size_t words_before_form(std::string_view text) {
    const auto at = form_in(text, tokens(text));
    return at ? at->first : 0;
}

bool has_trade_word(std::string_view said) {
    return says_any(
        said, {"restaurant", "hardware",   "market",     "bakery",    "bakeries", "pharmacy",
               "farmasi",    "stationery", "bookstore",  "supplies",  "supply",   "store",
               "shop",       "cafe",       "bistro",     "kitchen",   "hotel",    "apotek",
               "apotheke",   "backerei",   "supermarkt", "drogerie",  "butik",    "livsmedel",
               "syarikat",   "perniagaan", "kedai",      "pasaraya",  "company",  "industries",
               "motor",      "electrical", "clinic",     "centre",    "mart",     "grocer",
               "holdings",   "ristorante", "pizzeria",   "tankstelle"});
}

std::string company_name(std::string_view line) {
    std::string name{trim(line)};
    std::vector<Token> words = tokens(name);
    if (const auto form = form_in(name, words)) {
        // "Store: 3322 Dirk Rossmann GmbH": labels and numbers before the name are not part of it.
        std::size_t from = 0;
        for (std::size_t i = 0; i + 1 < form->first; ++i) {
            const bool label = name[words[i].end - 1] == ':' ||
                               (digit_count(words[i].folded) >= 2 && !has_letter(words[i].folded));
            if (label) from = i + 1;
        }
        if (from > 0) {
            name = name.substr(words[from].begin);
            words = tokens(name);
        }
    }
    if (const auto at = form_in(name, words)) {
        const std::size_t begin = words[at->first].begin;
        std::size_t end = words[at->first + at->count - 1].end;
        // "GmbH & Co. KG" is one form.
        if (words[at->first].folded.starts_with("g") && name.find("Co", end) != std::string::npos)
            end = std::min(name.size(), name.find_first_of(",(", end));
        if (like_gmbh(words[at->first].folded)) name.replace(begin, 4, "GmbH");
        if (at->kind == Kind::SdnBhd) {
            name = name.substr(0, begin) + "SDN BHD" + name.substr(end);
            end = begin + 7;
        }
        const std::string_view tail =
            trim(std::string_view{name}.substr(std::min(end, name.size())));
        // "(JALAN KLANG LAMA)" says which branch; "(1132106-H)" is the company's number.
        const bool branch = !tail.empty() && tail.front() == '(' && digit_count(tail) == 0 &&
                            fold_alnum(tail).size() >= 3;
        const bool part_of_name = at->kind == Kind::Firm && digit_count(tail) == 0;
        if (!branch && !part_of_name) name = name.substr(0, end);
    } else {
        const std::size_t bracket = name.find_first_of("([{");
        if (bracket != std::string::npos && bracket > 3 &&
            digit_count(std::string_view{name}.substr(bracket)) >= 3)
            name = name.substr(0, bracket);
    }
    const auto mark = [](char c) {
        const auto u = static_cast<unsigned char>(c);
        return u < 0x80 && !std::isalnum(u) && c != ')';
    };
    while (!name.empty() && mark(name.back())) name.pop_back();
    std::size_t begin = 0;
    while (begin < name.size() && mark(name[begin]) && name[begin] != '(') ++begin;
    return name.substr(begin);
}

bool is_address(std::string_view line) {
    const std::string said = fold(line);
    const std::vector<std::string> words = fold_words(line);
    for (const std::string& word : words) {
        for (const std::string_view street :
             {"jalan",   "jln",      "jin",    "lorong", "taman",     "bandar",   "lot",
              "tingkat", "seksyen",  "street", "road",   "avenue",    "floor",    "strasse",
              "str",     "platz",    "weg",    "gatan",  "vagen",     "gata",     "torget",
              "allee",   "selangor", "johor",  "kuala",  "lumpur",    "petaling", "block",
              "kampung", "kawasan",  "mall",   "plaza",  "persiaran", "lebuh"}) {
            if (word == street) return true;
        }
        for (const std::string_view ending : {"strasse", "gatan", "vagen", "platz", "weg"}) {
            if (word.size() > ending.size() + 2 && word.ends_with(ending)) return true;
        }
    }
    // A postcode and a place: "81100 JOHOR BAHRU", "114 32 Stockholm"; or "NO. 12, …".
    if (words.size() >= 2 && words[0] == "no" && digit_count(words[1]) > 0) return true;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const bool five = words[i].size() == 5 && digit_count(words[i]) == 5;
        const bool split = i + 2 < words.size() && words[i].size() == 3 &&
                           digit_count(words[i]) == 3 && words[i + 1].size() == 2 &&
                           digit_count(words[i + 1]) == 2;
        if ((five && has_letter(words[i + 1])) || (split && has_letter(words[i + 2]))) return true;
    }
    return false;
}

std::string organisation_number(std::string_view line) {
    const std::string said = fold_alnum(line);
    const std::string text{line};
    const bool labelled = says_any(
        said, {"orgnr", "orgno", "organisationsnummer", "gstno", "gstid", "gstreg", "vatno",
               "vatreg", "ustid", "steuernr", "companyno", "regno", "cono", "roc", "momsreg"});
    // 556677-8899, and SE556677889901 around it.
    for (std::size_t i = 0; i + 11 <= text.size(); ++i) {
        bool fits = text[i + 6] == '-';
        for (std::size_t k = 0; fits && k < 11; ++k) {
            if (k != 6 && !std::isdigit(static_cast<unsigned char>(text[i + k]))) fits = false;
        }
        const bool free =
            (i == 0 || !std::isdigit(static_cast<unsigned char>(text[i - 1]))) &&
            (i + 11 == text.size() || !std::isdigit(static_cast<unsigned char>(text[i + 11])));
        // The third digit of a Swedish company's number is at least 2.
        if (fits && free && (labelled || text[i + 2] >= '2')) return text.substr(i, 11);
    }
    if (!labelled) return {};
    // The longest run of digits, letters and dashes with at least six digits.
    std::string best, run;
    for (const char c : text + " ") {
        const bool part = std::isalnum(static_cast<unsigned char>(c)) || c == '-';
        if (part) {
            run += c;
            continue;
        }
        if (digit_count(run) >= 6 && run.size() > best.size()) best = run;
        run.clear();
    }
    return best;
}

}  // namespace belay::ai::rules

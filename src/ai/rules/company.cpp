#include "ai/rules/company.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "ai/rules/fold.hpp"
#include "ai/rules/receipt_text.hpp"

namespace belay::ai::rules {
namespace {

struct Form {
    std::array<std::string_view, 2> words;  // folded; the second may be empty
    std::string_view shown;                 // how it is written right; empty: as printed
};

constexpr std::array kForms{
    Form{{"sdn", "bhd"}, "SDN BHD"}, Form{{"s", "b"}, ""},      Form{{"sb", ""}, ""},      Form{{"gmbh", ""}, "GmbH"},
    Form{{"ag", ""}, ""},            Form{{"kg", ""}, ""},      Form{{"ohg", ""}, ""},     Form{{"ek", ""}, ""},
    Form{{"ab", ""}, ""},            Form{{"aktiebolag", ""}, ""}, Form{{"hb", ""}, ""},   Form{{"handelsbolag", ""}, ""},
    Form{{"ltd", ""}, ""},           Form{{"limited", ""}, ""}, Form{{"llc", ""}, ""},     Form{{"inc", ""}, ""},
    Form{{"plc", ""}, ""},           Form{{"llp", ""}, ""},     Form{{"enterprise", ""}, ""}, Form{{"enterprises", ""}, ""},
    Form{{"trading", ""}, ""},       Form{{"corporation", ""}, ""}, Form{{"oy", ""}, ""},  Form{{"aps", ""}, ""},
    Form{{"bv", ""}, ""},            Form{{"sarl", ""}, ""},    Form{{"marketing", ""}, ""}, Form{{"berhad", ""}, ""},
};

// "SDN" and "BHD" are three letters: one of them may be wrong if the other is right.
bool like_sdn_bhd(const std::string& a, const std::string& b) {
    const auto one_off = [](const std::string& word, std::string_view right) {
        if (word.size() != right.size()) return false;
        std::size_t off = 0;
        for (std::size_t i = 0; i < word.size(); ++i) off += word[i] == right[i] ? 0 : 1;
        return off <= 1;
    };
    return one_off(a, "sdn") && one_off(b, "bhd") && (a == "sdn" || b == "bhd" || (a[0] == 's' && b[0] == 'b'));
}

struct Token {
    std::string folded;
    std::size_t begin = 0, end = 0;  // in the text
};

std::vector<Token> tokens(std::string_view text) {
    std::vector<Token> out;
    std::size_t i = 0;
    const auto part = [&](char c) { return c != ' ' && c != '/' && c != ',' && c != '(' && c != ')'; };
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

struct FormAt {
    std::size_t first = 0, count = 0;  // which tokens
    const Form* form = nullptr;
};

std::optional<FormAt> form_in(const std::vector<Token>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i + 1 < words.size() && like_sdn_bhd(words[i].folded, words[i + 1].folded)) return FormAt{i, 2, &kForms[0]};
        if (words[i].folded == "sdnbhd") return FormAt{i, 1, &kForms[0]};
    }
    for (std::size_t i = words.size(); i-- > 0;) {
        for (const Form& form : kForms) {
            if (words[i].folded != form.words[0] && !(form.words[0].size() >= 7 && nearly_equal(words[i].folded, form.words[0]))) continue;
            if (form.words[1].empty()) {
                // Two letters are a form only where a form stands: behind a name.
                if (i == 0 && form.words[0].size() <= 3) continue;
                return FormAt{i, 1, &form};
            }
            if (i + 1 < words.size() && words[i + 1].folded == form.words[1]) return FormAt{i, 2, &form};
        }
    }
    return std::nullopt;
}

}  // namespace

bool has_company_form(std::string_view text) { return form_in(tokens(text)).has_value(); }

std::size_t words_before_form(std::string_view text) {
    const auto at = form_in(tokens(text));
    return at ? at->first : 0;
}

bool has_trade_word(std::string_view said) {
    return says_any(said, {"restaurant", "hardware", "market", "bakery", "bakeries", "pharmacy", "farmasi", "stationery",
                           "bookstore", "supplies", "supply", "store", "shop", "cafe", "bistro", "kitchen", "hotel",
                           "apotek", "apotheke", "backerei", "supermarkt", "drogerie", "butik", "livsmedel",
                           "syarikat", "perniagaan", "kedai", "pasaraya", "company", "industries", "motor", "electrical",
                           "clinic", "centre", "mart", "grocer", "holdings", "ristorante", "pizzeria", "tankstelle"});
}

std::string company_name(std::string_view line) {
    std::string name{trim(line)};
    const std::vector<Token> words = tokens(name);
    if (const auto at = form_in(words)) {
        const std::size_t begin = words[at->first].begin;
        std::size_t end = words[at->first + at->count - 1].end;
        // "GmbH & Co. KG" is one form; what follows "Sdn Bhd" is a number or a branch.
        const std::string_view rest = std::string_view{name}.substr(end);
        if (at->form->shown == "GmbH" && rest.find("Co") != std::string_view::npos) return name;
        if (at->form->shown == "SDN BHD") name = name.substr(0, begin) + "SDN BHD" + name.substr(end);
        end = at->form->shown == "SDN BHD" ? begin + 7 : end;
        const std::string_view tail = trim(std::string_view{name}.substr(end));
        // "(JALAN KLANG LAMA)" says which branch; "(1132106-H)" is the company's number.
        const bool number = digit_count(tail) > 0;
        if (number || fold_alnum(tail).size() < 3 || tail.front() != '(') name = name.substr(0, end);
    } else {
        const std::size_t bracket = name.find_first_of("([{");
        if (bracket != std::string::npos && bracket > 3 && digit_count(std::string_view{name}.substr(bracket)) >= 3)
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
             {"jalan", "jln", "jin", "lorong", "taman", "bandar", "lot", "tingkat", "seksyen", "street", "road", "avenue", "floor",
              "strasse", "str", "platz", "weg", "gatan", "vagen", "gata", "torget", "allee", "selangor", "johor", "kuala",
              "lumpur", "petaling", "block", "kampung", "kawasan", "mall", "plaza", "persiaran", "lebuh"}) {
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
        const bool split = i + 2 < words.size() && words[i].size() == 3 && digit_count(words[i]) == 3 &&
                           words[i + 1].size() == 2 && digit_count(words[i + 1]) == 2;
        if ((five && has_letter(words[i + 1])) || (split && has_letter(words[i + 2]))) return true;
    }
    return false;
}

std::string organisation_number(std::string_view line) {
    const std::string said = fold_alnum(line);
    const std::string text{line};
    const bool labelled = says_any(said, {"orgnr", "orgno", "organisationsnummer", "gstno", "gstid", "gstreg", "vatno",
                                          "vatreg", "ustid", "steuernr", "companyno", "regno", "cono", "roc", "momsreg"});
    // 556677-8899, and SE556677889901 around it.
    for (std::size_t i = 0; i + 11 <= text.size(); ++i) {
        bool fits = text[i + 6] == '-';
        for (std::size_t k = 0; fits && k < 11; ++k) {
            if (k != 6 && !std::isdigit(static_cast<unsigned char>(text[i + k]))) fits = false;
        }
        const bool free = (i == 0 || !std::isdigit(static_cast<unsigned char>(text[i - 1]))) &&
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

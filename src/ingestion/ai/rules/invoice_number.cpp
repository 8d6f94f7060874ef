// invoice_number.cpp — "Rechnungs-Nr. 4711", "Invoice #4711", "Facture FA-2017-0009", "Nr. 4711 vom …".
#include "ingestion/ai/rules/invoice_number.hpp"

#include <algorithm>
#include <array>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

// Labels that name the number itself.
constexpr auto kLabels = std::to_array<Label>({
    {"rechnungsnummer", 3},
    {"rechnungsnr", 3},
    {"rechnungnr", 3},
    {"rechnungnummer", 3},
    {"rechnr", 3},
    {"renr", 3},
    {"rgnr", 3},
    {"belegnr", 2},
    {"belegnummer", 2},
    {"invoicenumber", 3},
    {"invoiceno", 3},
    {"invoicenr", 3},
    {"invoiceid", 3},
    {"invnumber", 3},
    {"invno", 3},
    {"invoiceref", 2},
    {"fakturanummer", 3},
    {"fakturanr", 3},
    {"fakturano", 3},
    {"numerodefacture", 3},
    {"nodefacture", 3},
    {"facturenumero", 3},
    {"factureno", 3},
    {"nofacture", 3},
    {"facturen", 3},
    {"factuurnummer", 3},
    {"factuurnr", 3},
    {"numerodefactura", 3},
    {"nofactura", 3},
    {"facturano", 3},
    {"numerofattura", 3},
    {"fatturano", 3},
    {"fatturan", 3},
    {"laskunnumero", 3},
    {"documentnumber", 2},
    {"documentno", 2},
    {"gutschriftsnummer", 3},
    {"gutschriftnr", 3},
    {"creditnotenumber", 3},
    {"creditnoteno", 3},
    {"kreditfakturanr", 3},
    {"taxinvoiceno", 3},
    {"billnumber", 2},
    {"billno", 2},
    {"vatinvoicenumber", 3},
    {"numerofacture", 3},
    {"rechnungsid", 3},
    {"belegnrrechnung", 3},
    {"fakturanrocr", 3},
    {"invoicereference", 2},
    {"rechnungsnummern", 3},
});

// Titles: words that say what the document is, when they begin a segment.
bool is_title_word(std::string_view word) {
    static constexpr auto kExact = std::to_array<std::string_view>({"invoice",
                                                                    "facture",
                                                                    "faktura",
                                                                    "factuur",
                                                                    "avoir",
                                                                    "gutschrift",
                                                                    "creditnote",
                                                                    "kreditfaktura",
                                                                    "creditnota",
                                                                    "kreditnota",
                                                                    "fattura",
                                                                    "bill",
                                                                    "rechnungskorrektur",
                                                                    "stornorechnung",
                                                                    "creditinvoice",
                                                                    "proformainvoice",
                                                                    "taxinvoice",
                                                                    "samlingsfaktura",
                                                                    "korrekturrechnung",
                                                                    "teilrechnung"});
    if (std::find(kExact.begin(), kExact.end(), word) != kExact.end()) return true;
    return word.ends_with("rechnung") && word.size() <= 24;
}

bool is_number_word(std::string_view folded) {
    static constexpr auto kWords = std::to_array<std::string_view>(
        {"nr", "no", "number", "nummer", "numero", "num", "n", "id"});
    return std::find(kWords.begin(), kWords.end(), folded) != kWords.end();
}

std::string strip(std::string_view text) {
    const auto is_edge = [](char c) {
        return c == ':' || c == ',' || c == ';' || c == '.' || c == '(' || c == ')' || c == '"' ||
               c == '\'' || c == '#' || c == '|';
    };
    while (!text.empty() && is_edge(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_edge(text.back())) text.remove_suffix(1);
    return std::string{text};
}

// What may be an invoice number: one word with a digit in it that is not something else.
bool is_code(const std::string& text, const Document& document) {
    if (text.size() < 2 || text.size() > 36 || !has_digit(text)) return false;
    if (text.find('@') != std::string::npos || text.find("://") != std::string::npos ||
        text.find('%') != std::string::npos)
        return false;
    for (const char c : text) {
        if (c == '*' || c == '=' || c == ',' || c == '+' || c == '$') return false;
    }
    if (read_date(text, document.date_style)) return false;
    const auto amounts = read_amounts(text, document.numbers);
    if (!amounts.empty() && amounts.front().decimals &&
        text.find_first_of("-/") == std::string::npos &&
        (amounts.front().value.scale() == 2 || !amounts.front().currency.empty())) {
        return false;
    }
    return true;
}

struct Candidate {
    std::string text{};
    double score = 0;
    int page = 0;
    media::Box box{};
};

// The code at word `i` of a line; a short prefix of letters belongs to it ("RE 2024-17").
std::optional<Candidate> code_at(const Document& document, const Line& line, std::size_t i) {
    if (i >= line.words.size()) return {};
    auto text = strip(line.words[i].text);
    std::size_t count = 1;
    const auto is_prefix = [&] {
        return text.size() >= 1 && text.size() <= 5 && !has_digit(text) && has_letter(text) &&
               std::all_of(text.begin(), text.end(),
                           [](char c) { return (c >= 'A' && c <= 'Z') || c == '-' || c == '/'; });
    };
    if (is_prefix() && i + 1 < line.words.size() && !is_number_word(fold_alnum(text)) &&
        line.words[i + 1].box.x - line.words[i].box.right() < line.words[i].box.height) {
        text += " " + strip(line.words[i + 1].text);
        count = 2;
    }
    // "00.123 - 7", "4711 / 2024": a lone mark joins its neighbours.
    while (i + count + 1 < line.words.size()) {
        const auto& mark = line.words[i + count].text;
        if (mark != "-" && mark != "/") break;
        if (!has_digit(line.words[i + count + 1].text) ||
            read_date(strip(line.words[i + count + 1].text), document.date_style))
            break;
        if (line.words[i + count].box.x - line.words[i + count - 1].box.right() >
            0.6 * document.height)
            break;
        text += mark + strip(line.words[i + count + 1].text);
        count += 2;
    }
    if (!is_code(text, document)) return {};
    // A long number in groups ("123 456 789") is one number.
    while (i + count < line.words.size() && count < 6 &&
           digit_count(text) == fold_alnum(text).size()) {
        const auto more = strip(line.words[i + count].text);
        if (more.size() < 2 || more.size() > 4 || digit_count(more) != more.size()) break;
        if (line.words[i + count].box.x - line.words[i + count - 1].box.right() >
            0.5 * document.height)
            break;
        text += " " + more;
        ++count;
    }
    return Candidate{text, 0, line.page, line.box_of(i, count)};
}

// The first code in a place, past marks such as ":" or "#" and a word "Nr.".
std::optional<Candidate> code_in(const Document& document, const Line& line, std::size_t first,
                                 std::size_t count) {
    for (auto i = first; i < std::min(first + count, first + 3) && i < line.words.size(); ++i) {
        if (auto code = code_at(document, line, i)) return code;
        const auto folded = fold_alnum(line.words[i].text);
        if (!folded.empty() && !is_number_word(folded)) return {};
    }
    return {};
}

void from_labels(const Document& document, std::vector<Candidate>& out) {
    for (const auto& label : find_labels(document.lines, kLabels)) {
        for (const auto& place :
             places_near(document.lines, label,
                         {.right_max = 40, .below_max = 2, .right_count = 1, .below_count = 1})) {
            auto code = code_in(document, document.lines[place.line], place.segment.first,
                                place.segment.count);
            if (!code) continue;
            code->score = (label.meaning == 3 ? 0.95 : 0.8) * (label.exact ? 1 : 0.9) *
                          (place.below ? 0.9 : 1);
            out.push_back(*code);
            break;
        }
    }
}

// Titles: "Handelsrechnung (380) Nr. 280081 vom 13.07.2018", "Invoice INV/2023/03/0008", "INVOICE" above
// "# 17".
void from_titles(const Document& document, std::vector<Candidate>& out) {
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        const auto& line = document.lines[l];
        for (const auto& segment : segments_of(line, 1.6)) {
            const auto first = fold_alnum(line.words[segment.first].text);
            const auto two =
                segment.count > 1 ? first + fold_alnum(line.words[segment.first + 1].text) : first;
            if (!is_title_word(first) && !is_title_word(two)) continue;
            const auto end = segment.first + segment.count;
            const bool large = line.words[segment.first].box.height > 1.15 * document.height;
            for (auto i = segment.first + 1; i < end && i < segment.first + 9; ++i) {
                const auto folded = fold_alnum(line.words[i].text);
                const bool number_word = is_number_word(folded) || line.words[i].text == "#" ||
                                         fold(line.words[i].text) == "n?";
                if (number_word) {
                    // "Invoice #" may have its number in the next column.
                    if (auto code =
                            code_in(document, line, i + 1, std::max<std::size_t>(end - i - 1, 1))) {
                        code->score = 0.9;
                        out.push_back(*code);
                    }
                    break;
                }
                if (i == segment.first + 1 || (i == segment.first + 2 && is_title_word(two))) {
                    if (auto code = code_at(document, line, i);
                        code && (large || has_letter(code->text) || segment.count <= 3)) {
                        // "(380)" is a type code; "Rechnung 2024" may be a year.
                        if (line.words[i].text.front() != '(' &&
                            !(code->text.size() == 4 && code->text.starts_with("20"))) {
                            code->score = large ? 0.85 : 0.7;
                            out.push_back(*code);
                            break;
                        }
                    }
                }
            }
            // A title alone, with "# 17" or "Nr. 17" under it.
            if (segment.count <= 2 && l + 1 < document.lines.size() &&
                document.lines[l + 1].page == line.page) {
                for (const auto& below : segments_of(document.lines[l + 1], 1.6)) {
                    if (overlap_x(below.box, segment.box) < 0.3 &&
                        std::abs(below.box.right() - segment.box.right()) > 2 * document.height)
                        continue;
                    const auto& word = document.lines[l + 1].words[below.first];
                    const bool marked =
                        word.text.starts_with('#') || is_number_word(fold_alnum(word.text));
                    if (!marked || below.box.y - segment.box.bottom() > 3 * document.height)
                        continue;
                    const auto at =
                        word.text == "#" || !has_digit(word.text) ? below.first + 1 : below.first;
                    if (auto code = code_at(document, document.lines[l + 1], at)) {
                        code->score = 0.8;
                        out.push_back(*code);
                    }
                }
            }
        }
    }
}

}  // namespace

Found<std::string> read_invoice_number(const Document& document) {
    std::vector<Candidate> candidates;
    from_labels(document, candidates);
    from_titles(document, candidates);
    const Candidate* best = nullptr;
    double most = 0;
    for (const auto& candidate : candidates) {
        double score = candidate.score;
        // Said twice is said better; an earlier page says it best.
        for (const auto& other : candidates) {
            if (&other != &candidate && fold_alnum(other.text) == fold_alnum(candidate.text))
                score += 0.03;
        }
        score -= 0.05 * (candidate.page - document.first_page);
        if (score > most) {
            most = score;
            best = &candidate;
        }
    }
    if (best == nullptr) return {};
    return {best->text, std::min(1.0, most), best->page, best->box};
}

}  // namespace belay::ai::rules

// statement_rows.cpp — finds the rows by their dates, and their amounts by the column they share.
#include "ai/rules/statement_rows.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "ai/rules/fold.hpp"
#include "ai/rules/statement_header.hpp"

namespace belay::ai::rules {
namespace {

enum Meaning { Amount_ = 1, Credit, Debit, Balance, Foreign, City, Text };

constexpr auto kHeadings = std::to_array<Label>({
    {"amount", Amount_},
    {"belopp", Amount_},
    {"beloppsek", Amount_},
    {"beloppkr", Amount_},
    {"beloppisek", Amount_},
    {"amountsek", Amount_},
    {"amountcad", Amount_},
    {"amountusd", Amount_},
    {"amountgbp", Amount_},
    {"transactionamount", Amount_},
    {"billingamount", Amount_},
    {"amounteur", Amount_},
    {"charges", Debit},
    {"debit", Debit},
    {"debits", Debit},
    {"purchases", Debit},
    {"moneyout", Debit},
    {"paidout", Debit},
    {"debet", Debit},
    {"chargesdebits", Debit},
    {"credits", Credit},
    {"credit", Credit},
    {"payments", Credit},
    {"paymentscredits", Credit},
    {"moneyin", Credit},
    {"paidin", Credit},
    {"kredit", Credit},
    {"insattningar", Credit},
    {"paymentsandcredits", Credit},
    {"balance", Balance},
    {"saldo", Balance},
    {"runningbalance", Balance},
    {"foreignamount", Foreign},
    {"utlbelopp", Foreign},
    {"utlandsktbelopp", Foreign},
    {"beloppivaluta", Foreign},
    {"originalamount", Foreign},
    {"valutabelopp", Foreign},
    {"localamount", Foreign},
    {"originalbelopp", Foreign},
    {"foreigncurrencyamount", Foreign},
    {"beloppvaluta", Foreign},
    {"valuta", Foreign},
    {"foreigncurrency", Foreign},
    {"moms", Foreign},
    {"varavmoms", Foreign},
    {"vat", Foreign},
    {"kurs", Foreign},
    {"rate", Foreign},
    {"ort", City},
    {"stad", City},
    {"city", City},
    {"location", City},
    {"inkopsort", City},
    {"town", City},
    {"description", Text},
    {"specifikation", Text},
    {"text", Text},
    {"inkopsstalle", Text},
    {"merchant", Text},
    {"details", Text},
    {"transaction", Text},
    {"activitydescription", Text},
    {"transactiondescription", Text},
    {"beskrivning", Text},
    {"kopstalle", Text},
    {"transactiondetails", Text},
    {"reference", Text},
    {"forsaljningsstalle", Text},
});

struct Heading {
    int meaning = 0;
    media::Box box{};
};

double edge_distance(const media::Box& a, const media::Box& b) {
    const auto middle = std::abs((a.x + a.width / 2) - (b.x + b.width / 2));
    return std::min({std::abs(a.right() - b.right()), middle, std::abs(a.x - b.x)});
}

// A dated line that may be a row.
struct Dated {
    std::size_t line = 0;
    std::vector<DateAt> dates{};  // one or two, at its left
    std::size_t text_from = 0;
};

bool is_money(const Amount& amount) {
    return amount.decimals && !amount.percent && amount.value.scale() == 2;
}

std::vector<Dated> dated_lines(const Document& document) {
    std::vector<Dated> found;
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        const auto& line = document.lines[l];
        const auto& amounts = document.amounts[l];
        if (std::none_of(amounts.begin(), amounts.end(),
                         [](const AmountAt& at) { return is_money(at.amount); }))
            continue;
        auto dates =
            find_dates(line.words, document.date_style, {.without_year = true, .six_digits = true});
        // A mark, a row number or a card's last digits may stand before the date, a sentence may not.
        if (dates.empty() || dates[0].first > 2) continue;
        const auto before = line.text(0, dates[0].first);
        if (fold_alnum(before).size() > 6) continue;
        Dated dated{l, {dates[0]}, dates[0].first + dates[0].count};
        if (dates.size() > 1 && dates[1].first == dated.text_from) {
            dated.dates.push_back(dates[1]);
            dated.text_from += dates[1].count;
        }
        if (dated.text_from >= line.words.size()) continue;
        found.push_back(dated);
    }
    return found;
}

// The headings nearest above a line.
std::vector<Heading> headings_for(const Document& document, std::size_t first,
                                  const std::vector<LabelAt>& labels) {
    std::map<std::size_t, std::vector<Heading>> by_line;
    for (const auto& label : labels) {
        if (label.line < first && document.lines[label.line].page == document.lines[first].page)
            by_line[label.line].push_back({label.meaning, label.box});
    }
    for (auto at = by_line.rbegin(); at != by_line.rend(); ++at) {
        const bool amounts = std::any_of(
            at->second.begin(), at->second.end(),
            [](const Heading& h) { return h.meaning == Amount_ || h.meaning == Debit; });
        const bool text = std::any_of(at->second.begin(), at->second.end(), [](const Heading& h) {
            return h.meaning == Text || h.meaning == City;
        });
        if (amounts && (text || at->second.size() >= 2)) return at->second;
    }
    return {};
}

// Right edges of money on the dated lines, in bands; the fullest band is the column of amounts.
double amount_band(const Document& document, const std::vector<Dated>& dated) {
    std::vector<double> edges;
    for (const auto& d : dated) {
        for (const auto& at : document.amounts[d.line]) {
            if (is_money(at.amount) && at.first >= d.text_from) edges.push_back(at.box.right());
        }
    }
    double best = -1;
    std::size_t most = 0;
    for (const double edge : edges) {
        const auto count =
            static_cast<std::size_t>(std::count_if(edges.begin(), edges.end(), [&](double e) {
                return std::abs(e - edge) < 1.2 * document.height;
            }));
        if (count > most || (count == most && edge > best)) {
            most = count;
            best = edge;
        }
    }
    return best;
}

std::string description_of(const Line& line, std::size_t from, std::size_t to) {
    while (to > from && (line.words[to - 1].text == "$" || line.words[to - 1].text == "-" ||
                         line.words[to - 1].text == ":"))
        --to;
    return line.text(from, to - from);
}

void settle_year(std::optional<Date>& date, std::optional<Date> latest) {
    if (!date || date->year != 0) return;
    if (!latest) {
        date.reset();
        return;
    }
    date->year = latest->year;
    // Entered a few days late is usual; months ahead is last year.
    if (!date->is_valid() || date->days() > latest->days() + 7) --date->year;
    if (!date->is_valid()) date.reset();
}

// A line without a date below a row: its foreign amount, its rate.
void read_continuation(const Document& document, std::size_t l, StatementRow& row) {
    const auto folded = fold(document.lines[l].text());
    const bool rate =
        folded.find("rate") != std::string::npos || folded.find("kurs") != std::string::npos;
    const auto& words = document.lines[l].words;
    for (const auto& at : document.amounts[l]) {
        if (at.amount.percent) continue;
        auto code = at.amount.currency;
        if (code.size() != 3 && at.first > 0 && is_currency_code(words[at.first - 1].text))
            code = words[at.first - 1].text;
        const auto next = at.first + at.count;
        if (code.size() != 3 && next < words.size() && is_currency_code(words[next].text))
            code = words[next].text;
        if (code.size() == 3 && !row.amount_original && at.amount.decimals) {
            row.currency_original = code;
            row.amount_original =
                row.amount.is_negative() ? -at.amount.value.abs() : at.amount.value.abs();
        } else if (rate && !row.exchange_rate && at.amount.decimals && code.empty()) {
            row.exchange_rate = at.amount.value;
        }
    }
}

bool is_credit_heading(const Line& line) {
    const auto text = fold(line.text());
    if (digit_count(text) > 0 || text.size() > 60) return false;
    const bool credits = text.find("payments") != std::string::npos ||
                         text.find("credits") != std::string::npos ||
                         text.find("inbetalningar") != std::string::npos;
    const bool charges = text.find("purchases") != std::string::npos ||
                         text.find("charges") != std::string::npos ||
                         text.find("debits") != std::string::npos;
    return credits && !charges;
}

bool is_charge_heading(const Line& line) {
    const auto text = fold(line.text());
    if (digit_count(text) > 0 || text.size() > 60) return false;
    for (const auto* word :
         {"purchases", "charges", "fees", "interest", "transactions", "kop", "uttag"}) {
        for (const auto& w : fold_words(text)) {
            if (w == word) return true;
        }
    }
    return false;
}

// Other things that OCR may have made of an amount: a currency sign read as a digit, a point lost.
std::vector<Decimal> other_readings(const Document& document, const Line& line,
                                    const AmountAt& at) {
    std::vector<Decimal> others;
    const auto text = line.text(at.first, at.count);
    for (const auto& reading : read_amounts(text, document.numbers)) {
        if (reading.value != at.amount.value && reading.decimals) others.push_back(reading.value);
    }
    const auto digit = text.find_first_of("0123456789");
    if (digit != std::string::npos &&
        (text[digit] == '5' || text[digit] == '8' || text[digit] == '6') &&
        at.amount.currency.empty()) {
        for (const auto& reading : read_amounts(text.substr(digit + 1), document.numbers)) {
            if (reading.decimals)
                others.push_back(at.amount.value.is_negative() ? -reading.value : reading.value);
        }
    }
    others.push_back(-at.amount.value);
    return others;
}

}  // namespace

std::vector<RawRow> read_raw_rows(const Document& document, std::optional<Date> latest) {
    const auto dated = dated_lines(document);
    auto labels = find_labels(document.lines, kHeadings);
    // A row that mentions a debit is no heading.
    std::erase_if(labels, [&](const LabelAt& label) {
        const auto& amounts = document.amounts[label.line];
        return std::any_of(amounts.begin(), amounts.end(),
                           [](const AmountAt& at) { return is_money(at.amount); });
    });
    std::vector<RawRow> rows;
    std::map<int, double> bands;  // by page: another page may be set out in another way
    for (const auto& d : dated) {
        const int page = document.lines[d.line].page;
        if (bands.contains(page)) continue;
        std::vector<Dated> on_page;
        std::copy_if(dated.begin(), dated.end(), std::back_inserter(on_page),
                     [&](const Dated& o) { return document.lines[o.line].page == page; });
        bands[page] = amount_band(document, on_page);
    }
    bool credit_section = false;
    std::size_t next = 0, last_row_line = 0;
    for (std::size_t l = 0; l < document.lines.size() && rows.size() < kStatementRowsMax; ++l) {
        const auto& line = document.lines[l];
        if (next >= dated.size() || dated[next].line != l) {
            if (is_credit_heading(line))
                credit_section = true;
            else if (is_charge_heading(line))
                credit_section = false;
            const bool follows =
                !rows.empty() && rows.back().row.page == line.page && l - last_row_line <= 4 &&
                line.box.y - document.lines[last_row_line].box.bottom() < 6 * document.height;
            if (follows && balance_label(line.text()) == BalanceKind::None)
                read_continuation(document, l, rows.back().row);
            continue;
        }
        const auto& d = dated[next++];
        const auto headings = headings_for(document, l, labels);
        // The amount: in the band, or under a heading that says so; never the balance.
        const AmountAt* chosen = nullptr;
        bool credit_column = false;
        for (const auto& at : document.amounts[l]) {
            if (!is_money(at.amount) || at.first < d.text_from) continue;
            const Heading* heading = nullptr;
            double least = 1e9;
            for (const auto& h : headings) {
                const auto distance = edge_distance(h.box, at.box);
                if (distance < least) {
                    least = distance;
                    heading = &h;
                }
            }
            const bool close = heading != nullptr && least < 4 * document.height;
            if (close && (heading->meaning == Balance || heading->meaning == Foreign)) continue;
            const bool in_band =
                std::abs(at.box.right() - bands[line.page]) < 1.2 * document.height;
            const bool by_heading =
                close && (heading->meaning == Amount_ || heading->meaning == Credit ||
                          heading->meaning == Debit);
            if (!in_band && !by_heading) continue;
            chosen = &at;
            credit_column = close && heading->meaning == Credit;
        }
        if (chosen == nullptr) continue;
        const auto between = line.text(d.text_from, chosen->first - d.text_from);
        if (balance_label(between) != BalanceKind::None) continue;
        RawRow raw;
        auto& row = raw.row;
        row.date = d.dates[0].reading.date;
        if (d.dates.size() > 1) row.posted = d.dates[1].reading.date;
        settle_year(row.date, latest);
        settle_year(row.posted, latest);
        row.amount = chosen->amount.value;
        row.page = line.page;
        row.box = joined(line.box_of(d.dates[0].first, 1), chosen->box);
        row.source_text = line.text();
        row.confidence = std::min(chosen->amount.confidence, d.dates[0].reading.confidence + 0.1);
        raw.credit_column = credit_column;
        raw.credit_section = credit_section;
        raw.others = other_readings(document, line, *chosen);
        // A foreign amount in the row itself ends the text.
        auto text_end = chosen->first;
        for (const auto& at : document.amounts[l]) {
            if (at.first < d.text_from || at.first >= chosen->first || !at.amount.decimals)
                continue;
            auto code = at.amount.currency;
            auto from = at.first;
            if (code.size() != 3 && from > d.text_from &&
                is_currency_code(line.words[from - 1].text))
                code = line.words[--from].text;
            const bool apart = at.first > 0 && at.box.x - line.words[at.first - 1].box.right() >
                                                   1.5 * document.height;
            if (code.size() == 3) {
                row.currency_original = code;
                row.amount_original =
                    row.amount.is_negative() ? -at.amount.value.abs() : at.amount.value.abs();
                text_end = std::min(text_end, from);
            } else if (apart) {
                text_end = std::min(text_end, from);
            }
        }
        // A column of places parts the text.
        std::size_t city_from = text_end;
        for (const auto& h : headings) {
            if (h.meaning != City) continue;
            for (auto i = d.text_from; i < text_end; ++i) {
                if (line.words[i].box.x > h.box.x - 0.7 * document.height) {
                    city_from = std::min(city_from, i);
                }
            }
        }
        row.description = description_of(line, d.text_from, city_from);
        row.city = line.text(city_from, text_end - city_from);
        if (row.description.empty()) continue;
        rows.push_back(std::move(raw));
        last_row_line = l;
    }
    return rows;
}

}  // namespace belay::ai::rules

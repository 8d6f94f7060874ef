// statement_rows.cpp — finds the rows by their dates, and their amounts by the column they share.
#include "ingestion/ai/rules/statement_rows.hpp"

#include <algorithm>

#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/statement_columns.hpp"
#include "ingestion/ai/rules/statement_header.hpp"
#include "ingestion/ai/rules/total_label.hpp"

namespace belay::ai::rules {
namespace {

// A line that begins with a date: a row, or the first line of one.
struct Dated {
    std::size_t line = 0;
    std::vector<DateAt> dates{};  // one or two, at its left
    std::size_t text_from = 0;
    bool money = true;  // it holds an amount
};

std::vector<Dated> dated_lines(const Document& document) {
    std::vector<Dated> found;
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        const auto& line = document.lines[l];
        const auto& amounts = document.amounts[l];
        const bool money = std::any_of(amounts.begin(), amounts.end(),
                                       [](const AmountAt& at) { return is_row_money(at.amount); });
        auto dates =
            find_dates(line.words, document.date_style, {.without_year = true, .six_digits = true});
        // A mark, a row number or a card's last digits may stand before the date, a sentence may not.
        if (dates.empty() || dates[0].first > 2) continue;
        const auto before = line.text(0, dates[0].first);
        if (fold_alnum(before).size() > 6) continue;
        Dated dated{l, {dates[0]}, dates[0].first + dates[0].count, money};
        if (dates.size() > 1 && dates[1].first == dated.text_from) {
            dated.dates.push_back(dates[1]);
            dated.text_from += dates[1].count;
        }
        if (dated.text_from >= line.words.size()) continue;
        found.push_back(dated);
    }
    return found;
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

// Other things that an amount may be: OCR read a currency sign as a digit or lost a point, or the text before it
// ends in a number ("STATION 24 520,50").
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
    if (const auto parts = column_parts(line.words, at, document.numbers); !parts.empty())
        others.push_back(parts.back().amount.value);
    others.push_back(-at.amount.value);
    return others;
}

std::vector<std::size_t> line_numbers(const std::vector<Dated>& dated) {
    std::vector<std::size_t> numbers;
    for (const auto& d : dated) {
        if (d.money) numbers.push_back(d.line);
    }
    return numbers;
}

class RowReader {
public:
    RowReader(const Document& document, std::optional<Date> latest)
        : document_(document), latest_(latest), dated_(dated_lines(document)),
          columns_(document, line_numbers(dated_)) {}

    std::vector<RawRow> read() {
        std::size_t next = 0;
        for (std::size_t l = 0; l < document_.lines.size() && rows_.size() < kStatementRowsMax;
             ++l) {
            const bool is_dated = next < dated_.size() && dated_[next].line == l;
            if (is_dated)
                read_dated(dated_[next++]);
            else
                read_undated(l);
        }
        return std::move(rows_);
    }

private:
    void read_dated(const Dated& d) {
        day_ = &d;
        if (!d.money) return;
        const auto headings = columns_.headings_for(d.line);
        const auto choice = columns_.amount_of(d.line, d.text_from, headings);
        if (choice.amount == nullptr) return;
        if (auto row = row_of(d, d.line, d.text_from, headings, choice)) {
            rows_.push_back(std::move(*row));
            last_certain_ = rows_.size() - 1;
            last_line_ = d.line;
        }
    }

    void read_undated(std::size_t l) {
        const auto& line = document_.lines[l];
        if (is_credit_heading(line))
            credit_section_ = true;
        else if (is_charge_heading(line))
            credit_section_ = false;
        const bool is_balance = balance_label(line.text()) != BalanceKind::None;
        if (last_certain_ && !is_balance && rows_[*last_certain_].row.page == line.page &&
            l - last_line_ <= 4 &&
            line.box.y - document_.lines[last_line_].box.bottom() < 6 * document_.height) {
            read_continuation(document_, l, rows_[*last_certain_].row);
        }
        if (!is_balance) read_loose(l);
    }

    // Some banks print a day once for all its rows, or a row's amount below its date. Such a row has the day
    // of the line above; whether it is one, the sum decides.
    void read_loose(std::size_t l) {
        const auto& line = document_.lines[l];
        if (day_ == nullptr || document_.lines[day_->line].page != line.page) return;
        const auto headings = columns_.headings_for(l);
        const auto choice = columns_.amount_of(l, 0, headings);
        if (choice.amount == nullptr ||
            total_label(line.text(0, choice.amount->first)).kind != TotalKind::None)
            return;
        auto row = row_of(*day_, l, 0, headings, choice);
        if (!day_->money && l - day_->line <= 2) {
            const auto& above = document_.lines[day_->line];
            const auto text = above.text(day_->text_from, above.words.size() - day_->text_from);
            if (!row) row = bare_row(*day_, l, choice);
            row->row.description =
                row->row.description.empty() ? text : text + " " + row->row.description;
        }
        if (!row || row->row.description.empty()) return;
        row->loose = true;
        rows_.push_back(std::move(*row));
    }

    RawRow bare_row(const Dated& d, std::size_t l, const StatementColumns::Choice& choice) const {
        const auto& line = document_.lines[l];
        RawRow raw;
        auto& row = raw.row;
        row.date = d.dates[0].reading.date;
        if (d.dates.size() > 1) row.posted = d.dates[1].reading.date;
        settle_year(row.date, latest_);
        settle_year(row.posted, latest_);
        row.amount = choice.amount->amount.value;
        row.page = line.page;
        row.box = joined(line.box_of(0, 1), choice.amount->box);
        row.source_text = line.text();
        row.confidence =
            std::min(choice.amount->amount.confidence, d.dates[0].reading.confidence + 0.1);
        raw.credit_column = choice.credit;
        raw.credit_section = credit_section_;
        raw.others = other_readings(document_, line, *choice.amount);
        return raw;
    }

    std::optional<RawRow> row_of(const Dated& d, std::size_t l, std::size_t from,
                                 const std::vector<StatementHeading>& headings,
                                 const StatementColumns::Choice& choice) const {
        const auto& line = document_.lines[l];
        if (choice.amount->first <= from) return {};
        if (balance_label(line.text(from, choice.amount->first - from)) != BalanceKind::None)
            return {};
        auto raw = bare_row(d, l, choice);
        const auto end = take_foreign(raw.row, l, from, choice.amount->first);
        // A column of places parts the text.
        auto city = end;
        for (const auto& h : headings) {
            if (h.column != StatementColumn::City) continue;
            for (auto i = from; i < end; ++i) {
                if (line.words[i].box.x > h.box.x - 0.7 * document_.height)
                    city = std::min(city, i);
            }
        }
        raw.row.description = description_of(line, from, city);
        raw.row.city = line.text(city, end - city);
        if (raw.row.description.empty()) return {};
        return raw;
    }

    // A foreign amount in the row itself ends the text; returns where.
    std::size_t take_foreign(StatementRow& row, std::size_t l, std::size_t from,
                             std::size_t end) const {
        const auto& line = document_.lines[l];
        const auto before = end;
        for (const auto& at : document_.amounts[l]) {
            if (at.first < from || at.first >= before || !at.amount.decimals) continue;
            auto code = at.amount.currency;
            auto first = at.first;
            if (code.size() != 3 && first > from && is_currency_code(line.words[first - 1].text))
                code = line.words[--first].text;
            const bool apart = at.first > 0 && at.box.x - line.words[at.first - 1].box.right() >
                                                   1.5 * document_.height;
            if (code.size() == 3) {
                row.currency_original = code;
                row.amount_original =
                    row.amount.is_negative() ? -at.amount.value.abs() : at.amount.value.abs();
            }
            if (code.size() == 3 || apart) end = std::min(end, first);
        }
        return end;
    }

    const Document& document_;
    std::optional<Date> latest_;
    std::vector<Dated> dated_;
    StatementColumns columns_;
    std::vector<RawRow> rows_{};
    const Dated* day_ = nullptr;
    std::optional<std::size_t> last_certain_{};
    std::size_t last_line_ = 0;
    bool credit_section_ = false;
};

}  // namespace

std::vector<RawRow> read_raw_rows(const Document& document, std::optional<Date> latest) {
    return RowReader{document, latest}.read();
}

}  // namespace belay::ai::rules

// statement.cpp — rows and header put together; the printed sums settle what the print leaves open.
#include "ingestion/ai/rules/statement.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "ingestion/ai/rules/document.hpp"
#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/statement_header.hpp"
#include "ingestion/ai/rules/statement_rows.hpp"
#include "ingestion/ai/rules/two_readings.hpp"

namespace belay::ai::rules {
namespace {

Decimal sum_of(const std::vector<RawRow>& rows) {
    Decimal sum;
    for (const auto& raw : rows) sum = sum + raw.row.amount;
    return sum;
}

bool is_payment(const StatementRow& row) {
    for (const auto& word : fold_words(row.description)) {
        for (const auto* pay : {"payment", "inbetalning", "betalning", "refund", "credit",
                                "aterbetalning", "insattning", "autopay", "kredit", "retur"}) {
            if (word == pay) return true;
        }
    }
    return false;
}

// What the rows must come to, by every sum that the statement prints.
std::vector<Decimal> printed_sums(const Statement& s) {
    std::vector<Decimal> sums;
    if (s.previous_balance && s.new_balance) sums.push_back(*s.new_balance - *s.previous_balance);
    if (s.total) sums.push_back(*s.total);
    if (!s.previous_balance && s.new_balance) sums.push_back(*s.new_balance);
    return sums;
}

bool fits(const std::vector<RawRow>& rows, const std::vector<Decimal>& sums) {
    const auto sum = sum_of(rows);
    return std::any_of(sums.begin(), sums.end(), [&](Decimal s) { return s == sum; });
}

// A bank may print payments without a sign, in a column or under a heading of their own, or print
// charges as negative. The first way of reading signs that comes to a printed sum is right.
bool settle_signs(std::vector<RawRow>& rows, const std::vector<Decimal>& sums) {
    const auto negate_if = [](std::vector<RawRow> all,
                              const std::function<bool(const RawRow&)>& which) {
        for (auto& raw : all) {
            if (which(raw) && !raw.row.amount.is_negative()) raw.row.amount = -raw.row.amount;
        }
        return all;
    };
    const auto flipped = [](std::vector<RawRow> all) {
        for (auto& raw : all) raw.row.amount = -raw.row.amount;
        return all;
    };
    // A column of credits is clear without any sum.
    rows = negate_if(std::move(rows), [](const RawRow& raw) { return raw.credit_column; });
    if (fits(rows, sums)) return true;
    const auto by_section = negate_if(rows, [](const RawRow& raw) { return raw.credit_section; });
    const auto by_text = negate_if(rows, [](const RawRow& raw) { return is_payment(raw.row); });
    for (const auto& reading : {by_section, by_text, flipped(rows)}) {
        if (fits(reading, sums)) {
            rows = reading;
            return true;
        }
    }
    return false;
}

// One amount read another way may settle the sum; it must be the only one that does.
bool settle_reading(std::vector<RawRow>& rows, const std::vector<Decimal>& sums) {
    const auto sum = sum_of(rows);
    RawRow* culprit = nullptr;
    Decimal right;
    int ways = 0;
    for (auto& raw : rows) {
        for (const auto& other : raw.others) {
            const auto changed = sum - raw.row.amount + other;
            const bool settles =
                std::any_of(sums.begin(), sums.end(), [&](Decimal s) { return s == changed; });
            if (!settles || (culprit == &raw && right == other)) continue;
            ++ways;
            culprit = &raw;
            right = other;
        }
    }
    if (ways != 1) return false;
    culprit->row.amount = right;
    culprit->row.confidence = std::min(culprit->row.confidence, 0.7);
    return true;
}

// Rows whose header parts are wrong: the newest row's date is the best guess of when it was made, which is
// good enough to settle years.
std::optional<Date> latest_date(const Document& document, const Statement& statement) {
    if (statement.statement_date) return *statement.statement_date;
    if (statement.period_end) return *statement.period_end;
    if (statement.due_date) return *statement.due_date;
    std::optional<Date> latest;
    for (const auto& dates : document.dates) {
        for (const auto& at : dates) {
            if (at.reading.date.is_valid() && (!latest || at.reading.date > *latest))
                latest = at.reading.date;
        }
    }
    return latest;
}

void review(Statement& s, const std::vector<Decimal>& sums) {
    if (s.rows.empty()) s.review.push_back("no rows found");
    Decimal sum;
    int undated = 0;
    for (const auto& row : s.rows) {
        sum = sum + row.amount;
        undated += row.date ? 0 : 1;
    }
    if (sums.empty()) {
        s.review.push_back("no printed total to check the rows against");
    } else if (!s.adds_up) {
        s.review.push_back(fmt::format("the rows sum to {}, the statement says {}", money_text(sum),
                                       money_text(sums.front())));
    }
    if (undated > 0) s.review.push_back(fmt::format("{} rows have no certain date", undated));
    if (s.rows.size() >= kStatementRowsMax)
        s.review.push_back(fmt::format("more than {} rows", kStatementRowsMax));
}

// Amounts that the readers saw differently, where no sum chose between them.
void ask_about_readings(Statement& s, const std::vector<media::Page>& pages) {
    if (s.adds_up) return;
    const auto ask = [&](const Found<Decimal>& field, const std::string& name) {
        if (const auto other = other_reading(pages, field))
            s.review.push_back(
                fmt::format("{}_read_two_ways: {} and {}", name, money_text(*field), *other));
    };
    ask(s.previous_balance, "previous_balance");
    ask(s.new_balance, "new_balance");
    ask(s.total, "total");
    for (std::size_t i = 0; i < s.rows.size(); ++i)
        ask({s.rows[i].amount, 1, s.rows[i].page, s.rows[i].box}, fmt::format("row {}", i + 1));
}

Statement read_as_printed(const std::vector<media::Page>& pages) {
    const auto document = document_of(pages);
    Statement statement;
    read_statement_header(document, statement);
    const auto all = read_raw_rows(document, latest_date(document, statement));
    auto rows = all;
    std::erase_if(rows, [](const RawRow& raw) { return raw.loose; });
    const auto sums = printed_sums(statement);
    statement.adds_up =
        !rows.empty() && !sums.empty() && (settle_signs(rows, sums) || settle_reading(rows, sums));
    if (!statement.adds_up && rows.size() < all.size()) {
        auto with_loose = all;
        statement.adds_up = !sums.empty() && settle_signs(with_loose, sums);
        if (statement.adds_up || rows.empty()) rows = std::move(with_loose);
    }
    for (auto& raw : rows) {
        raw.row.confidence = statement.adds_up ? std::max(raw.row.confidence, 0.95)
                                               : std::min(raw.row.confidence, 0.75);
        statement.rows.push_back(std::move(raw.row));
    }
    review(statement, sums);
    statement.confidence = statement.rows.empty() ? 0 : statement.adds_up ? 0.97 : 0.5;
    return statement;
}

}  // namespace

Statement read_statement(const std::vector<media::Page>& read) {
    const auto pages = settled(read, [](const std::vector<media::Page>& tried) {
        const bool adds_up = read_as_printed(tried).adds_up;
        return Balance{adds_up ? 1 : 0, adds_up ? 0 : 1};
    });
    Statement statement = read_as_printed(pages);
    ask_about_readings(statement, pages);
    return statement;
}

namespace {

void text_or_null(std::string& out, std::string_view name, const std::optional<std::string>& text) {
    out += fmt::format("{}\"{}\":", out.ends_with('{') ? "" : ",", name);
    if (text && !text->empty())
        belay::write_json(out, *text);
    else
        out += "null";
}

std::optional<std::string> iso(const std::optional<Date>& date) {
    return date ? std::optional{date->text()} : std::nullopt;
}
std::optional<std::string> money(const std::optional<Decimal>& value) {
    return value ? std::optional{money_text(*value)} : std::nullopt;
}

}  // namespace

std::string statement_result_json(const Statement& s) {
    std::string out = "{";
    text_or_null(out, "invoice_number", s.invoice_number.value);
    text_or_null(out, "statement_date", iso(s.statement_date.value));
    text_or_null(out, "period_start", iso(s.period_start.value));
    text_or_null(out, "period_end", iso(s.period_end.value));
    text_or_null(out, "previous_balance", money(s.previous_balance.value));
    text_or_null(out, "new_balance", money(s.new_balance.value));
    text_or_null(out, "total", money(s.total.value));
    text_or_null(out, "currency", s.currency.value);
    out += ",\"rows\":[";
    for (std::size_t i = 0; i < s.rows.size(); ++i) {
        const auto& row = s.rows[i];
        out += i > 0 ? ",{" : "{";
        text_or_null(out, "date", iso(row.date));
        text_or_null(out, "posted", iso(row.posted));
        text_or_null(out, "description", row.description);
        text_or_null(out, "city", row.city);
        text_or_null(out, "amount", money_text(row.amount));
        text_or_null(out, "currency_original", row.currency_original);
        text_or_null(out, "amount_original", money(row.amount_original));
        out += "}";
    }
    out += "],\"review\":";
    belay::write_json(out, s.review);
    return out + "}";
}

}  // namespace belay::ai::rules

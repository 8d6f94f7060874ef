// make_statement.cpp — card statements: the Swedish First Card layout, and a bank's in English.
#include <algorithm>

#include <fmt/format.h>

#include "ingestion/samples/vocabulary.hpp"

namespace belay::samples {
namespace {

struct Row {
    Day bought{}, posted{};
    Shop shop{};
    std::int64_t cents = 0, foreign = 0, rate = 0;  // rate in ten-thousandths
};

std::vector<Row> make_rows(Chance& chance, Language language, int count, const Day& start) {
    std::vector<Row> rows;
    for (int i = 0; i < count; ++i) {
        Row row;
        row.bought = start.plus(static_cast<int>(chance.between(0, 27)));
        row.posted = row.bought.plus(static_cast<int>(chance.between(0, 3)));
        row.shop = any_shop(chance, language);
        if (row.shop.currency.empty()) {
            row.cents = chance.between(1500, 400000);
            if (chance.one_in(12)) row.cents = -row.cents;
        } else {
            row.foreign = chance.between(500, 60000);
            row.rate = chance.between(100000, 139999);
            row.cents = (row.foreign * row.rate + 5000) / 10000;
        }
        rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.bought.iso() < b.bought.iso(); });
    return rows;
}

std::string rate_text(std::int64_t rate, char point) {
    return fmt::format("{}{}{:04}", rate / 10000, point, rate % 10000);
}

RowTruth truth_of(const Row& row, bool posted, bool city) {
    RowTruth truth;
    truth.date = row.bought.iso();
    if (posted) truth.posted = row.posted.iso();
    truth.description = city ? row.shop.name : row.shop.name + " " + row.shop.city;
    if (city) truth.city = row.shop.city;
    truth.amount = plain_money(row.cents);
    if (!row.shop.currency.empty()) {
        truth.currency_original = row.shop.currency;
        truth.amount_original = plain_money(row.foreign);
    }
    return truth;
}

Sample<StatementTruth> first_card(std::uint64_t seed, int row_count) {
    Chance chance{seed * 5 + 2};
    const Day start{2025, static_cast<int>(chance.between(1, 11)), 1};
    const auto issued = start.plus(30);
    const auto rows = make_rows(chance, Language::Swedish, row_count, start);
    std::int64_t total = 0;
    for (const auto& row : rows) total += row.cents;
    const auto number = chance.digits(8);

    Sample<StatementTruth> sample{fmt::format("first-card-{}", seed), "creditcard_invoice", {}, {}};
    double y = 0;
    const auto new_sheet = [&] {
        sample.sheets.emplace_back();
        auto& sheet = sample.sheets.back();
        sheet.put(40, 50, "FIRST CARD", 16, Align::Left, true);
        sheet.put(420, 50, "FAKTURA", 12, Align::Left, true);
        sheet.put(320, 76, "FAKTURANR");
        sheet.put(420, 76, number);
        sheet.put(320, 88, "FAKTURADATUM");
        sheet.put(420, 88, issued.yymmdd());
        sheet.put(320, 100, "KUNDNR");
        sheet.put(420, 100, chance.digits(6));
        sheet.put(320, 112, "SIDA");
        sheet.put(420, 112, std::to_string(sample.sheets.size()));
        sheet.put(40, 100, "Granliden Konsult AB");
        sheet.put(40, 112, "Storgatan 12");
        sheet.put(40, 124, "123 45 Norrvik");
        sheet.put(40, 160, "KORTNR 5412 34** **** 9917");
        sheet.put(250, 160, "KOSTNADSSTÄLLE 110");
        sheet.put(40, 184, "DATUM", 8, Align::Left, true);
        sheet.put(95, 184, "INKÖPSSTÄLLE", 8, Align::Left, true);
        sheet.put(270, 184, "ORT", 8, Align::Left, true);
        sheet.right(450, 184, "UTL. BELOPP", 8, true);
        sheet.right(555, 184, "BELOPP SEK", 8, true);
        sheet.rule(40, 188, 555);
        y = 204;
    };
    new_sheet();
    std::int64_t so_far = 0;
    for (const auto& row : rows) {
        if (y > 720) {
            sample.sheets.back().put(95, y, "TRANSPORT");
            sample.sheets.back().right(555, y, first_card_money(so_far));
            new_sheet();
            sample.sheets.back().put(95, y, "TRANSPORT");
            sample.sheets.back().right(555, y, first_card_money(so_far));
            y += 14;
        }
        auto& sheet = sample.sheets.back();
        sheet.put(40, y, row.bought.yymmdd());
        sheet.put(95, y, row.shop.name);
        sheet.put(270, y, row.shop.city);
        sheet.right(555, y, first_card_money(row.cents));
        if (!row.shop.currency.empty()) {
            sheet.right(450, y, row.shop.currency + " " + first_card_money(row.foreign));
            y += 12;
            sheet.put(95, y, "Valutakurs " + rate_text(row.rate, ','), 8);
        }
        sample.truth.rows.push_back(truth_of(row, false, true));
        so_far += row.cents;
        y += 14;
    }
    auto& sheet = sample.sheets.back();
    y += 8;
    sheet.put(95, y, "KORTTOTAL", 9, Align::Left, true);
    sheet.right(555, y, first_card_money(total), 9, true);
    sheet.put(95, y + 14, "DÄRAV REDOVISAD MOMS");
    sheet.right(450, y + 14, first_card_money(total / 5));
    sheet.put(95, y + 34, "ATT BETALA", 11, Align::Left, true);
    sheet.right(555, y + 34, first_card_money(total), 11, true);
    sheet.put(40, y + 60, "FÖRFALLODAG " + issued.plus(25).yymmdd(), 8);
    sheet.put(200, y + 60, "BETALA TILL BANKGIRO 5050-1055", 8);
    sheet.put(400, y + 60, "OCR " + with_luhn_digit(chance.digits(11)), 8);

    sample.truth.invoice_number = number;
    sample.truth.statement_date = issued.iso();
    sample.truth.new_balance = sample.truth.total = plain_money(total);
    sample.truth.currency = "SEK";
    return sample;
}

std::string month_day(const Day& day) {
    static constexpr std::array<std::string_view, 12> kShort{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    return fmt::format("{} {:02}", kShort.at(static_cast<std::size_t>(day.month - 1)), day.day);
}

Sample<StatementTruth> bank(std::uint64_t seed, int row_count) {
    Chance chance{seed * 7 + 3};
    const Day start{2025, static_cast<int>(chance.between(1, 12)),
                    static_cast<int>(chance.between(1, 28))};
    const auto end = start.plus(30);
    auto rows = make_rows(chance, Language::English, row_count, start);
    const auto style = chance.between(0, 2);  // a sign, CR, or a column of credits
    std::int64_t sum = 0;
    const auto previous = chance.between(10000, 900000);
    Row payment{rows.empty() ? start : rows.front().bought,
                start.plus(2),
                {"PAYMENT RECEIVED", "THANK YOU", ""},
                -previous,
                0,
                0};
    if (!rows.empty()) payment.bought = rows.front().bought;
    payment.posted = payment.bought;
    rows.insert(rows.begin(), payment);
    for (const auto& row : rows) sum += row.cents;

    const auto money = [&](std::int64_t cents) {
        if (style == 1)
            return "$" + printed_money(cents < 0 ? -cents : cents, Language::English) +
                   (cents < 0 ? " CR" : "");
        return (cents < 0 ? "-$" : "$") +
               printed_money(cents < 0 ? -cents : cents, Language::English);
    };
    Sample<StatementTruth> sample{fmt::format("statement-{}", seed), "creditcard_invoice", {}, {}};
    double y = 0;
    const auto new_sheet = [&] {
        sample.sheets.emplace_back();
        auto& sheet = sample.sheets.back();
        sheet.put(40, 50, "Harbourside Bank", 16, Align::Left, true);
        sheet.put(40, 80, "Statement date: " + printed_day(end, Language::English, 1));
        sheet.put(40, 94,
                  "Statement period: " + printed_day(start, Language::English, 1) + " to " +
                      printed_day(end, Language::English, 1));
        sheet.put(40, 108, "Card number XXXX XXXX XXXX 2210");
        sheet.right(555, 80, "Credit limit $15,000.00", 8);
        sheet.put(40, 150, "Transaction", 8, Align::Left, true);
        sheet.put(110, 150, "Posted", 8, Align::Left, true);
        sheet.put(170, 150, "Description", 8, Align::Left, true);
        if (style == 2) sheet.right(480, 150, "Credits", 8, true);
        sheet.right(555, 150, style == 2 ? "Charges" : "Amount", 8, true);
        y = 170;
    };
    new_sheet();
    sample.sheets.back().put(170, y, "Previous balance");
    sample.sheets.back().right(555, y, "$" + printed_money(previous, Language::English));
    y += 14;
    for (const auto& row : rows) {
        if (y > 760) new_sheet();
        auto& sheet = sample.sheets.back();
        sheet.put(40, y, month_day(row.bought));
        sheet.put(110, y, month_day(row.posted));
        sheet.put(170, y, row.shop.name + " " + row.shop.city);
        if (style == 2 && row.cents < 0)
            sheet.right(480, y, "$" + printed_money(-row.cents, Language::English));
        else
            sheet.right(555, y, money(row.cents));
        if (!row.shop.currency.empty()) {
            y += 12;
            sheet.put(170, y,
                      fmt::format("Foreign currency {} {}",
                                  printed_money(row.foreign, Language::English), row.shop.currency),
                      8);
            y += 12;
            sheet.put(170, y, "Exchange rate " + rate_text(row.rate, '.'), 8);
        }
        sample.truth.rows.push_back(truth_of(row, true, false));
        y += 14;
    }
    auto& sheet = sample.sheets.back();
    y += 10;
    sheet.put(170, y, "Net activity");
    sheet.right(555, y, money(sum));
    sheet.put(170, y + 14, "New balance", 9, Align::Left, true);
    sheet.right(555, y + 14, money(previous + sum), 9, true);
    sheet.put(170, y + 28, "Minimum payment");
    sheet.right(555, y + 28, "$10.00");
    sample.truth.statement_date = sample.truth.period_end = end.iso();
    sample.truth.period_start = start.iso();
    sample.truth.previous_balance = plain_money(previous);
    sample.truth.new_balance = plain_money(previous + sum);
    sample.truth.total = plain_money(sum);
    sample.truth.currency = "USD";
    return sample;
}

}  // namespace

Sample<StatementTruth> make_statement(std::uint64_t seed, Language language, int row_count) {
    return language == Language::Swedish ? first_card(seed, row_count) : bank(seed, row_count);
}

}  // namespace belay::samples

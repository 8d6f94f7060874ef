// statement_header.cpp — labels of statements in Swedish and English.
#include "ingestion/ai/rules/statement_header.hpp"

#include <algorithm>
#include <array>

#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/invoice_ids.hpp"
#include "ingestion/ai/rules/invoice_number.hpp"

namespace belay::ai::rules {
namespace {

enum Meaning { StatementDate = 1, Due, Period, Previous, New, Rows, CardNumber, NotIt };

constexpr auto kDateLabels = std::to_array<Label>({
    {"statementdate", StatementDate},
    {"closingdate", StatementDate},
    {"statementclosingdate", StatementDate},
    {"billingdate", StatementDate},
    {"dateofstatement", StatementDate},
    {"fakturadatum", StatementDate},
    {"fakturadat", StatementDate},
    {"kontoutdragsdatum", StatementDate},
    {"statementissued", StatementDate},
    {"issuedate", StatementDate},
    {"yourstatementdate", StatementDate},
    {"datumfaktura", StatementDate},
    {"statementissuedate", StatementDate},
    {"billdate", StatementDate},
    {"invoicedate", StatementDate},
    {"closing", StatementDate},
    {"paymentduedate", Due},
    {"duedate", Due},
    {"forfallodatum", Due},
    {"forfallodag", Due},
    {"betalasenast", Due},
    {"paymentdue", Due},
    {"osstillhanda", Due},
    {"payby", Due},
    {"betalningoss", Due},
    {"statementperiod", Period},
    {"billingperiod", Period},
    {"period", Period},
    {"billingcycle", Period},
    {"openingclosingdate", Period},
    {"fortheperiod", Period},
    {"avserperioden", Period},
    {"perioden", Period},
    {"avserperiod", Period},
    {"faktureringsperiod", Period},
    {"statementfrom", Period},
    {"kopperiod", Period},
    {"transactionperiod", Period},
    {"statementcovers", Period},
    {"activityfrom", Period},
    {"previousstatement", NotIt},
    {"previousstatementdate", NotIt},
    {"nextstatementdate", NotIt},
    {"nextclosingdate", NotIt},
    {"nastafaktura", NotIt},
    {"nextinvoice", NotIt},
    {"lastpaymentdate", NotIt},
    {"transactiondate", NotIt},
    {"postingdate", NotIt},
    {"utskriftsdatum", NotIt},
});

constexpr auto kBalanceLabels = std::to_array<Label>({
    {"previousstatementbalance", Previous},
    {"previousbalance", Previous},
    {"openingbalance", Previous},
    {"balancebroughtforward", Previous},
    {"laststatementbalance", Previous},
    {"balancefromlaststatement", Previous},
    {"previousaccountbalance", Previous},
    {"foregaendesaldo", Previous},
    {"ingaendesaldo", Previous},
    {"saldofranforegaendefaktura", Previous},
    {"tidigaresaldo", Previous},
    {"foregaendefaktura", Previous},
    {"balanceforward", Previous},
    {"yourpreviousbalance", Previous},
    {"balancefromyourlaststatement", Previous},
    {"lastbalance", Previous},
    {"skuldforegaendefaktura", Previous},
    {"startingbalance", Previous},
    {"previousstatement", Previous},
    {"beginningbalance", Previous},
    {"foregaendeskuld", Previous},
    {"ingaendeskuld", Previous},
    {"saldoforegaende", Previous},
    {"yourlaststatementbalance", Previous},
    {"totalnewbalance", New},
    {"newbalance", New},
    {"closingbalance", New},
    {"statementbalance", New},
    {"newstatementbalance", New},
    {"yournewbalance", New},
    {"attbetala", New},
    {"utgaendesaldo", New},
    {"totalbalance", New},
    {"summaattbetala", New},
    {"beloppattbetala", New},
    {"totaltattbetala", New},
    {"nyttsaldo", New},
    {"endingbalance", New},
    {"currentbalance", New},
    {"newaccountbalance", New},
    {"newbalancetotal", New},
    {"accountbalance", New},
    {"totalamountdue", New},
    {"amounttopay", New},
    {"utgaendeskuld", New},
    {"nyskuld", New},
    {"totalattbetala", New},
    {"totaldue", New},
    {"yourclosingbalance", New},
    {"fakturabelopp", New},
    {"netamountofmonthlyactivity", Rows},
    {"netamountofmonthly", Rows},
    {"netactivity", Rows},
    {"korttotal", Rows},
    {"totalkort", Rows},
    {"totaltransactions", Rows},
    {"totalactivity", Rows},
    {"summatransaktioner", Rows},
    {"totalnetactivity", Rows},
    {"summakop", Rows},
    {"summakort", Rows},
    {"kortsumma", Rows},
    {"totaltkort", Rows},
    {"totalforthiscard", Rows},
    {"transactionstotal", Rows},
    {"cardtotal", Rows},
    {"totaloftransactions", Rows},
    {"summa", Rows},
    {"total", Rows},
    {"nettransactions", Rows},
    {"periodenstransaktioner", Rows},
    {"totalcharges", NotIt},
    {"totalpurchases", NotIt},
    {"minimumpayment", NotIt},
    {"minimumpaymentdue", NotIt},
    {"creditlimit", NotIt},
    {"availablecredit", NotIt},
    {"totalcredits", NotIt},
    {"totalpayments", NotIt},
    {"totalfees", NotIt},
    {"totalinterest", NotIt},
    {"newbalancedate", NotIt},
    {"kreditgrans", NotIt},
    {"minstaattbetala", NotIt},
    {"pastdueamount", NotIt},
    {"amountdue", NotIt},
    {"lagstabeloppattbetala", NotIt},
});

// The first money amount behind the label on its line, or below it. A label in two lines has its amount
// beside either of them.
Found<Decimal> amount_near(const Document& document, const LabelAt& label, bool below) {
    const auto& line = document.lines[label.line];
    for (const auto& at : document.amounts[label.line]) {
        if (at.first < label.first + label.count || at.amount.percent) continue;
        if (!at.amount.decimals && at.amount.currency.empty()) continue;
        // Another text between them owns the amount.
        const auto between =
            line.text(label.first + label.count, at.first - label.first - label.count);
        if (fold_words(between).size() > 4) break;
        return {at.amount.value.rescaled(2), 0.95 * std::min(1.0, 0.4 + at.amount.confidence),
                line.page, at.box};
    }
    if (!below) return {};
    for (const auto& place :
         places_near(document.lines, label,
                     {.right_max = 0, .below_max = 2.5, .right_count = 0, .below_count = 2})) {
        for (const auto& at : find_amounts(document.words(place), document.numbers)) {
            if (at.amount.percent || (!at.amount.decimals && at.amount.currency.empty())) continue;
            return {at.amount.value.rescaled(2), 0.8 * std::min(1.0, 0.4 + at.amount.confidence),
                    line.page, at.box};
        }
    }
    return {};
}

void read_balances(const Document& document, Statement& statement) {
    const auto keep = [](Found<Decimal>& into, const Found<Decimal>& found) {
        if (found && (!into || found.confidence > into.confidence)) into = found;
    };
    for (const auto& label : find_labels(document.lines, kBalanceLabels)) {
        const bool general = kBalanceLabels[label.label].text == "summa" ||
                             kBalanceLabels[label.label].text == "total";
        auto found = amount_near(document, label, !general);
        if (!found) continue;
        if (!label.exact) found.confidence *= 0.9;
        if (general) found.confidence *= 0.6;
        if (kBalanceLabels[label.label].text == "previousstatement") found.confidence *= 0.8;
        if (label.meaning == Previous) keep(statement.previous_balance, found);
        if (label.meaning == New) keep(statement.new_balance, found);
        if (label.meaning == Rows) keep(statement.total, found);
    }
}

void read_dates(const Document& document, Statement& statement) {
    const auto labels = find_labels(document.lines, kDateLabels);
    const DateOptions options{.without_year = false, .six_digits = true};
    const auto keep = [](Found<Date>& into, const DateAt& at, double sure, int page) {
        if (!into || into.confidence < sure * at.reading.confidence)
            into = {at.reading.date, sure * at.reading.confidence, page, at.box};
    };
    for (const auto& label : labels) {
        const int page = document.lines[label.line].page;
        if (label.meaning == Period) {
            const auto& line = document.lines[label.line];
            std::vector<DateAt> dates;
            for (const auto& at : find_dates(line.words, document.date_style, options)) {
                if (at.first >= label.first + label.count) dates.push_back(at);
            }
            // "July 15 to August 15, 2016": the first takes the second's year.
            if (dates.size() < 2) {
                auto loose = find_dates(line.words, document.date_style, {.without_year = true});
                std::erase_if(
                    loose, [&](const DateAt& at) { return at.first < label.first + label.count; });
                if (loose.size() >= 2 && loose[0].reading.date.year == 0 &&
                    loose[1].reading.date.year > 0) {
                    auto& first = loose[0].reading.date;
                    first.year = loose[1].reading.date.year;
                    if (first > loose[1].reading.date) --first.year;
                    dates = loose;
                }
            }
            if (dates.size() >= 2 && dates[0].reading.date.is_valid() &&
                dates[0].reading.date <= dates[1].reading.date) {
                keep(statement.period_start, dates[0], 0.95, page);
                keep(statement.period_end, dates[1], 0.95, page);
            }
            continue;
        }
        if (label.meaning != StatementDate && label.meaning != Due) continue;
        for (const auto& place :
             places_near(document.lines, label,
                         {.right_max = 25, .below_max = 2.5, .right_count = 1, .below_count = 1})) {
            const auto dates = find_dates(document.words(place), document.date_style, options);
            if (dates.empty() || dates.front().first > 1) continue;
            keep(label.meaning == Due ? statement.due_date : statement.statement_date,
                 dates.front(), place.below ? 0.85 : 0.95, page);
            break;
        }
    }
    if (!statement.statement_date && statement.period_end) {
        statement.statement_date = statement.period_end;
        statement.statement_date.confidence *= 0.8;
    }
}

bool is_mask(char c) { return c == '*' || c == 'X' || c == 'x' || c == '#'; }

// The four digits that a masked number ends in; nothing if it ends in stars.
std::string last_four_of(std::string_view masked) {
    std::string tail;
    for (std::size_t i = masked.size(); i-- > 0 && tail.size() < 4;) {
        if (masked[i] >= '0' && masked[i] <= '9')
            tail.insert(tail.begin(), masked[i]);
        else if (masked[i] != '-')
            break;
    }
    return tail.size() == 4 ? tail : std::string{};
}

// "1234 56** **** 7890": digits with stars or crosses. Banks print the first digits, too; what is kept is the last four.
bool read_masked_number(const Line& line, Statement& statement) {
    for (std::size_t i = 0; i < line.words.size(); ++i) {
        std::string text;
        for (auto n = i; n < std::min(i + 5, line.words.size()); ++n) {
            const auto& word = line.words[n].text;
            const bool part = std::all_of(word.begin(), word.end(), [](char c) {
                return (c >= '0' && c <= '9') || is_mask(c) || c == '-';
            });
            if (!part) break;
            text += word;
            const auto masked = std::count_if(text.begin(), text.end(), is_mask);
            const auto digits = static_cast<std::ptrdiff_t>(digit_count(text));
            const std::string last = last_four_of(text);
            if (masked < 4 || masked + digits < 8 || masked + digits > 19 || last.empty()) continue;
            statement.card_number_masked = {"**** " + last, 0.9, line.page,
                                            line.box_of(i, n - i + 1)};
            statement.card_last_4 = {last, 0.9, line.page, line.words[n].box};
            return true;
        }
    }
    return false;
}

void read_card_number(const Document& document, Statement& statement) {
    for (const auto& line : document.lines) {
        if (read_masked_number(line, statement)) return;
    }
}

// Who sent it: the names that stand in the heads of statements, as fold_alnum has them. The longer name first, where one
// is a part of another.
struct Issuer {
    std::string_view folded, name;
};
constexpr auto kIssuers = std::to_array<Issuer>({
    {"firstcard", "First Card"},
    {"eurocard", "Eurocard"},
    {"americanexpress", "American Express"},
    {"seb", "SEB"},
    {"swedbank", "Swedbank"},
    {"nordea", "Nordea"},
    {"handelsbanken", "Handelsbanken"},
    {"lansforsakringar", "Länsförsäkringar"},
    {"danskebank", "Danske Bank"},
    {"icabanken", "ICA Banken"},
    {"coopkort", "Coop"},
    {"bankofamerica", "Bank of America"},
    {"capitalone", "Capital One"},
    {"jpmorganchase", "Chase"},
    {"chase", "Chase"},
    {"citibank", "Citibank"},
    {"wellsfargo", "Wells Fargo"},
    {"discover", "Discover"},
    {"barclaycard", "Barclaycard"},
    {"hsbc", "HSBC"},
    {"tdbank", "TD"},
    {"tdcanadatrust", "TD"},
    {"rbcroyalbank", "RBC"},
    {"scotiabank", "Scotiabank"},
});

// Only above the first row: below it the names are those of shops. A short name is a word of its own.
void read_issuer(const Document& document, Statement& statement) {
    constexpr std::size_t kHeadLines = 15;
    for (std::size_t l = 0; l < std::min(kHeadLines, document.lines.size()); ++l) {
        const auto& line = document.lines[l];
        const auto words = fold_words(line.text());
        for (const Issuer& known : kIssuers) {
            for (std::size_t i = 0; i < words.size(); ++i) {
                std::string joined;
                for (auto n = i; n < words.size() && joined.size() < known.folded.size(); ++n)
                    joined += words[n];
                if (joined != known.folded) continue;
                statement.issuer = {std::string(known.name), 0.9, line.page, {}};
                return;
            }
        }
    }
}

// Codes on rows are the currencies of purchases abroad; the statement's own stands in its headings, by its
// balances and in the bank's address.
void read_currency(const Document& document, Statement& statement) {
    media::Page rest;
    int line_number = 0;
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        const auto& line = document.lines[l];
        const auto folded = fold(line.text());
        const bool foreign = folded.find("kurs") != std::string::npos ||
                             folded.find("rate") != std::string::npos ||
                             folded.find("foreign") != std::string::npos;
        const auto dates =
            find_dates(line.words, document.date_style, {.without_year = true, .six_digits = true});
        const bool row = !dates.empty() && dates.front().first <= 2 && !document.amounts[l].empty();
        if (foreign || row) continue;
        for (auto word : line.words) {
            word.line = line_number;
            rest.words.push_back(std::move(word));
        }
        ++line_number;
    }
    auto choice = document_currency({rest});
    if (choice.code.empty()) {
        int swedish = 0;
        for (const auto& word : rest.words) {
            const auto folded = fold_alnum(word.text);
            for (const auto* hint : {"korttotal", "betala", "bankgiro", "plusgiro", "faktura",
                                     "fakturadatum", "forfallodag", "moms", "fakturanr"}) {
                swedish += folded == hint ? 1 : 0;
            }
        }
        if (swedish >= 2) choice = {"SEK", 0.8};
    }
    if (!choice.code.empty()) statement.currency = {choice.code, choice.confidence};
}

}  // namespace

BalanceKind balance_label(std::string_view words) {
    double x = 0;
    Line line;
    for (auto& word : fold_words(words)) {
        line.words.push_back({word, {x, 0, 10, 10}, 1, 0});
        x += 12;
    }
    static const LabelFinder finder{kBalanceLabels};
    for (const auto& label : finder.find({line})) {
        const auto text = kBalanceLabels[label.label].text;
        if (text == "summa" || text == "total") continue;
        if (label.meaning == Previous) return BalanceKind::Previous;
        if (label.meaning == New) return BalanceKind::New;
        if (label.meaning == Rows) return BalanceKind::RowsTotal;
    }
    return BalanceKind::None;
}

void read_statement_header(const Document& document, Statement& statement) {
    statement.invoice_number = read_invoice_number(document);
    if (statement.invoice_number.confidence < 0.6) statement.invoice_number = {};
    read_dates(document, statement);
    read_balances(document, statement);
    read_card_number(document, statement);
    read_issuer(document, statement);
    statement.payment_ocr = read_invoice_ids(document).payment.ocr_reference;
    read_currency(document, statement);
}

}  // namespace belay::ai::rules

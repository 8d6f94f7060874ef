// statement_columns.cpp — headings in Swedish and English, and bands of right edges.
#include "ingestion/ai/rules/statement_columns.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace belay::ai::rules {
namespace {

constexpr int Amount_ = static_cast<int>(StatementColumn::Amount),
              Credit = static_cast<int>(StatementColumn::Credit),
              Debit = static_cast<int>(StatementColumn::Debit),
              Balance = static_cast<int>(StatementColumn::Balance),
              Foreign = static_cast<int>(StatementColumn::Foreign),
              City = static_cast<int>(StatementColumn::City),
              Text = static_cast<int>(StatementColumn::Text);

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

double edge_distance(const media::Box& a, const media::Box& b) {
    const auto middle = std::abs((a.x + a.width / 2) - (b.x + b.width / 2));
    return std::min({std::abs(a.right() - b.right()), middle, std::abs(a.x - b.x)});
}

// The right edge that most of `edges` share; of equals the rightmost; -1 if there is none.
double fullest_band(const std::vector<double>& edges, double width) {
    double best = -1;
    std::ptrdiff_t most = 0;
    for (const double edge : edges) {
        const auto count = std::count_if(edges.begin(), edges.end(),
                                         [&](double e) { return std::abs(e - edge) < width; });
        if (count > most || (count == most && edge > best)) {
            most = count;
            best = edge;
        }
    }
    return best;
}

}  // namespace

bool is_row_money(const Amount& amount) {
    return amount.decimals && !amount.percent && amount.value.scale() == 2;
}

StatementColumns::StatementColumns(const Document& document, const std::vector<std::size_t>& dated)
    : document_(document), labels_(find_labels(document.lines, kHeadings)) {
    // A row that mentions a debit is no heading.
    std::erase_if(labels_, [&](const LabelAt& label) {
        const auto& amounts = document.amounts[label.line];
        return std::any_of(amounts.begin(), amounts.end(),
                           [](const AmountAt& at) { return is_row_money(at.amount); });
    });
    const std::set<std::size_t> rows(dated.begin(), dated.end());
    std::map<int, std::vector<double>> of_rows, of_all;
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        for (const auto& at : document.amounts[l]) {
            if (!is_row_money(at.amount)) continue;
            of_all[document.lines[l].page].push_back(at.box.right());
            if (rows.contains(l)) of_rows[document.lines[l].page].push_back(at.box.right());
        }
    }
    // Each page for itself: another page may be set out in another way.
    for (const auto& [page, edges] : of_all) {
        const auto found = of_rows.find(page);
        bands_[page] =
            fullest_band(found != of_rows.end() ? found->second : edges, 1.2 * document.height);
    }
}

std::vector<StatementHeading> StatementColumns::headings_for(std::size_t line) const {
    std::map<std::size_t, std::vector<StatementHeading>> by_line;
    for (const auto& label : labels_) {
        if (label.line >= line || document_.lines[label.line].page != document_.lines[line].page)
            continue;
        by_line[label.line].push_back({static_cast<StatementColumn>(label.meaning), label.box});
    }
    for (auto at = by_line.rbegin(); at != by_line.rend(); ++at) {
        const auto has = [&](StatementColumn column) {
            return std::any_of(at->second.begin(), at->second.end(),
                               [&](const StatementHeading& h) { return h.column == column; });
        };
        const bool amounts = has(StatementColumn::Amount) || has(StatementColumn::Debit);
        const bool text = has(StatementColumn::Text) || has(StatementColumn::City);
        if (amounts && (text || at->second.size() >= 2)) return at->second;
    }
    return {};
}

StatementColumns::Choice StatementColumns::amount_of(
    std::size_t line, std::size_t from, const std::vector<StatementHeading>& headings) const {
    Choice choice;
    const auto band = bands_.find(document_.lines[line].page);
    for (const auto& at : document_.amounts[line]) {
        if (!is_row_money(at.amount) || at.first < from) continue;
        const StatementHeading* heading = nullptr;
        double least = 4 * document_.height;
        for (const auto& h : headings) {
            const auto distance = edge_distance(h.box, at.box);
            if (distance < least) {
                least = distance;
                heading = &h;
            }
        }
        const auto is = [&](StatementColumn column) {
            return heading != nullptr && heading->column == column;
        };
        if (is(StatementColumn::Balance) || is(StatementColumn::Foreign)) continue;
        const bool in_band = band != bands_.end() &&
                             std::abs(at.box.right() - band->second) < 1.2 * document_.height;
        const bool by_heading = is(StatementColumn::Amount) || is(StatementColumn::Credit) ||
                                is(StatementColumn::Debit);
        if (in_band || by_heading) choice = {&at, is(StatementColumn::Credit)};
    }
    return choice;
}

}  // namespace belay::ai::rules

// invoice_vat.cpp — rows of a tax table: three numbers on a line that fit as base, rate and tax.
#include <algorithm>
#include <array>

#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/invoice_totals.hpp"

namespace belay::ai::rules {
namespace {

bool speaks_of_tax(const Line& line) {
    const auto text = fold(line.text());
    for (const auto* word :
         {"ust", "mwst", "steuer", "vat", "tax", "moms", "tva", "btw", "gst", "iva"}) {
        if (text.find(word) != std::string::npos) return true;
    }
    return false;
}

bool near_tax(const Document& document, std::size_t line) {
    for (std::size_t up = 0; up <= 4 && up <= line; ++up) {
        if (document.lines[line - up].page != document.lines[line].page) break;
        if (speaks_of_tax(document.lines[line - up])) return true;
    }
    return false;
}

bool is_rate(const AmountAt& at) {
    const auto& value = at.amount.value;
    return !value.is_negative() && value <= Decimal{30, 0} && at.amount.currency.empty();
}

}  // namespace

std::vector<VatRow> vat_rows(const Document& document) {
    std::vector<VatRow> rows;
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        const auto& amounts = document.amounts[l];
        if (amounts.size() < 3 || amounts.size() > 8 || !near_tax(document, l)) continue;
        bool found = false;
        for (std::size_t r = 0; r < amounts.size() && !found; ++r) {
            if (!is_rate(amounts[r])) continue;
            const bool marked = amounts[r].amount.percent;
            const auto rate = amounts[r].amount.value;
            for (std::size_t b = 0; b < amounts.size() && !found; ++b) {
                // Right to left: the base nearest to the tax is after charges and discounts.
                for (std::size_t t = amounts.size(); t-- > 0 && !found;) {
                    if (b == r || t == r || t <= b) continue;
                    const auto base = amounts[b].amount, tax = amounts[t].amount;
                    if (base.percent || tax.percent || !base.decimals || !tax.decimals) continue;
                    if (tax.value.scale() != 2 || base.value.scale() != 2 || base.value.is_zero())
                        continue;
                    if (!near(base.value * rate * Decimal{1, 2}, tax.value, Decimal{2, 2}))
                        continue;
                    // Zero of anything is zero: that needs a percent sign or a word on the line.
                    if (rate.is_zero() && !marked && !speaks_of_tax(document.lines[l])) continue;
                    if (!marked && t != amounts.size() - 1 && r != amounts.size() - 1) continue;
                    rows.push_back(
                        {{rate, base.value, tax.value}, l, document.lines[l].page, amounts[t].box});
                    found = true;
                }
            }
        }
    }
    // A table printed twice (a row and its sum) counts once.
    std::vector<VatRow> unique;
    for (const auto& row : rows) {
        const bool known = std::any_of(unique.begin(), unique.end(), [&](const VatRow& other) {
            return other.sum.rate == row.sum.rate && other.sum.base == row.sum.base;
        });
        if (!known) unique.push_back(row);
    }
    return unique;
}

}  // namespace belay::ai::rules

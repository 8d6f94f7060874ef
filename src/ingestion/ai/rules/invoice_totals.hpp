// invoice_totals.hpp — net, tax and total of an invoice, by their labels and by their arithmetic.
#pragma once

#include <optional>
#include <vector>

#include "ingestion/ai/rules/document.hpp"
#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/total_label.hpp"

namespace belay::ai::rules {

// An amount that a label makes a total.
struct TotalCandidate {
    TotalKind kind = TotalKind::None;
    Decimal value{};
    double strength = 0;
    std::optional<Decimal> rate{};  // a percentage printed before it
    std::size_t line = 0;
    int page = 0;
    media::Box box{};
};

// Every labelled total of the document: label on the left, or above in a row of headings.
std::vector<TotalCandidate> total_candidates(const Document& document);

// A row of a tax table: rate, base and tax that fit each other, and the line it stands on.
struct VatRow {
    VatSum sum{};
    std::size_t line = 0;
    int page = 0;
    media::Box box{};
};
std::vector<VatRow> vat_rows(const Document& document);

struct Totals {
    Found<Decimal> net{}, tax{}, gross{}, due{};
    std::vector<VatSum> vat{};
    bool add_up = false;                // net + tax = gross, all three read from the page
    std::size_t first_line = SIZE_MAX;  // the first line on which one of them stands
    std::vector<Decimal> line_sums{};   // printed sums that the lines may come to
};

// Chooses the readings that fit together. What no label and no arithmetic speaks for stays empty.
Totals read_totals(const Document& document);

}  // namespace belay::ai::rules

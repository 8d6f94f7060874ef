// table.hpp — a table's columns from its heading, and which column a number stands in.
#pragma once

#include <optional>
#include <vector>

#include "ingestion/ai/rules/document.hpp"

namespace belay::ai::rules {

enum class ColumnKind {
    Position,
    Article,
    Description,
    Quantity,
    Unit,
    UnitPrice,
    Discount,
    VatRate,
    Amount,
    Other
};

struct Column {
    ColumnKind kind = ColumnKind::Other;
    media::Box heading{};
};

struct TableHeading {
    std::size_t first_line = 0, last_line = 0;  // headings often take several lines
    std::vector<Column> columns{};              // left to right

    bool has(ColumnKind kind) const;
    // The column that a value with this box stands in: the one whose left edge, middle or right edge is
    // nearest to the value's own, because columns are aligned in one of these three ways.
    const Column* column_of(const media::Box& value) const;
    // How far the value's nearest edge or middle is from that column's.
    double distance_of(const media::Box& value) const;
};

// The headings of item tables: lines that name at least two kinds of columns, an amount or price among
// them. A tax table's heading is none.
std::vector<TableHeading> item_headings(const Document& document);

}  // namespace belay::ai::rules

#include "ingestion/media/html/markdown_table.hpp"

#include <algorithm>
#include <vector>

#include "ingestion/media/html/markdown_inline.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

constexpr std::size_t kColumnsMax = 100;  // a colspan is a number in a hostile page

std::vector<Node*> rows_of(const Node& table) {
    std::vector<Node*> rows;
    for (Node* row : elements(table, Tag::Tr))
        if (ancestor_with(*row, Tag::Table) == &table) rows.push_back(row);
    return rows;
}

std::vector<Node*> cells_of(const Node& row) {
    std::vector<Node*> cells;
    for (Node* cell = first_element(row); cell != nullptr; cell = next_element(*cell))
        if (cell->tag == Tag::Td || cell->tag == Tag::Th) cells.push_back(cell);
    return cells;
}

std::string cell_text(const Node& cell, const std::string& base) {
    std::string text = inline_markdown(cell, base);
    text = collapse(replace_all(text, "\n", " "));
    return replace_all(text, "|", "\\|");
}

std::size_t span_of(const Node& cell) {
    const auto value = cell.attribute("colspan");
    if (value.empty() || value.size() > 3) return 1;
    std::size_t n = 0;
    for (const char c : value) {
        if (c < '0' || c > '9') return 1;
        n = n * 10 + static_cast<std::size_t>(c - '0');
    }
    return std::clamp<std::size_t>(n, 1, kColumnsMax);
}

}  // namespace

bool is_layout_table(const Node& table) {
    if (!elements(table, Tag::Table).empty()) return true;
    if (!elements(table, {Tag::H1, Tag::H2, Tag::H3}).empty() && elements(table, Tag::Th).empty())
        return true;
    std::size_t columns = 0;
    for (const Node* row : rows_of(table)) columns = std::max(columns, cells_of(*row).size());
    if (columns <= 1) return true;
    // A cell with several paragraphs is a page in a frame.
    for (const Node* cell : elements(table, Tag::Td))
        if (elements(*cell, Tag::P).size() > 3 ||
            !elements(*cell, {Tag::Article, Tag::Section}).empty())
            return true;
    return false;
}

std::string markdown_table(const Node& table, const std::string& base) {
    std::vector<std::vector<std::string>> grid;
    std::size_t columns = 0;
    for (const Node* row : rows_of(table)) {
        auto& line = grid.emplace_back();
        for (const Node* cell : cells_of(*row)) {
            line.push_back(cell_text(*cell, base));
            for (std::size_t i = 1; i < span_of(*cell) && line.size() < kColumnsMax; ++i)
                line.emplace_back();
        }
        if (std::all_of(line.begin(), line.end(), [](const auto& text) { return text.empty(); }))
            grid.pop_back();
        else
            columns = std::max(columns, line.size());
    }
    std::string out;
    for (const Node* caption : elements(table, Tag::Caption))
        if (ancestor_with(*caption, Tag::Table) == &table)
            out += inline_markdown(*caption, base) + "\n\n";
    bool header = true;
    for (auto& line : grid) {
        line.resize(columns);
        if (!header) out += '\n';
        out += '|';
        for (const auto& text : line) out += " " + text + " |";
        if (header) {
            out += "\n|";
            for (std::size_t i = 0; i < columns; ++i) out += " --- |";
        }
        header = false;
    }
    return out;
}

}  // namespace belay::media::html

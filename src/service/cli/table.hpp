// table.hpp — rows in columns that fit the screen.
//
// On a terminal, the columns that may give way are cut until the rest fits; in a pipe nothing is cut.
#pragma once

#include <string>
#include <vector>

#include "service/cli/screen.hpp"

namespace belay::cli {

struct Column {
    std::string title;
    int shrinks_to = 0;  // how narrow it may become; 0: never cut
    bool right = false;  // numbers
};

struct Cell {
    std::string text;  // shown through plain()
    Style style = Style::Plain;
};

class Table {
public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    void row(std::vector<Cell> cells);

    // A line of its own beneath the row before it, from `column` on to the end of the line.
    void note(std::size_t column, Cell text);

    void print(const Screen& screen) const;

private:
    struct Row {
        std::vector<Cell> cells;
        std::size_t note_at = 0;
        bool is_note = false;
    };

    std::vector<int> widths(const Screen& screen) const;
    void print_row(const Screen& screen, const std::vector<int>& widths,
                   const std::vector<Cell>& cells) const;
    void print_note(const Screen& screen, const std::vector<int>& widths, const Row& row) const;

    std::vector<Column> columns_;
    std::vector<Row> rows_;
};

}  // namespace belay::cli

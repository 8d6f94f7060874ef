#include "service/cli/table.hpp"

#include <algorithm>
#include <ostream>

#include "core/base/assert.hpp"
#include "core/base/utf8.hpp"

namespace belay::cli {

namespace {

constexpr int kGap = 2;

int sum_of(const std::vector<int>& widths) {
    int sum = 0;
    for (const int width : widths) sum += width + kGap;
    return sum - kGap;
}

}  // namespace

void Table::row(std::vector<Cell> cells) {
    BELAY_ASSERT(cells.size() == columns_.size(), "a row of {} cells in {} columns", cells.size(),
                 columns_.size());
    for (Cell& cell : cells) cell.text = plain(cell.text);
    rows_.push_back({std::move(cells), 0, false});
}

void Table::note(std::size_t column, Cell text) {
    text.text = plain(text.text);
    rows_.push_back({{std::move(text)}, column, true});
}

std::vector<int> Table::widths(const Screen& screen) const {
    std::vector<int> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        int width = width_of(columns_[i].title);
        for (const Row& row : rows_) {
            if (!row.is_note) width = std::max(width, width_of(row.cells[i].text));
        }
        widths.push_back(width);
    }
    if (screen.width <= 0) return widths;
    // The widest column that may still give way gives one character at a time, so none is cut to
    // nothing while another is wide.
    for (int over = sum_of(widths) - screen.width; over > 0; --over) {
        std::size_t widest = columns_.size();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i].shrinks_to == 0 || widths[i] <= columns_[i].shrinks_to) continue;
            if (widest == columns_.size() || widths[i] > widths[widest]) widest = i;
        }
        if (widest == columns_.size()) break;
        --widths[widest];
    }
    return widths;
}

void Table::print(const Screen& screen) const {
    const std::vector<int> widths = this->widths(screen);
    std::vector<Cell> titles;
    for (const Column& column : columns_) titles.push_back({column.title, Style::Bold});
    print_row(screen, widths, titles);
    for (const Row& row : rows_) {
        if (row.is_note) {
            print_note(screen, widths, row);
        } else {
            print_row(screen, widths, row.cells);
        }
    }
}

void Table::print_row(const Screen& screen, const std::vector<int>& widths,
                      const std::vector<Cell>& cells) const {
    std::string line;
    int blanks = 0;  // owed, and only paid when something follows
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string text = base::truncate(cells[i].text, static_cast<std::size_t>(widths[i]));
        const int rest = widths[i] - width_of(text);
        const int before = columns_[i].right ? rest : 0;
        if (!text.empty()) {
            line += std::string(static_cast<std::size_t>(blanks + before), ' ');
            line += styled(screen, cells[i].style, text);
            blanks = 0;
        }
        blanks += kGap + (text.empty() ? widths[i] : rest - before);
    }
    screen.out << line << '\n';
}

void Table::print_note(const Screen& screen, const std::vector<int>& widths, const Row& row) const {
    int indent = 0;
    for (std::size_t i = 0; i < row.note_at; ++i) indent += widths[i] + kGap;
    std::string text = row.cells[0].text;
    if (screen.width > indent)
        text = base::truncate(text, static_cast<std::size_t>(screen.width - indent));
    screen.out << std::string(static_cast<std::size_t>(indent), ' ')
               << styled(screen, row.cells[0].style, text) << '\n';
}

}  // namespace belay::cli

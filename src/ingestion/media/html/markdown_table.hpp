// markdown_table.hpp — tables: those that show data as GitHub tables, the others as what they hold.
#pragma once

#include <string>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// Arranges a page instead of showing data: nested tables, one column, or whole articles in a cell.
bool is_layout_table(const Node& table);

std::string markdown_table(const Node& table, const std::string& base);

}  // namespace belay::media::html

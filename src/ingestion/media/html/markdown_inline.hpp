// markdown_inline.hpp — a line of Markdown: text, emphasis, links, pictures, code.
#pragma once

#include <string>
#include <string_view>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// Where links and pictures lead, absolute if there is a base; empty for a `javascript:` and the like.
std::string link_target(std::string_view href, const std::string& base);

// The inline content below `node` (or of `node` itself if it is inline), trimmed.
std::string inline_markdown(const Node& node, const std::string& base);
// The same for the siblings from `first` up to `end`.
std::string inline_markdown(const Node* first, const Node* end, const std::string& base);

// Backslashes before what Markdown would take for markup.
std::string escape_markdown(std::string_view text);
// Also what has a meaning only at the start of a line: "1.", "#", "-", ">".
std::string escape_line_start(std::string line);

}  // namespace belay::media::html

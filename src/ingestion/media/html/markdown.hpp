// markdown.hpp — cleaned content as Markdown (CommonMark with GitHub's tables and footnotes).
//
// What a reader of the Markdown gets back when it is rendered is what the page showed: headings, links
// with absolute addresses, nested lists, tables, code with its language, pictures, quotes, emphasis.
// Characters that Markdown would take for markup are escaped.
#pragma once

#include <string>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// `base` is the address that relative links are resolved against; with none they stay relative.
std::string markdown(const Node& content, const std::string& base);

}  // namespace belay::media::html

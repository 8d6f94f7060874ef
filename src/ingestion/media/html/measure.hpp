// measure.hpp — how much there is to read below a node, and of what kind.
#pragma once

#include <cstddef>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// The part of the text that is inside links, 0 to 1. A link within the page counts little: articles
// have tables of contents and footnotes.
double link_density(const Node& node);

// The text in paragraphs that read like prose: long enough, and few of it links.
std::size_t prose_length(const Node& node);

// The part of the text that is inside elements with one of these tags.
double density_of(const Node& node, std::initializer_list<Tag> tags);

// There is no text and nothing to look at below it.
bool is_empty(const Node& node);

// Has a child that starts on a line of its own, at any depth through inline elements.
bool has_block_inside(const Node& node);

}  // namespace belay::media::html

// structure.hpp — makes the tree say what the page shows: paragraphs are <p>, headings are headings.
//
// Pages write paragraphs as divs, as spans with a role, as runs of text between two <br>. Scoring and
// Markdown both want them as paragraphs, so this is done once, before either.
#pragma once

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// Gives elements with a role ("heading", "paragraph", "listitem", …) the tag that means it.
void apply_roles(Node& root);

// A section's heading that links to itself is a heading, not a link.
void unwrap_links_around_blocks(Node& root);

// Splits at two line breaks in a row, wraps loose text beside blocks into <p>, and turns divs that
// hold only text into <p>.
void make_paragraphs(Document& document, Node& root);

}  // namespace belay::media::html

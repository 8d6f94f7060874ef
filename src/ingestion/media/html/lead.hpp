// lead.hpp — the introduction that stands between the headline and the article's body.
//
// Many pages keep it in a box of its own, away from the paragraphs that selection finds.
#pragma once

#include <string>
#include <vector>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// Paragraphs after the heading that says `title` and before `top`, in document order, that read like
// an introduction. Both must be in `body`.
std::vector<Node*> lead_paragraphs(const Node& body, const Node& top, const std::string& title);

}  // namespace belay::media::html

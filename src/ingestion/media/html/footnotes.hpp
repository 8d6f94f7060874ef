// footnotes.hpp — finds footnotes, however a page writes them, and keeps them with what refers to them.
//
// A footnote's text is at the bottom of a page, in a sidebar, or in a hidden box; selection would lose
// it or take it for furniture. So footnotes are taken out first, and those that the chosen content
// refers to are put at its end.
#pragma once

#include <string>
#include <vector>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

struct Footnote {
    std::string label{};   // what the references carry in `data-footnote`
    Node* text = nullptr;  // a <div data-footnote-text=label>, not attached
};

// Marks the references (`data-footnote`) and takes the texts out of the tree.
std::vector<Footnote> take_footnotes(Document& document, Node& root);

// Appends copies of the texts that `content` refers to, in the order in which it does.
void append_footnotes(Document& document, Node& content, const std::vector<Footnote>& footnotes);

}  // namespace belay::media::html

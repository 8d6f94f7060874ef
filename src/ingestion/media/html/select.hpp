// select.hpp — which part of a page is the article.
//
// Paragraphs give points to the elements around them: for length, for commas, less with every level.
// Names and tags add or take, links divide. The best element is then widened to what belongs to it:
// a parent that holds more of the same, siblings that read like the rest.
#pragma once

#include <string>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// How much a selection trusts names. If the strict one finds too little, the next is tried.
struct Trust {
    bool strip_unlikely = true;  // leave out what sounds like navigation before scoring
    bool weigh_names = true;     // let class names add to and take from the score
    bool clean_by_shape = true;  // later: remove lists and boxes that look like furniture
};

// The article of the page whose body is `body`, as a new <div>; `body` is taken apart. Its paragraphs
// must be paragraphs already (make_paragraphs).
// `title` is the page's, to find the introduction below its headline.
Node& select_content(Document& document, Node& body, const Trust& trust, const std::string& title);

}  // namespace belay::media::html

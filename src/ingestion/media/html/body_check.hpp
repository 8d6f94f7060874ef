// body_check.hpp — compares a selection with the text that the page's JSON-LD gives as its article.
#pragma once

#include <string_view>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// The part of `wanted`'s word groups that `text` has too, 0 to 1.
double shared_part(std::string_view wanted, std::string_view text);

// The smallest element whose paragraphs are most of `wanted`; null if there is none.
Node* holder_of(Node& body, std::string_view wanted);

// A <div> with one paragraph for each line of a text (or of its HTML: some pages put that there).
Node& content_of_text(Document& document, std::string_view text);

}  // namespace belay::media::html

// code_blocks.hpp — code as its author wrote it: no line numbers, no copy buttons, with its language.
#pragma once

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// Gives every <pre> one text and, where the page says it, a `data-language`; takes the tables that
// highlighters build around code apart. Call before remove_invisible: buttons tell what is not code.
void tidy_code_blocks(Document& document, Node& root);

}  // namespace belay::media::html

// math.hpp — formulas as TeX, whatever the page's renderer made of them.
#pragma once

#include <string>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// Replaces KaTeX, MathJax and MathML by <span data-tex=… data-display=…>. Call before
// remove_invisible and remove_hidden: scripts and hidden copies carry the source.
void convert_math(Document& document, Node& root);

// Presentation MathML as TeX.
std::string tex_of_mathml(const Node& math);

}  // namespace belay::media::html

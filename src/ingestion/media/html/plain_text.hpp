// plain_text.hpp — cleaned content as text: paragraphs with an empty line between them.
#pragma once

#include <string>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

std::string plain_text(const Node& content);

}  // namespace belay::media::html

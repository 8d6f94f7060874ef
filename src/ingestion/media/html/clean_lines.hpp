// clean_lines.hpp — removes lines that are no part of any article, whatever element they stand in.
//
// "Advertisement", "Share this on WhatsApp", "Read more: …", a lone date or "By …" above the first paragraph.
#pragma once

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

void remove_furniture_lines(Node& content);

}  // namespace belay::media::html

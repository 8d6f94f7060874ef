// clean_shape.hpp — removes lists, boxes and tables whose shape says that they are not prose.
//
// Named or not, a block of links, of inputs or of pictures with hardly a comma in it is furniture.
#pragma once

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

void remove_by_shape(Node& content);

// A table that shows data rather than arranging a page.
bool is_data_table(const Node& table);

}  // namespace belay::media::html

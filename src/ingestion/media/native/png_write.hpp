// png_write.hpp — a picture as PNG, every pixel as it is: what a page looked like when it was read.
#pragma once

#include <string>

#include "ingestion/media/native/image.hpp"

namespace belay::media {

// Grey if no pixel has a colour. Packed fast rather than small: scans are noise, and there are many.
std::string to_png(const Image& image);

}  // namespace belay::media

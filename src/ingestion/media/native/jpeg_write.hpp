// jpeg_write.hpp — a picture as JPEG, for thumbnails.
#pragma once

#include <string>

#include "ingestion/media/native/image.hpp"

namespace belay::media {

// `quality` is 1 to 100.
std::string to_jpeg(const Image& image, int quality);

}  // namespace belay::media

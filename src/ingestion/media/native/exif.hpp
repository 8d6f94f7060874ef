// exif.hpp — how a camera was held.
#pragma once

#include <string_view>

namespace belay::media {

// The orientation (1 to 8) in a block of EXIF: TIFF, with or without "Exif\0\0" before it. 1 if it has none
// or is broken: a photo with bad metadata is still a photo.
int exif_orientation(std::string_view block) noexcept;

}  // namespace belay::media

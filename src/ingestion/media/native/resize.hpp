// resize.hpp — pictures made smaller or larger, and turned.
#pragma once

#include "ingestion/media/native/image.hpp"

namespace belay::media {

// Exactly `width` by `height`. Every source pixel counts when it gets smaller (a triangle filter as wide as the
// step), so fine print does not turn into noise; linear in between when it gets larger.
Image resized(const Image& image, int width, int height);

// The longer side at most `side`, in proportion; the image itself if it already fits.
Image fit_within(const Image& image, int side);

// The middle part with the proportions of `width` to `height`, as large as possible.
Image center_cropped(const Image& image, int width, int height);

// Turned and mirrored as EXIF's orientation (1 to 8) says; other values change nothing.
Image oriented(Image image, int orientation);

}  // namespace belay::media

// image.hpp — pictures from hostile bytes: what they are, and their pixels.
//
// The format is told by the first bytes, never by a name. Sizes are read from the header and checked before
// anything is decoded, so that a file of a few bytes cannot ask for gigabytes. Each format has the library
// that browsers use for it (libjpeg-turbo, libpng, libwebp, giflib) and not leptonica's readers, which
// allocate before they can be asked and turn every fault into "not read".
//
// Everything here throws isolate::Reject, with one of these codes and a message for a person:
//   empty, not_an_image, file_too_large, too_many_pixels, truncated, corrupt
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace belay::media {

enum class ImageFormat { Jpeg, Png, Webp, Gif };

// "jpeg", "png", "webp", "gif".
std::string_view to_string(ImageFormat format);

struct ImageLimits {
    std::uint64_t file_bytes = 100u << 20;
    int side = 30'000;                   // pixels, the longer one
    std::uint64_t pixels = 100'000'000;  // width times height
};

struct ImageHeader {
    ImageFormat format{};
    int width = 0, height = 0;  // as stored
    int orientation = 1;        // EXIF's 1 to 8: how to turn it to be seen right

    // As a person sees it.
    int shown_width() const { return orientation >= 5 ? height : width; }
    int shown_height() const { return orientation >= 5 ? width : height; }
};

// 8-bit RGB, row by row from the top left, without padding. What was transparent is white.
struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb{};

    Image() = default;
    Image(int w, int h)
        : width(w), height(h), rgb(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * 3) {}

    std::uint8_t* row(int y) {
        return rgb.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) * 3;
    }
    const std::uint8_t* row(int y) const { return const_cast<Image*>(this)->row(y); }
};

// Whether these bytes begin like one of the formats.
bool looks_like_image(std::string_view bytes);

// Reads and checks the header only.
ImageHeader read_image_header(std::string_view bytes, const ImageLimits& limits = {});

// The first frame, turned as EXIF says. With `side_wanted` the result may be smaller than the file's
// picture, but its longer side is at least that: a JPEG is then decoded at a fraction of the cost.
Image decode_image(std::string_view bytes, const ImageLimits& limits = {}, int side_wanted = 0);

}  // namespace belay::media

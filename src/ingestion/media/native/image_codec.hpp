// image_codec.hpp — what each format's file offers to image.cpp.
//
// Headers are unchecked values; decoding is only called with a header that passed the limits. Pixels come as
// stored: image.cpp turns them.
#pragma once

#include <string>
#include <string_view>

#include "ingestion/isolate/failure.hpp"
#include "ingestion/media/native/image.hpp"

namespace belay::media {

[[noreturn]] inline void reject_truncated() {
    throw isolate::Reject("truncated", "truncated: the image ends before its last line");
}
[[noreturn]] inline void reject_corrupt(const std::string& why) {
    throw isolate::Reject("corrupt", "corrupt image: " + why);
}

ImageHeader jpeg_header(std::string_view bytes);
Image jpeg_decode(std::string_view bytes, const ImageHeader& header, int side_wanted);

ImageHeader png_header(std::string_view bytes);
Image png_decode(std::string_view bytes, const ImageHeader& header);

ImageHeader webp_header(std::string_view bytes);
Image webp_decode(std::string_view bytes, const ImageHeader& header, int side_wanted);

ImageHeader gif_header(std::string_view bytes);
Image gif_decode(std::string_view bytes, const ImageHeader& header, const ImageLimits& limits);

}  // namespace belay::media

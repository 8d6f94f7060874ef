// jobs.hpp — the jobs of belay-media on pictures: their names, arguments and answers, the same for both sides.
//
// A job is a struct with kName, Arguments and Result (isolate/call.hpp). To add one: describe it in a header
// of this room, write its handler in a file of src/ingestion/media/native, and add one line to
// src/ingestion/media/native/register.cpp.
//
// A picture that cannot be used is JobFailed{Rejected} with one of the codes empty, not_an_image,
// file_too_large, too_many_pixels, truncated, corrupt (media/native/image.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

namespace belay::media {

// Decodes a picture whole: is it one, and how large? Input: the file.
struct InspectImage {
    static constexpr std::string_view kName = "inspect_image";

    struct Arguments {
        std::uint64_t pixels_max = 100'000'000;
    };
    struct Result {
        std::string format{};       // "jpeg", "png", "webp", "gif"
        int width = 0, height = 0;  // as a person sees it: turned as EXIF says
    };
};
BOOST_DESCRIBE_STRUCT(InspectImage::Arguments, (), (pixels_max))
BOOST_DESCRIBE_STRUCT(InspectImage::Result, (), (format, width, height))

// A small JPEG of a picture, turned the right way. Input: the file. Blob: the JPEG.
struct MakeThumbnail {
    static constexpr std::string_view kName = "make_thumbnail";

    struct Arguments {
        int side = 320;  // of the longer side, 1 to 4096; a smaller picture stays as it is
        int quality = 80;
    };
    struct Result {
        int width = 0, height = 0;
    };
};
BOOST_DESCRIBE_STRUCT(MakeThumbnail::Arguments, (), (side, quality))
BOOST_DESCRIBE_STRUCT(MakeThumbnail::Result, (), (width, height))

// What a picture shows, by the local model. Input: the file. Rejected{unavailable} where no model is
// installed.
struct ClassifyImage {
    static constexpr std::string_view kName = "classify_image";

    struct Arguments {
        int top = 5;  // labels in the answer, at most 1000
    };
    struct Label {
        std::string label{};
        double score = 0;  // 0 to 1
        int index = 0;     // of the class; for ImageNet models 0 to 999, without a background class
    };
    struct Result {
        std::string model{};
        std::vector<Label> labels{};  // best first, never empty
    };
};
BOOST_DESCRIBE_STRUCT(ClassifyImage::Arguments, (), (top))
BOOST_DESCRIBE_STRUCT(ClassifyImage::Label, (), (label, score, index))
BOOST_DESCRIBE_STRUCT(ClassifyImage::Result, (), (model, labels))

}  // namespace belay::media

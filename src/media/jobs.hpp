// jobs.hpp — the jobs of belay-media: their names, arguments and answers, the same for both sides.
//
// A job is a struct with kName, Arguments and Result (isolate/call.hpp). To add one: describe it in a header
// of this room, write its handler in a file of src/media/native, and add one line to
// src/media/native/register.cpp. A value that is not wanted is left at its default.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

namespace belay::media {

// Looks at an image's header and decodes it whole: is this an image that Belay can use?
struct InspectImage {
    static constexpr std::string_view kName = "inspect_image";  // input: the file

    struct Arguments {};
    struct Result {
        std::string format{};       // "jpeg", "png", "webp", "gif"
        int width = 0, height = 0;  // as a person sees it: after orientation
        int frames = 1;
    };
};
BOOST_DESCRIBE_STRUCT(InspectImage::Arguments, (), ())
BOOST_DESCRIBE_STRUCT(InspectImage::Result, (), (format, width, height, frames))

}  // namespace belay::media

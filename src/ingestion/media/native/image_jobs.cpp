// image_jobs.cpp — the jobs that look at pictures.
#include <algorithm>

#include "ingestion/isolate/registry.hpp"
#include "ingestion/media/jobs.hpp"
#include "ingestion/media/native/image.hpp"
#include "ingestion/media/native/inputs.hpp"
#include "ingestion/media/native/jpeg_write.hpp"
#include "ingestion/media/native/register.hpp"
#include "ingestion/media/native/resize.hpp"

namespace belay::media {
namespace {

InspectImage::Result inspect(const InspectImage::Arguments& arguments,
                             const isolate::Request& request) {
    const ImageLimits limits{.pixels = arguments.pixels_max};
    const auto file = only_input(request);
    const auto header = read_image_header(file, limits);
    decode_image(file, limits, 1);
    return {std::string{to_string(header.format)}, header.shown_width(), header.shown_height()};
}

isolate::Reply<MakeThumbnail> make_thumbnail(const MakeThumbnail::Arguments& arguments,
                                             const isolate::Request& request) {
    const int side = std::clamp(arguments.side, 1, 4096);
    const auto image = fit_within(decode_image(only_input(request), {}, side), side);
    return {{image.width, image.height}, {to_jpeg(image, std::clamp(arguments.quality, 1, 100))}};
}

}  // namespace

void register_image_jobs(isolate::Registry& registry) {
    registry.add<InspectImage>(inspect);
    registry.add<MakeThumbnail>(make_thumbnail);
}

}  // namespace belay::media

// image_webp.cpp — WebP through libwebp: a still picture, or the first frame of a moving one.
#include <algorithm>
#include <new>
#include <stdexcept>

#include <webp/decode.h>
#include <webp/demux.h>

#include "ingestion/media/native/exif.hpp"
#include "ingestion/media/native/image_codec.hpp"

namespace belay::media {
namespace {

WebPData data_of(std::string_view bytes) {
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

// The container, if it is whole; its parts point into the file's bytes.
class Container {
public:
    explicit Container(std::string_view bytes) {
        const auto data = data_of(bytes);
        demux_ = WebPDemuxPartial(&data, &state_);
    }
    ~Container() { WebPDemuxDelete(demux_); }
    Container(const Container&) = delete;
    Container& operator=(const Container&) = delete;

    bool whole() const { return demux_ && state_ == WEBP_DEMUX_DONE; }
    int orientation() const {
        WebPChunkIterator chunk;
        if (!whole() || !WebPDemuxGetChunk(demux_, "EXIF", 1, &chunk)) return 1;
        const int value =
            exif_orientation({reinterpret_cast<const char*>(chunk.chunk.bytes), chunk.chunk.size});
        WebPDemuxReleaseChunkIterator(&chunk);
        return value;
    }
    // Where the first frame lies on the canvas.
    bool first_frame(WebPIterator& frame) const {
        return demux_ && WebPDemuxGetFrame(demux_, 1, &frame);
    }

private:
    WebPDemuxState state_ = WEBP_DEMUX_PARSE_ERROR;
    WebPDemuxer* demux_ = nullptr;
};

[[noreturn]] void give_up(VP8StatusCode code) {
    switch (code) {
        case VP8_STATUS_NOT_ENOUGH_DATA:
        case VP8_STATUS_SUSPENDED:
            reject_truncated();
        case VP8_STATUS_OUT_OF_MEMORY:
            throw std::bad_alloc{};
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            reject_corrupt("it uses a feature that WebP does not have");
        default:
            reject_corrupt("its data is no WebP");
    }
}

void check(VP8StatusCode code) {
    if (code != VP8_STATUS_OK) give_up(code);
}

// Decodes `data` onto white at (left, top) of the image; what lies outside is left out. With `fill` it is scaled
// to the image while it is decoded.
void draw(const WebPData& data, Image& image, int left, int top, bool fill = false) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config))
        throw std::runtime_error("another version of libwebp was expected");
    check(WebPGetFeatures(data.bytes, data.size, &config.input));
    if (fill) {
        config.options.use_scaling = 1;
        config.options.scaled_width = image.width;
        config.options.scaled_height = image.height;
    }
    const int width = fill ? image.width : config.input.width,
              height = fill ? image.height : config.input.height;
    if (!config.input.has_alpha && left == 0 && top == 0 && width == image.width &&
        height == image.height) {
        config.output.colorspace = MODE_RGB;
        config.output.is_external_memory = 1;
        config.output.u.RGBA = {image.rgb.data(), 3 * image.width, image.rgb.size()};
        return check(WebPDecode(data.bytes, data.size, &config));
    }
    config.output.colorspace = MODE_RGBA;
    const auto code = WebPDecode(data.bytes, data.size, &config);
    if (code == VP8_STATUS_OK) {
        const auto& pixels = config.output.u.RGBA;
        for (int y = 0; y < height && top + y < image.height; ++y) {
            const auto* from = pixels.rgba + static_cast<std::ptrdiff_t>(y) * pixels.stride;
            auto* to = image.row(top + y) + 3 * static_cast<std::size_t>(left);
            for (int x = 0; x < width && left + x < image.width; ++x, from += 4, to += 3) {
                for (int c = 0; c < 3; ++c) {
                    to[c] = static_cast<std::uint8_t>(
                        (from[c] * from[3] + 255 * (255 - from[3]) + 127) / 255);
                }
            }
        }
    }
    WebPFreeDecBuffer(&config.output);
    check(code);
}

}  // namespace

ImageHeader webp_header(std::string_view bytes) {
    WebPBitstreamFeatures features;
    check(WebPGetFeatures(data_of(bytes).bytes, bytes.size(), &features));
    ImageHeader header{
        .format = ImageFormat::Webp, .width = features.width, .height = features.height};
    header.orientation = Container{bytes}.orientation();
    return header;
}

Image webp_decode(std::string_view bytes, const ImageHeader& header, int side_wanted) {
    WebPBitstreamFeatures features;
    check(WebPGetFeatures(data_of(bytes).bytes, bytes.size(), &features));
    if (!features.has_animation) {
        const int longer = std::max(header.width, header.height);
        const bool smaller = side_wanted > 0 && longer > 2 * side_wanted;
        const auto scaled = [&](int length) {
            return smaller ? std::max(1, static_cast<int>(2LL * side_wanted * length / longer))
                           : length;
        };
        Image image(scaled(header.width), scaled(header.height));
        draw(data_of(bytes), image, 0, 0, smaller);
        return image;
    }
    Image image(header.width, header.height);
    std::fill(image.rgb.begin(), image.rgb.end(), std::uint8_t{255});
    const Container container{bytes};
    WebPIterator frame;
    if (!container.first_frame(frame)) reject_truncated();
    // A frame lies within its canvas, or the container is refused: the header's check covers it.
    const auto part = frame.fragment;
    const int left = frame.x_offset, top = frame.y_offset;
    const bool complete = frame.complete;
    WebPDemuxReleaseIterator(&frame);
    if (!complete) reject_truncated();
    draw(part, image, left, top);
    return image;
}

}  // namespace belay::media

#include "ingestion/media/native/image.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "ingestion/isolate/failure.hpp"
#include "ingestion/media/native/image_codec.hpp"
#include "ingestion/media/native/resize.hpp"

namespace belay::media {
namespace {

using isolate::Reject;

bool starts_with(std::string_view bytes, std::string_view magic) {
    return bytes.substr(0, magic.size()) == magic;
}

std::optional<ImageFormat> format_of(std::string_view bytes) {
    if (starts_with(bytes, "\xff\xd8\xff")) return ImageFormat::Jpeg;
    if (starts_with(bytes, "\x89PNG\r\n\x1a\n")) return ImageFormat::Png;
    if (starts_with(bytes, "GIF87a") || starts_with(bytes, "GIF89a")) return ImageFormat::Gif;
    if (starts_with(bytes, "RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP")
        return ImageFormat::Webp;
    return std::nullopt;
}

// What a file is that Belay does not read, so that its owner knows what to do about it.
std::string_view other_kind(std::string_view bytes) {
    struct Kind {
        std::string_view magic, name;
    };
    using namespace std::string_view_literals;
    static constexpr std::array kinds{
        Kind{"%PDF-"sv, "a PDF"},
        Kind{"BM"sv, "a BMP image"},
        Kind{"II*\0"sv, "a TIFF image"},
        Kind{"MM\0*"sv, "a TIFF image"},
        Kind{"\0\0\1\0"sv, "an icon"},
        Kind{"8BPS"sv, "a Photoshop document"},
        Kind{"\0\0\0\x0cjP  "sv, "a JPEG 2000 image"},
        Kind{"\xff\x4f\xff\x51"sv, "a JPEG 2000 image"},
        Kind{"PK\3\4"sv, "a ZIP archive"},
        Kind{"<svg"sv, "an SVG drawing"},
        Kind{"<?xml"sv, "XML or SVG"},
        Kind{"<!DOCTYPE html"sv, "a web page"},
        Kind{"<html"sv, "a web page"},
    };
    if (bytes.size() >= 12 && bytes.substr(4, 4) == "ftyp") {
        const auto brand = bytes.substr(8, 4);
        if (brand == "avif") return "an AVIF image";
        if (brand == "heic" || brand == "heix" || brand == "mif1") return "a HEIC image";
        return "a video";
    }
    for (const auto& kind : kinds) {
        if (starts_with(bytes, kind.magic)) return kind.name;
    }
    return {};
}

ImageFormat require_format(std::string_view bytes) {
    if (bytes.empty()) throw Reject("empty", "not an image: the file is empty");
    if (const auto format = format_of(bytes)) return *format;
    const auto kind = other_kind(bytes);
    throw Reject(
        "not_an_image",
        kind.empty()
            ? std::string{"not an image: the file is no JPEG, PNG, WebP or GIF"}
            : fmt::format("not an image that can be used: the file looks like {}, and only JPEG, "
                          "PNG, WebP and GIF are read",
                          kind));
}

void check(const ImageHeader& header, const ImageLimits& limits) {
    if (header.width <= 0 || header.height <= 0) {
        reject_corrupt(fmt::format("it claims to be {}x{} pixels", header.width, header.height));
    }
    const auto pixels =
        static_cast<std::uint64_t>(header.width) * static_cast<std::uint64_t>(header.height);
    if (pixels > limits.pixels) {
        throw Reject("too_many_pixels",
                     fmt::format("too many pixels: {}x{}, at most {} million", header.width,
                                 header.height, limits.pixels / 1'000'000));
    }
    if (std::max(header.width, header.height) > limits.side) {
        throw Reject("too_many_pixels", fmt::format("too many pixels: {}x{}, at most {} on a side",
                                                    header.width, header.height, limits.side));
    }
}

}  // namespace

std::string_view to_string(ImageFormat format) {
    switch (format) {
        case ImageFormat::Jpeg:
            return "jpeg";
        case ImageFormat::Png:
            return "png";
        case ImageFormat::Webp:
            return "webp";
        case ImageFormat::Gif:
            return "gif";
    }
    return "jpeg";
}

bool looks_like_image(std::string_view bytes) { return format_of(bytes).has_value(); }

ImageHeader read_image_header(std::string_view bytes, const ImageLimits& limits) {
    if (bytes.size() > limits.file_bytes) {
        throw Reject("file_too_large",
                     fmt::format("the file has {} bytes, at most {} are allowed for an image",
                                 bytes.size(), limits.file_bytes));
    }
    const auto read = [&] {
        switch (require_format(bytes)) {
            case ImageFormat::Jpeg:
                return jpeg_header(bytes);
            case ImageFormat::Png:
                return png_header(bytes);
            case ImageFormat::Webp:
                return webp_header(bytes);
            case ImageFormat::Gif:
                return gif_header(bytes);
        }
        return ImageHeader{};
    };
    const auto header = read();
    check(header, limits);
    return header;
}

Image decode_image(std::string_view bytes, const ImageLimits& limits, int side_wanted) {
    const auto header = read_image_header(bytes, limits);
    const auto decode = [&] {
        switch (header.format) {
            case ImageFormat::Jpeg:
                return jpeg_decode(bytes, header, side_wanted);
            case ImageFormat::Png:
                return png_decode(bytes, header);
            case ImageFormat::Webp:
                return webp_decode(bytes, header, side_wanted);
            case ImageFormat::Gif:
                return gif_decode(bytes, header, limits);
        }
        return Image{};
    };
    auto image = decode();
    // Made smaller before it is turned: turning needs a second copy.
    if (side_wanted > 0 && std::max(image.width, image.height) > 2 * side_wanted) {
        image = fit_within(image, 2 * side_wanted);
    }
    return oriented(std::move(image), header.orientation);
}

}  // namespace belay::media

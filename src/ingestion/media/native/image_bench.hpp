// image_bench.hpp — pictures that tests draw for themselves, whole and hostile, in every format.
#pragma once

#include <png.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <webp/encode.h>

#include "ingestion/media/native/image.hpp"
#include "ingestion/media/native/jpeg_write.hpp"

namespace belay::media {

// Red, green, blue and white quarters: tells turning and mirroring apart.
inline Image four_quarters(int width, int height) {
    Image image(width, height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            auto* pixel = image.row(y) + 3 * x;
            const bool right = x >= width / 2, low = y >= height / 2;
            pixel[0] = right == low ? 255 : 0;
            pixel[1] = right ? 255 : 0;
            pixel[2] = low ? 255 : 0;
        }
    }
    return image;
}

// 'r', 'g', 'b' or 'w' at a place given in eighths of the picture.
inline char color_at(const Image& image, int x8, int y8) {
    const auto* pixel = image.row(image.height * y8 / 8) + 3 * (image.width * x8 / 8);
    const auto on = [&](int c) { return pixel[c] > 127; };
    if (on(0) && on(1) && on(2)) return 'w';
    if (on(0) && !on(1) && !on(2)) return 'r';
    if (!on(0) && on(1) && !on(2)) return 'g';
    if (!on(0) && !on(1) && on(2)) return 'b';
    return '?';
}

// The colours of the quarters: top left, top right, bottom left, bottom right.
inline std::string quarters_of(const Image& image) {
    return {color_at(image, 2, 2), color_at(image, 6, 2), color_at(image, 2, 6),
            color_at(image, 6, 6)};
}

inline std::string to_png(const Image& image, bool interlaced = false) {
    std::string out;
    auto* png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    auto* info = png_create_info_struct(png);
    png_set_write_fn(
        png, &out,
        [](png_structp p, png_bytep bytes, std::size_t n) {
            static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(bytes), n);
        },
        [](png_structp) {});
    png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
                 static_cast<png_uint_32>(image.height), 8, PNG_COLOR_TYPE_RGB,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
    std::vector<png_bytep> rows;
    for (int y = 0; y < image.height; ++y) rows.push_back(const_cast<png_bytep>(image.row(y)));
    png_write_info(png, info);
    png_write_image(png, rows.data());
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return out;
}

inline std::string to_webp(const Image& image) {
    std::uint8_t* bytes = nullptr;
    const auto size =
        WebPEncodeLosslessRGB(image.rgb.data(), image.width, image.height, 3 * image.width, &bytes);
    std::string out{reinterpret_cast<char*>(bytes), size};
    WebPFree(bytes);
    return out;
}

// Two bytes, little endian.
inline std::string u16(int value) {
    return {static_cast<char>(value), static_cast<char>(value >> 8)};
}

// A GIF of one colour: a canvas and a frame of the given sizes, and `codes` as its data.
inline std::string gif_of(int canvas_width, int canvas_height, int frame_width, int frame_height,
                          const std::string& codes) {
    std::string out =
        "GIF89a" + u16(canvas_width) + u16(canvas_height) + std::string{"\x80\0\0", 3};
    out += std::string{"\x10\x20\xff\xff\xff\xff", 6};  // two colours: a blue, and white
    out += "," + u16(0) + u16(0) + u16(frame_width) + u16(frame_height) + std::string(1, '\0');
    return out + codes + ";";
}

// 2x2 pixels of the first colour: code size 2, then clear, 0, 0, 0, 0, end in 3 bits each.
inline std::string small_gif() {
    // 100 000 000 000 000 101 from the lowest bit: 00000100 00000000 00101000 → shifted into bytes below.
    const unsigned bits = 4u | 0u << 3 | 0u << 6 | 0u << 9 | 0u << 12 | 5u << 15;
    std::string codes{"\x02\x03", 2};
    for (int i = 0; i < 3; ++i) codes.push_back(static_cast<char>(bits >> (8 * i)));
    return gif_of(2, 2, 2, 2, codes + std::string(1, '\0'));
}

// A JPEG with an EXIF block that says how it is turned; `big` is its byte order.
inline std::string jpeg_turned(const Image& image, int orientation, bool big) {
    const auto number = [&](unsigned value, int bytes) {
        std::string out;
        for (int i = 0; i < bytes; ++i)
            out.push_back(static_cast<char>(value >> (8 * (big ? bytes - 1 - i : i))));
        return out;
    };
    std::string tiff = (big ? "MM" : "II") + number(42, 2) + number(8, 4) + number(1, 2) +
                       number(0x0112, 2) + number(3, 2) + number(1, 4) +
                       number(static_cast<unsigned>(orientation), 2) + number(0, 2) + number(0, 4);
    const std::string block = std::string{"Exif\0\0", 6} + tiff;
    const auto size = block.size() + 2;
    auto jpeg = to_jpeg(image, 95);
    jpeg.insert(2, std::string{"\xff\xe1"} + static_cast<char>(size >> 8) +
                       static_cast<char>(size) + block);
    return jpeg;
}

// The checksum of a PNG chunk.
inline std::uint32_t crc32_of(std::string_view bytes) {
    std::uint32_t crc = ~0u;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

// A PNG's header that claims a size; what follows it is missing or belongs to a small picture.
inline std::string png_claiming(std::uint32_t width, std::uint32_t height) {
    auto png = to_png(four_quarters(8, 8));
    const auto put = [&](std::size_t at, std::uint32_t value) {
        for (int i = 0; i < 4; ++i)
            png[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (24 - 8 * i));
    };
    put(16, width);
    put(20, height);
    put(29, crc32_of(std::string_view{png}.substr(12, 17)));
    return png;
}

// A JPEG whose frame header claims a size.
inline std::string jpeg_claiming(int width, int height) {
    auto jpeg = to_jpeg(four_quarters(16, 16), 90);
    const auto at = jpeg.find("\xff\xc0") + 5;
    const char size[]{static_cast<char>(height >> 8), static_cast<char>(height),
                      static_cast<char>(width >> 8), static_cast<char>(width)};
    return jpeg.replace(at, 4, size, 4);
}

struct Hostile {
    std::string name, bytes;
};

// What people and fuzzers send: cut, lying, empty, two things at once.
inline std::vector<Hostile> hostile_images() {
    const auto picture = four_quarters(64, 48);
    const auto jpeg = to_jpeg(picture, 90), png = to_png(picture), webp = to_webp(picture),
               gif = small_gif();
    std::vector<Hostile> out{
        {"empty", ""},
        {"one byte", "x"},
        {"zeros", std::string(4096, '\0')},
        {"huge png", png_claiming(0x7fffffff, 0x7fffffff)},
        {"wide png", png_claiming(2'000'000, 1)},
        {"png of nothing", png_claiming(0, 0)},
        {"png larger than its data", png_claiming(9000, 9000)},
        {"huge jpeg", jpeg_claiming(65500, 65500)},
        {"jpeg larger than its data", jpeg_claiming(9000, 9000)},
        {"jpeg without height", jpeg_claiming(100, 0)},
        {"huge gif", gif_of(65535, 65535, 2, 2, std::string{"\x02\x01\x04\0", 4})},
        {"gif with a huge frame", gif_of(2, 2, 65535, 65535, std::string{"\x02\x01\x04\0", 4})},
        {"gif without a picture", "GIF89a" + u16(2) + u16(2) + std::string{"\0\0\0;", 4}},
        {"gif with a bad code size", gif_of(2, 2, 2, 2, std::string{"\xff\x01\x04\0", 4})},
        {"page in a gif's clothes",
         "GIF89a/*" + std::string(64, ' ') + "*/=1;<script>alert(1)</script>"},
        {"zip behind a jpeg", jpeg + "PK\3\4" + std::string(1000, 'z')},
        {"jpeg in a png's clothes", png.substr(0, 8) + jpeg},
        {"only magics", "\xff\xd8\xff"},
        {"riff of nothing", std::string{"RIFF\xff\xff\xff\xffWEBP", 12}},
    };
    for (const auto& [name, whole] :
         {Hostile{"jpeg", jpeg}, {"png", png}, {"webp", webp}, {"gif", gif}}) {
        for (const int percent : {10, 50, 90}) {
            out.push_back(
                {name + " cut at " + std::to_string(percent) + " %",
                 whole.substr(0, whole.size() * static_cast<std::size_t>(percent) / 100)});
        }
        for (int seed = 1; seed <= 10; ++seed) {
            auto bytes = whole;
            for (std::size_t i = 0; i < 8; ++i) {
                const auto at = (static_cast<std::size_t>(seed) * 7919 + i * 104729) % bytes.size();
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << (i % 8)));
            }
            out.push_back({name + " with flipped bits " + std::to_string(seed), bytes});
        }
    }
    return out;
}

}  // namespace belay::media

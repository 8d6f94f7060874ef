#include "ingestion/media/native/image.hpp"

#include <gtest/gtest.h>

#include "ingestion/isolate/failure.hpp"
#include "ingestion/media/native/exif.hpp"
#include "ingestion/media/native/image_bench.hpp"
#include "ingestion/media/native/resize.hpp"

namespace belay::media {
namespace {

// "code: message" of the refusal, or the size of what was decoded.
std::string outcome_of(std::string_view bytes, const ImageLimits& limits = {}) {
    try {
        const auto image = decode_image(bytes, limits);
        return std::to_string(image.width) + "x" + std::to_string(image.height);
    } catch (const isolate::Reject& reject) {
        return reject.code() + ": " + reject.what();
    }
}

TEST(Image, every_format_gives_the_same_picture) {
    const auto picture = four_quarters(64, 48);
    for (const auto& bytes :
         {to_jpeg(picture, 95), to_png(picture), to_png(picture, true), to_webp(picture)}) {
        const auto image = decode_image(bytes);
        EXPECT_EQ(image.width, 64);
        EXPECT_EQ(image.height, 48);
        EXPECT_EQ(quarters_of(image), quarters_of(picture));
    }
    EXPECT_EQ(to_string(read_image_header(to_jpeg(picture, 95)).format), "jpeg");
    EXPECT_EQ(to_string(read_image_header(to_png(picture)).format), "png");
    EXPECT_EQ(to_string(read_image_header(to_webp(picture)).format), "webp");
}

TEST(Image, the_first_frame_of_a_gif_is_decoded) {
    const auto image = decode_image(small_gif());
    ASSERT_EQ(image.rgb.size(), 12u);
    for (int i = 0; i < 12; i += 3) {
        EXPECT_EQ(image.rgb[static_cast<std::size_t>(i)], 0x10);
        EXPECT_EQ(image.rgb[static_cast<std::size_t>(i) + 1], 0x20);
        EXPECT_EQ(image.rgb[static_cast<std::size_t>(i) + 2], 0xff);
    }
}

TEST(Image, a_photo_is_turned_as_the_camera_was_held) {
    const auto picture = four_quarters(64, 48);
    ASSERT_EQ(quarters_of(picture), "rgbw");
    const std::vector<std::pair<int, std::string>> shown{{1, "rgbw"}, {2, "grwb"}, {3, "wbgr"},
                                                         {4, "bwrg"}, {5, "rbgw"}, {6, "brwg"},
                                                         {7, "wgbr"}, {8, "gwrb"}};
    for (const auto& [orientation, quarters] : shown) {
        for (const bool big : {false, true}) {
            const auto jpeg = jpeg_turned(picture, orientation, big);
            const auto header = read_image_header(jpeg);
            const auto image = decode_image(jpeg);
            EXPECT_EQ(quarters_of(image), quarters) << "orientation " << orientation;
            EXPECT_EQ(image.width, orientation >= 5 ? 48 : 64);
            EXPECT_EQ(header.shown_width(), image.width);
            EXPECT_EQ(header.shown_height(), image.height);
        }
    }
    EXPECT_EQ(quarters_of(decode_image(jpeg_turned(picture, 9, true))), "rgbw")
        << "nonsense is ignored";
}

TEST(Image, sizes_are_refused_from_the_header) {
    EXPECT_EQ(outcome_of(png_claiming(20000, 20000)),
              "too_many_pixels: too many pixels: 20000x20000, at most 100 million");
    EXPECT_EQ(outcome_of(jpeg_claiming(65000, 65000)),
              "too_many_pixels: too many pixels: 65000x65000, at most 100 million");
    EXPECT_EQ(outcome_of(png_claiming(2'000'000, 1)),
              "too_many_pixels: too many pixels: 2000000x1, at most 30000 on a side");
    EXPECT_EQ(outcome_of(gif_of(2, 2, 65535, 65535, std::string{"\x02\x01\x04\0", 4})),
              "too_many_pixels: too many pixels: a frame of 65535x65535, at most 100 million");
    const ImageLimits tight{.file_bytes = 100};
    EXPECT_EQ(outcome_of(std::string(101, 'x'), tight),
              "file_too_large: the file has 101 bytes, at most 100 are allowed for an image");
}

TEST(Image, what_is_no_image_is_said_to_be_none) {
    EXPECT_EQ(outcome_of(""), "empty: not an image: the file is empty");
    EXPECT_EQ(outcome_of("hello"),
              "not_an_image: not an image: the file is no JPEG, PNG, WebP or GIF");
    EXPECT_EQ(outcome_of("%PDF-1.7"),
              "not_an_image: not an image that can be used: the file looks like a PDF, and only "
              "JPEG, PNG, WebP and "
              "GIF are read");
    EXPECT_FALSE(looks_like_image("%PDF-1.7"));
    EXPECT_TRUE(looks_like_image(small_gif()));
}

TEST(Image, a_file_that_ends_too_early_is_truncated) {
    const auto picture = four_quarters(64, 48);
    const auto expected = "truncated: truncated: the image ends before its last line";
    for (const auto& whole :
         {to_jpeg(picture, 95), to_png(picture), to_webp(picture), small_gif()}) {
        EXPECT_EQ(outcome_of(whole.substr(0, whole.size() / 2)), expected);
    }
    // A missing end marker costs nobody a pixel.
    const auto jpeg = to_jpeg(picture, 95), png = to_png(picture);
    EXPECT_EQ(outcome_of(jpeg.substr(0, jpeg.size() - 2)), "64x48");
    EXPECT_EQ(outcome_of(png.substr(0, png.size() - 12)), "64x48");
}

TEST(Image, hostile_files_are_refused_or_decoded_and_nothing_else) {
    for (const auto& [name, bytes] : hostile_images()) {
        const auto outcome = outcome_of(bytes);
        EXPECT_FALSE(outcome.empty()) << name;
    }
}

TEST(Image, a_smaller_picture_can_be_asked_for_and_is_never_too_small) {
    const auto picture = four_quarters(1600, 1200);
    for (const auto& bytes : {to_jpeg(picture, 90), to_png(picture), to_webp(picture)}) {
        const auto image = decode_image(bytes, {}, 200);
        EXPECT_GE(image.width, 200);
        EXPECT_LE(image.width, 400);
        EXPECT_EQ(quarters_of(image), "rgbw");
    }
}

TEST(Resize, keeps_proportions_and_mean_colour) {
    const auto picture = four_quarters(301, 201);
    const auto small = fit_within(picture, 100);
    EXPECT_EQ(small.width, 100);
    EXPECT_EQ(small.height, 67);
    EXPECT_EQ(quarters_of(small), "rgbw");
    EXPECT_EQ(fit_within(picture, 1000).width, 301) << "nothing is made larger";
    EXPECT_EQ(quarters_of(resized(picture, 640, 480)), "rgbw");
    Image stripes(400, 1);
    for (std::size_t x = 0; x < 1200; x += 6)
        stripes.rgb[x] = stripes.rgb[x + 1] = stripes.rgb[x + 2] = 255;
    const auto gray = resized(stripes, 40, 1);
    for (const int value : gray.rgb)
        EXPECT_NEAR(value, 128, 14) << "fine stripes become grey, not noise";
    EXPECT_EQ(center_cropped(picture, 1, 1).width, 201);
    EXPECT_EQ(resized(picture, 1, 1).rgb.size(), 3u);
}

TEST(Exif, broken_metadata_is_no_orientation) {
    EXPECT_EQ(exif_orientation(""), 1);
    EXPECT_EQ(exif_orientation("Exif"), 1);
    EXPECT_EQ(exif_orientation(std::string{"II*\0\xff\xff\xff\xff", 8}), 1);
    EXPECT_EQ(exif_orientation(std::string{"II*\0\x08\0\0\0\xff\xff", 10}), 1);
}

}  // namespace
}  // namespace belay::media

// degrade.cpp — turns, blurs, shades and sprinkles a picture.
#include "samples/degrade.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace belay::samples {
namespace {

Surface turned(cairo_surface_t* picture, double degrees) {
    const int width = cairo_image_surface_get_width(picture),
              height = cairo_image_surface_get_height(picture);
    Surface out{cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height)};
    cairo_t* pen = cairo_create(out.get());
    cairo_set_source_rgb(pen, 1, 1, 1);
    cairo_paint(pen);
    cairo_translate(pen, width / 2.0, height / 2.0);
    cairo_rotate(pen, degrees * std::acos(-1.0) / 180);
    cairo_translate(pen, -width / 2.0, -height / 2.0);
    cairo_set_source_surface(pen, picture, 0, 0);
    cairo_paint(pen);
    cairo_destroy(pen);
    cairo_surface_flush(out.get());
    return out;
}

// Grey levels, row by row.
struct Grey {
    int width = 0, height = 0;
    std::vector<int> levels{};
    int& at(int x, int y) {
        return levels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                      static_cast<std::size_t>(x)];
    }
};

Grey grey_of(cairo_surface_t* picture) {
    Grey grey{cairo_image_surface_get_width(picture), cairo_image_surface_get_height(picture), {}};
    const auto* bytes = cairo_image_surface_get_data(picture);
    const auto stride = cairo_image_surface_get_stride(picture);
    for (int y = 0; y < grey.height; ++y) {
        const auto* row =
            reinterpret_cast<const std::uint32_t*>(bytes + static_cast<std::ptrdiff_t>(y) * stride);
        for (int x = 0; x < grey.width; ++x)
            grey.levels.push_back(static_cast<int>(row[x] & 0xFFU));
    }
    return grey;
}

void blur(Grey& grey, int radius) {
    for (const bool down : {false, true}) {
        auto source = grey;
        for (int y = 0; y < grey.height; ++y) {
            for (int x = 0; x < grey.width; ++x) {
                int sum = 0, count = 0;
                for (int d = -radius; d <= radius; ++d) {
                    const int sx = down ? x : x + d, sy = down ? y + d : y;
                    if (sx < 0 || sy < 0 || sx >= grey.width || sy >= grey.height) continue;
                    sum += source.at(sx, sy);
                    ++count;
                }
                grey.at(x, y) = sum / count;
            }
        }
    }
}

}  // namespace

Surface degraded(cairo_surface_t* picture, const Wear& wear, Chance& chance) {
    auto out = turned(picture, wear.turn_degrees);
    auto grey = grey_of(out.get());
    if (wear.blur_radius > 0) blur(grey, wear.blur_radius);
    auto* bytes = cairo_image_surface_get_data(out.get());
    const auto stride = cairo_image_surface_get_stride(out.get());
    for (int y = 0; y < grey.height; ++y) {
        auto* row =
            reinterpret_cast<std::uint32_t*>(bytes + static_cast<std::ptrdiff_t>(y) * stride);
        for (int x = 0; x < grey.width; ++x) {
            const double corner =
                (static_cast<double>(x) / grey.width + static_cast<double>(y) / grey.height) / 2;
            const double shaded = grey.at(x, y) * (1 - wear.shade * corner);
            const auto level = std::clamp<std::int64_t>(
                static_cast<std::int64_t>(shaded) + chance.between(-wear.noise, wear.noise), 0,
                255);
            const auto byte = static_cast<std::uint32_t>(level);
            row[x] = byte << 16U | byte << 8U | byte;
        }
    }
    cairo_surface_mark_dirty(out.get());
    return out;
}

}  // namespace belay::samples

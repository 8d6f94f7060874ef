#include "ingestion/media/native/resize.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace belay::media {
namespace {

// Which source pixels make one target pixel, and how much each counts.
struct Span {
    int first = 0;
    std::vector<float> weights{};
};

std::vector<Span> spans(int from, int to) {
    const double step = static_cast<double>(from) / to;
    const double reach = std::max(step, 1.0);
    std::vector<Span> out(static_cast<std::size_t>(to));
    for (int i = 0; i < to; ++i) {
        const double center = (i + 0.5) * step - 0.5;
        const int first = std::max(0, static_cast<int>(std::ceil(center - reach)));
        const int last = std::min(from - 1, static_cast<int>(std::floor(center + reach)));
        auto& span = out[static_cast<std::size_t>(i)];
        span.first = first;
        double sum = 0;
        for (int x = first; x <= last; ++x) {
            const double weight = std::max(0.0, 1.0 - std::abs(x - center) / reach);
            span.weights.push_back(static_cast<float>(weight));
            sum += weight;
        }
        for (auto& weight : span.weights) weight = static_cast<float>(weight / sum);
    }
    return out;
}

std::uint8_t to_byte(float value) {
    return static_cast<std::uint8_t>(std::clamp(value + 0.5f, 0.0f, 255.0f));
}

// One source row at the target's width.
void squeeze_row(const std::uint8_t* row, const std::vector<Span>& columns, float* out) {
    for (const auto& span : columns) {
        float r = 0, g = 0, b = 0;
        const auto* pixel = row + 3 * static_cast<std::size_t>(span.first);
        for (const float weight : span.weights) {
            r += weight * pixel[0];
            g += weight * pixel[1];
            b += weight * pixel[2];
            pixel += 3;
        }
        *out++ = r;
        *out++ = g;
        *out++ = b;
    }
}

}  // namespace

Image resized(const Image& image, int width, int height) {
    if (image.width == width && image.height == height) return image;
    const auto columns = spans(image.width, width);
    const auto rows = spans(image.height, height);
    const auto line = static_cast<std::size_t>(width) * 3;
    // Squeezed rows are kept while a target row may still need them: a few, however tall the picture is.
    std::vector<std::vector<float>> kept;
    int kept_first = 0;
    std::vector<float> sum(line);
    Image out(width, height);
    for (int y = 0; y < height; ++y) {
        const auto& span = rows[static_cast<std::size_t>(y)];
        if (span.first > kept_first) {
            const auto stale = std::min<std::size_t>(
                static_cast<std::size_t>(span.first - kept_first), kept.size());
            kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(stale));
            kept_first = span.first;
        }
        while (kept.size() < span.weights.size()) {
            std::vector<float> squeezed(line);
            squeeze_row(image.row(kept_first + static_cast<int>(kept.size())), columns,
                        squeezed.data());
            kept.push_back(std::move(squeezed));
        }
        std::fill(sum.begin(), sum.end(), 0.0f);
        for (std::size_t i = 0; i < span.weights.size(); ++i) {
            for (std::size_t x = 0; x < line; ++x) sum[x] += span.weights[i] * kept[i][x];
        }
        std::transform(sum.begin(), sum.end(), out.row(y), to_byte);
    }
    return out;
}

Image fit_within(const Image& image, int side) {
    const int longer = std::max(image.width, image.height);
    if (longer <= side) return image;
    const auto scaled = [&](int length) {
        return std::max(1,
                        static_cast<int>(std::lround(static_cast<double>(length) * side / longer)));
    };
    return resized(image, scaled(image.width), scaled(image.height));
}

Image center_cropped(const Image& image, int width, int height) {
    const double ratio = static_cast<double>(width) / height;
    const int crop_width =
        std::clamp(static_cast<int>(std::lround(image.height * ratio)), 1, image.width);
    const int crop_height =
        std::clamp(static_cast<int>(std::lround(image.width / ratio)), 1, image.height);
    const int left = (image.width - crop_width) / 2;
    const int top = (image.height - crop_height) / 2;
    Image out(crop_width, crop_height);
    for (int y = 0; y < crop_height; ++y) {
        std::memcpy(out.row(y), image.row(top + y) + 3 * static_cast<std::size_t>(left),
                    3 * static_cast<std::size_t>(crop_width));
    }
    return out;
}

Image oriented(Image image, int orientation) {
    if (orientation <= 1 || orientation > 8) return image;
    const bool turned = orientation >= 5;
    const int w = image.width, h = image.height;
    Image out(turned ? h : w, turned ? w : h);
    for (int y = 0; y < out.height; ++y) {
        auto* pixel = out.row(y);
        for (int x = 0; x < out.width; ++x, pixel += 3) {
            int from_x = turned ? y : x;
            int from_y = turned ? x : y;
            if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8)
                from_x = w - 1 - from_x;
            if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7)
                from_y = h - 1 - from_y;
            std::memcpy(pixel, image.row(from_y) + 3 * static_cast<std::size_t>(from_x), 3);
        }
    }
    return out;
}

}  // namespace belay::media

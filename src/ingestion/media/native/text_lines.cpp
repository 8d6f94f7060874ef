#include "ingestion/media/native/text_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace belay::media::native {
namespace {

constexpr double kPixelsMax = 2e6;
// The network takes 140 bytes a pixel while it runs, of the 300 MiB that a job has beside the models: it is given
// bands of a page, each with a margin whose answer is its neighbour's.
constexpr int kBandPixels = 1'600'000;
constexpr int kMargin = 64;
constexpr float kCore = 0.3F;      // more than this is a line's core
constexpr double kLineSure = 0.5;  // a core that is less sure on the average is a smear
constexpr double kGrowth = 1.6;    // the network was taught with cores shrunk by this
constexpr int kCoreHeightMin = 2, kCorePixelsMin = 12;

// Rows and columns of a core: what is needed to follow its middle.
struct Core {
    int left = 0;
    std::vector<int> top{}, bottom{};  // by column from `left`
    double sum = 0;
    int pixels = 0;
};

class Cores {
public:
    Cores(const std::vector<float>& map, int width, int height)
        : map_(map), width_(width), height_(height), seen_(map.size(), 0) {}

    // The core that `start` belongs to, taken out of the map.
    Core take(std::size_t start) {
        std::vector<std::size_t> members, open{start};
        seen_[start] = 1;
        int left = width_, right = -1;
        Core core;
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            members.push_back(at);
            core.sum += map_[at];
            const int x = column(at), y = row(at);
            left = std::min(left, x);
            right = std::max(right, x);
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) visit(x + dx, y + dy, open);
            }
        }
        core.left = left;
        core.pixels = static_cast<int>(members.size());
        const auto columns = static_cast<std::size_t>(right - left + 1);
        core.top.assign(columns, height_);
        core.bottom.assign(columns, -1);
        for (const std::size_t at : members) {
            const auto c = static_cast<std::size_t>(column(at) - left);
            core.top[c] = std::min(core.top[c], row(at));
            core.bottom[c] = std::max(core.bottom[c], row(at));
        }
        return core;
    }
    bool is_new(std::size_t at) const { return map_[at] > kCore && !seen_[at]; }

private:
    int column(std::size_t at) const {
        return static_cast<int>(at % static_cast<std::size_t>(width_));
    }
    int row(std::size_t at) const {
        return static_cast<int>(at / static_cast<std::size_t>(width_));
    }
    void visit(int x, int y, std::vector<std::size_t>& open) {
        if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
        const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                               static_cast<std::size_t>(x);
        if (!is_new(at)) return;
        seen_[at] = 1;
        open.push_back(at);
    }

    const std::vector<float>& map_;
    int width_, height_;
    std::vector<char> seen_;
};

// Least squares by the normal equations, of degree 0, 1 or 2, over t centred and scaled to -1…1.
std::array<double, 3> fitted(const std::vector<double>& middles, int degree) {
    const auto n = static_cast<double>(middles.size());
    double s1 = 0, s2 = 0, s4 = 0, y0 = 0, y1 = 0, y2 = 0;
    const double half = std::max(1.0, (n - 1) / 2);
    for (std::size_t i = 0; i < middles.size(); ++i) {
        const double t = (static_cast<double>(i) - (n - 1) / 2) / half, y = middles[i];
        s1 += t * t;
        s2 += t * t;
        s4 += t * t * t * t;
        y0 += y;
        y1 += y * t;
        y2 += y * t * t;
    }
    std::array<double, 3> out{y0 / n, 0, 0};
    if (degree >= 1 && s1 > 0) out[1] = y1 / s1 / half;
    const double bent = n * s4 - s2 * s2;
    if (degree >= 2 && bent > 1e-9) {
        const double c = (n * y2 - s2 * y0) / bent;
        out[0] = (y0 - c * s2) / n;
        out[2] = c / (half * half);
    }
    return out;
}

TextLine line_of(const Core& core) {
    const auto columns = core.top.size();
    std::vector<double> middles(columns);
    std::vector<int> heights(columns);
    for (std::size_t i = 0; i < columns; ++i) {
        middles[i] = (core.top[i] + core.bottom[i] + 1) / 2.0;
        heights[i] = core.bottom[i] - core.top[i] + 1;
    }
    const auto half = heights.begin() + static_cast<std::ptrdiff_t>(columns / 2);
    std::nth_element(heights.begin(), half, heights.end());
    const double width = static_cast<double>(columns), height = *half;
    const double grown = width * height * kGrowth / (2 * (width + height));
    const int degree = width > 10 * height ? 2 : width > 3 * height ? 1 : 0;
    const auto curve = fitted(middles, degree);
    return {.left = core.left - grown,
            .right = core.left + width + grown,
            .height = height + 2 * grown,
            .centre = core.left + width / 2,
            .a = curve[0],
            .b = curve[1],
            .c = curve[2],
            .sure = core.sum / core.pixels};
}

// Of the picture at a place between pixels; white outside.
double sampled(const Gray& image, double x, double y) {
    const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
    const double fx = x - left, fy = y - top;
    const auto pixel = [&](int px, int py) -> double {
        if (px < 0 || py < 0 || px >= image.width || py >= image.height) return 255;
        return image.at(px, py);
    };
    const double above = pixel(left, top) * (1 - fx) + pixel(left + 1, top) * fx;
    const double below = pixel(left, top + 1) * (1 - fx) + pixel(left + 1, top + 1) * fx;
    return above * (1 - fy) + below * fy;
}

// Larger or smaller; what is made smaller is averaged.
Gray resized(const Gray& image, int width, int height) {
    Gray out{width, height, {}};
    out.pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    const double by_x = static_cast<double>(image.width) / width;
    const double by_y = static_cast<double>(image.height) / height;
    const int nx = std::clamp(static_cast<int>(std::ceil(by_x)), 1, 8);
    const int ny = std::clamp(static_cast<int>(std::ceil(by_y)), 1, 8);
    std::size_t at = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            double sum = 0;
            for (int j = 0; j < ny; ++j) {
                for (int i = 0; i < nx; ++i)
                    sum += sampled(image, (x + (i + 0.5) / nx) * by_x - 0.5,
                                   (y + (j + 0.5) / ny) * by_y - 0.5);
            }
            out.pixels[at++] = static_cast<std::uint8_t>(std::lround(sum / (nx * ny)));
        }
    }
    return out;
}

// As the network was taught: three equal planes, each with the mean and deviation of a colour, sides divisible by 32.
// Of the image the rows from `top` on; what lies outside is white.
Tensor network_input(const Gray& image, int top, int width, int height) {
    constexpr std::array<float, 3> kMean{0.485F, 0.456F, 0.406F},
        kDeviation{0.229F, 0.224F, 0.225F};
    Tensor input{{1, 3, height, width}, {}};
    const auto plane = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    input.values.resize(3 * plane);
    for (std::size_t colour = 0; colour < 3; ++colour) {
        auto to = input.values.begin() + static_cast<std::ptrdiff_t>(colour * plane);
        for (int y = top; y < top + height; ++y) {
            for (int x = 0; x < width; ++x, ++to) {
                const bool inside = x < image.width && y >= 0 && y < image.height;
                const float light = inside ? static_cast<float>(image.at(x, y)) / 255 : 1;
                *to = (light - kMean[colour]) / kDeviation[colour];
            }
        }
    }
    return input;
}

int up_to_32(int side) { return std::max(32, (side + 31) / 32 * 32); }

// What the network says of every pixel, in rows of `width`, which is divisible by 32; empty if it answers something else.
std::vector<float> map_of(OnnxModel& model, const Gray& image, int width) {
    const int most = std::max(32, kBandPixels / width / 32 * 32);
    const int bands = std::max(1, (image.height + most - 1) / most);  // of the same height
    const int rows = up_to_32((image.height + bands - 1) / bands);
    std::vector<float> map;
    for (int top = 0; top < image.height; top += rows) {
        const int height = up_to_32(std::min(rows, image.height - top)) + 2 * kMargin;
        const Tensor band = model.run(network_input(image, top - kMargin, width, height));
        const auto row = static_cast<std::ptrdiff_t>(width);
        if (static_cast<std::ptrdiff_t>(band.values.size()) != row * height) return {};
        map.insert(map.end(), band.values.begin() + row * kMargin,
                   band.values.end() - row * kMargin);
    }
    return map;
}

}  // namespace

Box TextLine::box(double from, double to) const {
    const double one = middle_at(from), other = middle_at(to);
    const double top = std::min(one, other) - height / 2;
    return {from, top, std::max(0.0, to - from), std::max(one, other) + height / 2 - top};
}

std::vector<TextLine> lines_of_map(const std::vector<float>& map, int width, int height) {
    std::vector<TextLine> lines;
    Cores cores{map, width, height};
    for (std::size_t at = 0; at < map.size() && lines.size() < kTextLinesMax; ++at) {
        if (!cores.is_new(at)) continue;
        const Core core = cores.take(at);
        const TextLine line = line_of(core);
        const bool is_line = core.pixels >= kCorePixelsMin && line.sure >= kLineSure &&
                             line.height > kCoreHeightMin * 2;
        if (is_line) lines.push_back(line);
    }
    return lines;
}

std::vector<TextLine> find_lines(OnnxModel& model, const Gray& image, double scale) {
    const double pixels = static_cast<double>(image.width) * image.height;
    if (pixels < 1) return {};
    const double by = std::min(scale, std::sqrt(kPixelsMax / pixels));
    const int width = std::max(1, static_cast<int>(std::lround(image.width * by)));
    const int height = std::max(1, static_cast<int>(std::lround(image.height * by)));
    const int padded = up_to_32(width);
    const std::vector<float> map = map_of(model, resized(image, width, height), padded);
    std::vector<TextLine> lines = lines_of_map(map, padded, static_cast<int>(map.size()) / padded);
    for (TextLine& line : lines) {
        const double back = 1 / by;
        line.left = std::max(0.0, line.left * back);
        line.right = std::min<double>(image.width, line.right * back);
        line.height *= back;
        line.centre *= back;
        line.a *= back;
        line.c *= by;
    }
    std::erase_if(lines, [](const TextLine& line) { return line.right - line.left < 2; });
    return lines;
}

Tensor cut_out(const Gray& image, const TextLine& line, double* scale_used) {
    const double down = kLineHeight / line.height;
    const double wanted = (line.right - line.left) * down;
    const int width =
        std::clamp(static_cast<int>(std::ceil(wanted / 8)) * 8, kLineHeight / 2, kLineWidthMax);
    const double along = wanted > kLineWidthMax ? kLineWidthMax / (line.right - line.left) : down;
    if (scale_used) *scale_used = along;
    const int nx = std::clamp(static_cast<int>(std::ceil(1 / along)), 1, 6);
    const int ny = std::clamp(static_cast<int>(std::ceil(1 / down)), 1, 6);
    Tensor out{{1, 3, kLineHeight, width}, {}};
    const auto plane = static_cast<std::size_t>(kLineHeight) * static_cast<std::size_t>(width);
    out.values.assign(3 * plane, 0.0F);
    for (int x = 0; x < width && x < wanted; ++x) {
        for (int y = 0; y < kLineHeight; ++y) {
            double sum = 0;
            for (int i = 0; i < nx; ++i) {
                const double px = line.left + (x + (i + 0.5) / nx) / along;
                const double middle = line.middle_at(px);
                for (int j = 0; j < ny; ++j) {
                    const double py = middle + (y + (j + 0.5) / ny - kLineHeight / 2.0) / down;
                    sum += sampled(image, px - 0.5, py - 0.5);
                }
            }
            const auto value = static_cast<float>(sum / (nx * ny) / 127.5 - 1);
            const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                            static_cast<std::size_t>(x);
            for (std::size_t colour = 0; colour < 3; ++colour)
                out.values[colour * plane + at] = value;
        }
    }
    return out;
}

}  // namespace belay::media::native

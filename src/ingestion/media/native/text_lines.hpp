// text_lines.hpp — where lines of print are on a picture, and each of them cut out level and of one height.
//
// The network says for every pixel how much it is the core of a line. What hangs together is a line; its height is
// grown back from the core's, and its middle is followed along a curve, because paper curls.
#pragma once

#include <cstdint>
#include <vector>

#include "ingestion/media/native/onnx_model.hpp"
#include "ingestion/media/page.hpp"

namespace belay::media::native {

// Eight bits of grey a pixel, row by row.
struct Gray {
    int width = 0, height = 0;
    std::vector<std::uint8_t> pixels{};

    std::uint8_t at(int x, int y) const {
        return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                      static_cast<std::size_t>(x)];
    }
};

// A line of print: from x to x, its middle at a + b·t + c·t², t counted in pixels from `centre`.
struct TextLine {
    double left = 0, right = 0, height = 0;
    double centre = 0, a = 0, b = 0, c = 0;
    double sure = 0;

    double middle_at(double x) const {
        const double t = x - centre;
        return a + b * t + c * t * t;
    }
    Box box(double from, double to) const;
};

inline constexpr std::size_t kTextLinesMax = 800;  // a sheet of small print has 200
inline constexpr int kLineHeight = 48;             // of what is given to the recognising model
inline constexpr int kLineWidthMax = 48 * 64;

// The lines in a map of `width` times `height` probabilities, in the map's pixels, at most kTextLinesMax.
std::vector<TextLine> lines_of_map(const std::vector<float>& map, int width, int height);

// Finds lines on `image`; what is given to the network is larger or smaller by `scale`, has at most 2 megapixels, and
// goes through it in bands.
std::vector<TextLine> find_lines(OnnxModel& model, const Gray& image, double scale);

// The line's picture, 48 pixels high, as the model wants it: -1 is black, 1 is white. `scale_used` says how many of
// its pixels are one of the image's along the line.
Tensor cut_out(const Gray& image, const TextLine& line, double* scale_used);

}  // namespace belay::media::native

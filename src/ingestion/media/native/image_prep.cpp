#include "ingestion/media/native/image_prep.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "ingestion/media/read_error.hpp"

namespace belay::media::native {
namespace {

constexpr double kLetterHeightWanted = 24;
constexpr double kLetterHeightEnough = 10;
constexpr double kScaleMax = 4;
constexpr double kScaleMin = 0.4;
// What is darker is ink and what is lighter is paper: print through from the back lies above.
constexpr int kInk = 60;
constexpr int kPaper = 210;
constexpr int kBinaryThreshold = 180;
constexpr double kRadiansPerDegree = 3.14159265358979323846 / 180;

// leptonica takes non-const images even where it only reads.
Pix* read_only(const Pix& image) { return const_cast<Pix*>(&image); }

PixPtr or_throw(Pix* made, const char* what) {
    if (!made)
        throw ReadError{ReadErrorKind::Broken, std::string{"the image could not be "} + what};
    return PixPtr{made};
}

// Marks that could be letters: neither specks nor rules, boxes and pictures.
bool like_a_letter(int width, int height) {
    return height >= 6 && height <= 160 && width >= 2 && width <= height * 5 / 2 &&
           height <= width * 6;
}

}  // namespace

PixPtr to_gray(const Pix& image) {
    PixPtr flat;
    const Pix* source = &image;
    if (pixGetSpp(source) == 4) {
        flat = or_throw(pixAlphaBlendUniform(read_only(image), 0xffffff00), "put on white");
        source = flat.get();
    }
    return or_throw(pixConvertTo8(read_only(*source), 0), "made grey");
}

PixPtr flat_background(const Pix& gray) {
    PixPtr flat{pixBackgroundNormSimple(read_only(gray), nullptr, nullptr)};
    return flat ? std::move(flat) : or_throw(pixCopy(nullptr, &gray), "copied");
}

PixPtr strong_print(const Pix& flat) {
    return or_throw(pixGammaTRC(nullptr, read_only(flat), 1.0F, kInk, kPaper), "made stronger");
}

PixPtr joined_dots(const Pix& flat) {
    return or_throw(pixOpenGray(read_only(flat), 3, 3), "made whole");
}

TextMeasure measure_text(const Pix& strong) {
    TextMeasure found;
    const PixPtr marks{pixThresholdToBinary(read_only(strong), kBinaryThreshold)};
    if (!marks) return found;
    const BoxaPtr boxes{pixConnComp(marks.get(), nullptr, 8)};
    std::vector<int> heights;
    for (int i = 0; boxes && i < boxaGetCount(boxes.get()); ++i) {
        l_int32 width = 0, height = 0;
        boxaGetBoxGeometry(boxes.get(), i, nullptr, nullptr, &width, &height);
        if (like_a_letter(width, height)) heights.push_back(height);
    }
    found.letters = static_cast<int>(heights.size());
    if (heights.size() >= 20) {
        const auto half = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
        std::nth_element(heights.begin(), half, heights.end());
        found.letter_height = *half;
    }
    l_float32 angle = 0, confidence = 0;
    if (pixFindSkew(marks.get(), &angle, &confidence) == 0) {
        found.skew_degrees = angle;
        found.skew_is_sure = confidence > 3;
    }
    return found;
}

double reading_scale(double letter_height, int width, int height, double pixels_max) {
    double factor = letter_height > 0 ? kLetterHeightWanted / letter_height : 1;
    // Tesseract scales each line itself; enlarging helps only where letters run together, and
    // blurs elsewhere.
    if (factor > 0.6 && letter_height > kLetterHeightEnough) factor = 1;
    factor = std::clamp(factor, kScaleMin, kScaleMax);
    const double room = std::sqrt(pixels_max / std::max(1.0, static_cast<double>(width) * height));
    return std::min(factor, room);
}

PixPtr scaled(const Pix& gray, double factor) {
    const auto by = static_cast<l_float32>(factor);
    return or_throw(pixScale(read_only(gray), by, by), "scaled");
}

PixPtr turned(const Pix& gray, int quarter_turns) {
    return or_throw(pixRotateOrth(read_only(gray), quarter_turns), "turned");
}

PixPtr levelled(const Pix& gray, double degrees) {
    return or_throw(pixRotate(read_only(gray), static_cast<l_float32>(degrees * kRadiansPerDegree),
                              L_ROTATE_AREA_MAP, L_BRING_IN_WHITE, 0, 0),
                    "levelled");
}

}  // namespace belay::media::native

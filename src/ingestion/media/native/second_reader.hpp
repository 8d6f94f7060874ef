// second_reader.hpp — reading a picture of text with PP-OCRv4: another pair of eyes beside Tesseract's.
//
// It sees digits and amounts that Tesseract misses, and loses spaces between words; media/fusion.hpp makes one page
// of both. One belongs to one process and one thread; all of it is loaded before a zygote forks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingestion/media/native/onnx_model.hpp"
#include "ingestion/media/native/pix.hpp"
#include "ingestion/media/native/reader_files.hpp"
#include "ingestion/media/native/text_lines.hpp"
#include "ingestion/media/page.hpp"

namespace belay::media::native {

// A recognised character, and where along the line it was seen: 0 is the line's left end, 1 its right.
struct SeenLetter {
    std::string text{};
    double at = 0;
    double sure = 0;
};

// What the model's answer of `steps` times `classes` probabilities spells: at every step the likeliest class, with
// repetitions and nothings left out.
std::vector<SeenLetter> spelled(const float* answer, std::size_t steps, std::size_t classes,
                                const std::vector<std::string>& alphabet);

// The letters as words, parted at spaces and where the letters stand apart as words do; boxes lie on the line.
std::vector<Word> words_of_line(const std::vector<SeenLetter>& letters, const TextLine& line);

// What the first reader found out about how the picture lies.
struct Lie {
    int rotation = 0;  // quarter turns in degrees, clockwise
    double skew = 0;
    std::string language{};
    double pixels_per_unit = 1;
};

class SecondReader {
public:
    // Loads everything and reads a line of nothing, so that no job pays for what is made on first use.
    // Throws std::runtime_error that says what is missing.
    explicit SecondReader(const ReaderFiles& files);

    // Reads a grey picture, which is let go of when it is turned and levelled, as `lie` says. Boxes are in units of the upright,
    // level page. Gives what it has when `seconds_max` of processor time are over.
    Page read(PixPtr gray, const Lie& lie, double seconds_max);

private:
    struct Letters {
        OnnxModel model;
        std::vector<std::string> alphabet;
    };
    std::vector<Word> read_line(Letters& letters, const Gray& image, const TextLine& line);

    OnnxModel detect_;
    Letters english_, latin_;
};

}  // namespace belay::media::native

#include "ingestion/media/native/second_reader.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "ingestion/media/lines.hpp"
#include "ingestion/media/native/image_prep.hpp"

namespace belay::media::native {
namespace {

constexpr double kLetterHeightWanted =
    12;  // of a letter without its line, where lines are found best
constexpr double kScaleMax = 2;
constexpr std::size_t kWordsMax = 100'000;
constexpr double kUnsureLine = 0.5;  // lines that are less sure are pictures, not print
constexpr double kGapOfWords =
    2.3;  // usual steps from letter to letter that only a lost space makes

Gray plain(const Pix& gray) {
    Gray out{pixGetWidth(&gray), pixGetHeight(&gray), {}};
    out.pixels.resize(static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height));
    std::size_t at = 0;
    for (int y = 0; y < out.height; ++y) {
        const l_uint32* row =
            pixGetData(const_cast<Pix*>(&gray)) + static_cast<std::ptrdiff_t>(y) * pixGetWpl(&gray);
        for (int x = 0; x < out.width; ++x)
            out.pixels[at++] = static_cast<std::uint8_t>(GET_DATA_BYTE(row, x));
    }
    return out;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double mean_sure(const std::vector<SeenLetter>& letters) {
    double sum = 0;
    for (const SeenLetter& letter : letters) sum += letter.sure;
    return letters.empty() ? 0 : sum / static_cast<double>(letters.size());
}

// The usual step from a letter to the next, in line widths.
double usual_step(const std::vector<SeenLetter>& letters) {
    std::vector<double> steps;
    for (std::size_t i = 1; i < letters.size(); ++i) {
        if (letters[i].text != " " && letters[i - 1].text != " ")
            steps.push_back(letters[i].at - letters[i - 1].at);
    }
    if (steps.empty()) return 0;
    const auto half = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), half, steps.end());
    return *half;
}

// Every detected line is one line of print or a part of one; number_lines joins those that stand side by side.
std::vector<Word> in_reading_order(std::vector<std::vector<Word>> read,
                                   const std::vector<TextLine>& lines) {
    std::vector<Word> stand_ins;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!read[i].empty())
            stand_ins.push_back(
                {.text = std::to_string(i), .box = lines[i].box(lines[i].left, lines[i].right)});
    }
    number_lines(stand_ins);
    std::vector<Word> words;
    for (const Word& line : stand_ins) {
        for (Word& word : read[static_cast<std::size_t>(std::stoul(line.text))]) {
            if (words.size() >= kWordsMax) return words;
            word.line = line.line;
            words.push_back(std::move(word));
        }
    }
    std::stable_sort(words.begin(), words.end(), [](const Word& a, const Word& b) {
        return a.line != b.line ? a.line < b.line : a.box.x < b.box.x;
    });
    return words;
}

}  // namespace

std::vector<SeenLetter> spelled(const float* answer, std::size_t steps, std::size_t classes,
                                const std::vector<std::string>& alphabet) {
    std::vector<SeenLetter> letters;
    std::size_t before = 0;
    double first = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        const float* row = answer + step * classes;
        const auto best = static_cast<std::size_t>(std::max_element(row, row + classes) - row);
        const double place = (static_cast<double>(step) + 0.5) / static_cast<double>(steps);
        const double sure = std::clamp<double>(row[best], 0, 1);
        if (best != 0 && best == before) {
            SeenLetter& letter = letters.back();
            letter.at = (first + place) / 2;
            letter.sure = std::max(letter.sure, sure);
        } else if (best != 0) {
            first = place;
            letters.push_back({alphabet[best], place, sure});
        }
        before = best;
    }
    return letters;
}

std::vector<Word> words_of_line(const std::vector<SeenLetter>& letters, const TextLine& line) {
    std::vector<Word> words;
    const double step = usual_step(letters);
    const double length = line.right - line.left;
    const double half = std::clamp(step / 2, 0.15 * line.height / std::max(length, 1.0),
                                   0.5 * line.height / std::max(length, 1.0));
    double begin = 0, end = 0;
    bool open = false;
    const auto close = [&] {
        if (!open) return;
        words.back().box = line.box(line.left + std::max(0.0, begin - half) * length,
                                    line.left + std::min(1.0, end + half) * length);
        open = false;
    };
    for (const SeenLetter& letter : letters) {
        const bool apart = open && step > 0 && letter.at - end > kGapOfWords * step &&
                           (letter.at - end) * length > 0.6 * line.height;
        if (letter.text == " " || letter.text.empty() || apart) close();
        if (letter.text == " " || letter.text.empty()) continue;
        if (!open) {
            words.push_back({.confidence = 1, .by = ReadBy::PpOcr});
            begin = letter.at;
            open = true;
        }
        end = letter.at;
        words.back().text += letter.text;
        // A word is as sure as its least sure letter: one wrong digit is a wrong amount.
        words.back().confidence = std::min(words.back().confidence, letter.sure);
    }
    close();
    return words;
}

SecondReader::SecondReader(const ReaderFiles& files)
    : detect_(files.library, files.detect), english_{{files.library, files.english.model},
                                                     files.english.alphabet},
      latin_{{files.library, files.latin.model}, files.latin.alphabet} {
    const Gray white{64, 64, std::vector<std::uint8_t>(64 * 64, 255)};
    find_lines(detect_, white, 1);
    const TextLine line{.left = 0, .right = 64, .height = 24, .centre = 32, .a = 32};
    for (Letters* letters : {&english_, &latin_}) {
        const Tensor answer = letters->model.run(cut_out(white, line, nullptr));
        if (answer.shape.size() != 3 ||
            answer.shape[2] != static_cast<std::int64_t>(letters->alphabet.size())) {
            throw std::runtime_error(fmt::format(
                "the second reader's alphabet has {} letters, its model {}",
                letters->alphabet.size(), answer.shape.size() == 3 ? answer.shape[2] : 0));
        }
    }
}

std::vector<Word> SecondReader::read_line(Letters& letters, const Gray& image,
                                          const TextLine& line) {
    double along = 1;
    const Tensor input = cut_out(image, line, &along);
    const Tensor answer = letters.model.run(input);
    const auto steps = static_cast<std::size_t>(answer.shape[1]);
    std::vector<SeenLetter> seen =
        spelled(answer.values.data(), steps, letters.alphabet.size(), letters.alphabet);
    if (mean_sure(seen) < kUnsureLine) return {};
    // The picture may be wider than the line: places are of the picture.
    const double wide = static_cast<double>(input.shape[3]) / along / (line.right - line.left);
    for (SeenLetter& letter : seen) letter.at = std::min(1.0, letter.at * wide);
    return words_of_line(seen, line);
}

Page SecondReader::read(PixPtr gray, const Lie& lie, double seconds_max) {
    const double stop_at = cpu_seconds() + seconds_max;
    PixPtr upright = turned(*gray, lie.rotation / 90);
    gray.reset();
    if (lie.skew != 0) upright = levelled(*upright, lie.skew);
    // Print that shines through from the back would be read as well.
    upright = strong_print(*flat_background(*upright));
    const TextMeasure measured = measure_text(*upright);
    const double scale = measured.letter_height > 0
                             ? std::min(kScaleMax, kLetterHeightWanted / measured.letter_height)
                             : 1;
    const Gray image = plain(*upright);
    upright.reset();
    const std::vector<TextLine> lines = find_lines(detect_, image, scale);

    Letters& letters = lie.language.empty() || lie.language == "eng" ? english_ : latin_;
    std::vector<std::vector<Word>> read(lines.size());
    for (std::size_t i = 0; i < lines.size() && cpu_seconds() < stop_at; ++i)
        read[i] = read_line(letters, image, lines[i]);

    Page page{.width = image.width / lie.pixels_per_unit,
              .height = image.height / lie.pixels_per_unit,
              .source = PageSource::Ocr,
              .rotation = lie.rotation,
              .skew = lie.skew,
              .language = lie.language};
    page.words = in_reading_order(std::move(read), lines);
    double sum = 0;
    for (Word& word : page.words) {
        Box& box = word.box;
        const double shrink = lie.pixels_per_unit;
        box = {box.x / shrink, box.y / shrink, box.width / shrink, box.height / shrink};
        sum += word.confidence;
    }
    page.confidence = page.words.empty() ? 0 : sum / static_cast<double>(page.words.size());
    return page;
}

}  // namespace belay::media::native

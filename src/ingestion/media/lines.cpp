#include "ingestion/media/lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace belay::media {
namespace {

// A line as it grows to the right: where its last words stand says where the next is expected.
struct Growing {
    double top, bottom;   // of the most recent words
    double right;         // where the line ends so far
    double first_middle;  // where it began, for the order of lines
    std::vector<std::size_t> members;
};

double middle(const Box& box) { return box.y + box.height / 2; }

// How much of the lower of the two the other one covers, 0 to 1.
double overlap(double top, double bottom, const Box& box) {
    const double shared = std::min(bottom, box.bottom()) - std::max(top, box.y);
    const double lower = std::min(bottom - top, box.height);
    return lower <= 0 ? 0 : std::max(0.0, shared / lower);
}

// A full stop or a dash is lower than the line it stands on, and must not move it.
bool is_tall(const Word& word, double usual) { return word.box.height > usual * 0.55; }

double usual_height(const std::vector<Word>& words) {
    std::vector<double> heights;
    heights.reserve(words.size());
    for (const Word& word : words) heights.push_back(word.box.height);
    const auto half = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
    std::nth_element(heights.begin(), half, heights.end());
    return *half;
}

// Adds the word to the line whose end fits best, or begins a line with it.
void place(std::vector<Growing>& lines, const std::vector<Word>& words, std::size_t index,
           double usual) {
    const Word& word = words[index];
    Growing* best = nullptr;
    double best_overlap = 0.5;
    for (Growing& line : lines) {
        if (word.box.x < line.right - word.box.width * 0.6)
            continue;  // stands under or over its end
        const double shared = overlap(line.top, line.bottom, word.box);
        if (shared > best_overlap) {
            best_overlap = shared;
            best = &line;
        }
    }
    if (!best) {
        lines.push_back(
            {word.box.y, word.box.bottom(), word.box.right(), middle(word.box), {index}});
        return;
    }
    best->members.push_back(index);
    best->right = std::max(best->right, word.box.right());
    if (is_tall(word, usual) && word.box.height < usual * 2.2) {
        best->top = word.box.y;
        best->bottom = word.box.bottom();
    }
}

}  // namespace

void number_lines(std::vector<Word>& words) {
    if (words.empty()) return;
    const double usual = usual_height(words);
    std::vector<std::size_t> order(words.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return words[a].box.x < words[b].box.x; });

    std::vector<Growing> lines;
    for (const std::size_t index : order) place(lines, words, index, usual);
    std::stable_sort(lines.begin(), lines.end(), [](const Growing& a, const Growing& b) {
        return a.first_middle < b.first_middle;
    });

    std::vector<Word> sorted;
    sorted.reserve(words.size());
    int number = 0;
    for (const Growing& line : lines) {
        for (const std::size_t index : line.members) {
            sorted.push_back(std::move(words[index]));
            sorted.back().line = number;
        }
        ++number;
    }
    words = std::move(sorted);
}

}  // namespace belay::media

// label.cpp — finding labels, and the places where their values may stand.
#include <algorithm>

#include "ai/rules/fold.hpp"
#include "ai/rules/layout.hpp"

namespace belay::ai::rules {
namespace {

constexpr std::size_t kWordsPerLabelMax = 6;

}  // namespace

std::vector<LabelAt> find_labels(const std::vector<Line>& lines, std::span<const Label> labels) {
    std::size_t longest = 0;
    for (const auto& label : labels) longest = std::max(longest, label.text.size());
    std::vector<LabelAt> found;
    for (std::size_t l = 0; l < lines.size(); ++l) {
        const auto& words = lines[l].words;
        std::vector<std::string> folded;
        folded.reserve(words.size());
        for (const auto& word : words) folded.push_back(fold_alnum(word.text));
        for (std::size_t i = 0; i < words.size();) {
            LabelAt best;
            std::size_t best_size = 0;
            std::string text;
            for (std::size_t n = 1; n <= kWordsPerLabelMax && i + n <= words.size(); ++n) {
                const auto& word = words[i + n - 1];
                if (n > 1 && word.box.x - words[i + n - 2].box.right() > 1.6 * word.box.height)
                    break;
                if (n == 1 && folded[i].empty()) break;
                text += folded[i + n - 1];
                if (text.size() > longest + 2) break;
                for (std::size_t k = 0; k < labels.size(); ++k) {
                    const auto& label = labels[k];
                    const bool exact = text == label.text;
                    if (!exact && !nearly_equal(text, label.text)) continue;
                    // An exact shorter label gives way to a longer one, never to a misread one of
                    // the same words.
                    if (label.text.size() < best_size || (label.text.size() == best_size && !exact))
                        continue;
                    if (best_size > 0 && best.exact && !exact && n == best.count) continue;
                    best = {l, i, n, k, label.meaning, exact, lines[l].box_of(i, n)};
                    best_size = label.text.size();
                }
            }
            if (best_size > 0) found.push_back(best);
            i += best_size > 0 ? best.count : 1;
        }
    }
    return found;
}

std::vector<Place> places_near(const std::vector<Line>& lines, const LabelAt& label,
                               PlaceOptions options) {
    std::vector<Place> places;
    const auto& line = lines[label.line];
    const auto height = std::max(label.box.height, 1e-3);
    const auto end = label.first + label.count;
    // Right: what is left of the label's own segment, then the next ones.
    std::size_t taken = 0;
    for (auto segment : segments_of(line)) {
        if (segment.first + segment.count <= end || taken >= options.right_count) continue;
        if (segment.first < end) {
            segment.count -= end - segment.first;
            segment.first = end;
            segment.box = line.box_of(segment.first, segment.count);
        }
        const auto distance = std::max(0.0, segment.box.x - label.box.right()) / height;
        if (distance > options.right_max) break;
        places.push_back({label.line, segment, false, distance / 8});
        ++taken;
    }
    // Below: segments that share the label's columns, on lines that follow closely.
    taken = 0;
    for (auto l = label.line + 1; l < lines.size() && taken < options.below_count; ++l) {
        if (lines[l].page != line.page) break;
        const auto down = (lines[l].box.y - label.box.bottom()) / height;
        if (down > options.below_max + 2) break;
        for (const auto& segment : segments_of(lines[l])) {
            const auto drop = (segment.box.y - label.box.bottom()) / height;
            if (drop < -0.5 || drop > options.below_max) continue;
            const bool shares = overlap_x(segment.box, label.box) > 0.3 ||
                                std::abs(segment.box.x - label.box.x) < height;
            if (!shares) continue;
            places.push_back({l, segment, true, 1 + std::max(0.0, drop)});
            ++taken;
        }
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& a, const Place& b) { return a.distance < b.distance; });
    return places;
}

}  // namespace belay::ai::rules

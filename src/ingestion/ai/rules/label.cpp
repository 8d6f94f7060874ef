// label.cpp — finding labels, and the places where their values may stand.
#include <algorithm>

#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/layout.hpp"

namespace belay::ai::rules {
namespace {

constexpr std::size_t kWordsPerLabelMax = 6;

}  // namespace

LabelFinder::LabelFinder(std::span<const Label> labels) : labels_(labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
        exact_.emplace(labels[i].text, i);
        longest_ = std::max(longest_, labels[i].text.size());
        if (labels[i].text.size() >= 6) {
            by_first_[labels[i].text.front()].push_back(i);
            by_last_[labels[i].text.back()].push_back(i);
        }
    }
}

std::optional<LabelFinder::Match> LabelFinder::match(const std::string& text) const {
    if (const auto found = exact_.find(text); found != exact_.end())
        return Match{found->second, true};
    if (text.size() < 5) return std::nullopt;
    // OCR may spoil one end of a word, seldom both: labels that share an end are compared.
    for (const auto* index : {&by_first_, &by_last_}) {
        const auto bucket = index->find(index == &by_first_ ? text.front() : text.back());
        if (bucket == index->end()) continue;
        for (const auto i : bucket->second) {
            if (nearly_equal(text, labels_[i].text)) return Match{i, false};
        }
    }
    return std::nullopt;
}

std::vector<LabelAt> LabelFinder::find(const std::vector<Line>& lines) const {
    std::vector<LabelAt> found;
    for (std::size_t l = 0; l < lines.size(); ++l) find_in(lines[l], l, found);
    return found;
}

void LabelFinder::find_in(const Line& line, std::size_t l, std::vector<LabelAt>& found) const {
    const auto& words = line.words;
    std::vector<std::string> folded;
    folded.reserve(words.size());
    for (const auto& word : words) folded.push_back(fold_alnum(word.text));
    for (std::size_t i = 0; i < words.size();) {
        LabelAt best;
        std::size_t best_size = 0;
        std::string text;
        for (std::size_t n = 1; n <= kWordsPerLabelMax && i + n <= words.size(); ++n) {
            const auto& word = words[i + n - 1];
            if (n > 1 && word.box.x - words[i + n - 2].box.right() > 1.6 * word.box.height) break;
            if (n == 1 && folded[i].empty()) break;
            // A lone mark adds nothing: the label ends before it.
            if (folded[i + n - 1].empty()) continue;
            text += folded[i + n - 1];
            if (text.size() > longest_ + 2) break;
            const auto match = this->match(text);
            if (!match) continue;
            const auto size = labels_[match->label].text.size();
            // A misread label must say more than the one already found, and a number is no misreading.
            if (size < best_size || (!match->exact && (size == best_size || has_digit(text))))
                continue;
            best = {l,
                    i,
                    n,
                    match->label,
                    labels_[match->label].meaning,
                    match->exact,
                    line.box_of(i, n)};
            best_size = size;
        }
        // "Positions-" goes on in the next line: it is half a word, not a label.
        if (best_size > 0 && words[best.first + best.count - 1].text.ends_with('-')) best_size = 0;
        if (best_size > 0) found.push_back(best);
        i += best_size > 0 ? best.count : 1;
    }
}

std::vector<LabelAt> find_labels(const std::vector<Line>& lines, std::span<const Label> labels) {
    return LabelFinder{labels}.find(lines);
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
        // A lone colon or dash between a label and its value is neither.
        if (fold_alnum(line.text(segment.first, segment.count)).empty()) continue;
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

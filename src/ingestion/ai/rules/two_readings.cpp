#include "ingestion/ai/rules/two_readings.hpp"

#include <algorithm>
#include <utility>

#include "ingestion/ai/rules/amount.hpp"
#include "ingestion/ai/rules/layout.hpp"

namespace belay::ai::rules {
namespace {

constexpr double kSettledSure = 0.6;  // a reading that only a sum speaks for

// The amount with printed decimals that the whole of `text` is.
std::optional<Decimal> money_in(const std::string& text) {
    const auto readings = read_amounts(text);
    if (readings.empty() || !readings.front().decimals || readings.front().percent)
        return std::nullopt;
    return readings.front().value;
}

bool is_two_amounts(const media::Word& word) {
    if (word.other.empty()) return false;
    const auto other = money_in(word.other);
    return other && money_in(word.text) != other;
}

void swap_readings(media::Word& word) { std::swap(word.text, word.other); }

}  // namespace

std::vector<media::Page> settled(std::vector<media::Page> pages, const Balancing& balance) {
    std::vector<media::Word*> doubts;
    for (media::Page& page : pages) {
        for (media::Word& word : page.words) {
            if (doubts.size() < kTrialsMax && is_two_amounts(word)) doubts.push_back(&word);
        }
    }
    if (doubts.empty()) return pages;
    Balance best = balance(pages);
    for (media::Word* word : doubts) {
        if (best.wrong == 0) break;
        swap_readings(*word);
        const Balance tried = balance(pages);
        if (tried.right > best.right && tried.wrong <= best.wrong) {
            best = tried;
            word->confidence = std::min(word->confidence, kSettledSure);
        } else {
            swap_readings(*word);
        }
    }
    return pages;
}

std::optional<std::string> other_reading(const std::vector<media::Page>& pages,
                                         const Found<Decimal>& field) {
    if (!field) return std::nullopt;
    for (const media::Page& page : pages) {
        if (page.number != field.page) continue;
        for (const media::Word& word : page.words) {
            if (word.other.empty() || overlap_x(word.box, field.box) < 0.5 ||
                overlap_y(word.box, field.box) < 0.5)
                continue;
            // A row's box has its other columns in it.
            const auto seen = money_in(word.text), other = money_in(word.other);
            if (seen && seen->abs() != field->abs()) continue;
            if (other && other->abs() != field->abs()) return word.other;
        }
    }
    return std::nullopt;
}

}  // namespace belay::ai::rules

// amount_find.cpp — amounts among the words of a line: which words belong to one number.
#include <algorithm>
#include <cmath>

#include "ingestion/ai/rules/amount.hpp"
#include "ingestion/ai/rules/currency.hpp"
#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/layout.hpp"

namespace belay::ai::rules {
namespace {

constexpr std::size_t kWordsPerAmountMax = 5;

bool is_sign(std::string_view text) {
    return text == "-" || text == "+" || text == "\u2212" || text == "\u2013";
}

// Whether `left` and `right` may be parts of one number: a group beside a group stands as close as a
// space is wide, a sign or a currency may stand farther off.
bool may_join(const media::Word& left, const media::Word& right, NumberStyle style) {
    const auto gap = right.box.x - left.box.right();
    const auto height = std::max(left.box.height, right.box.height);
    const bool both_numbers = has_digit(left.text) && has_digit(right.text);
    if (!both_numbers) return gap < 4 * height;
    if (style.group != 0 && style.group != ' ' && style.decimal != 0) return gap < 0.15 * height;
    // "72" and "166,41" look like one number; "72" and "16,41" do not.
    const auto digits = std::min(right.text.find_first_not_of("0123456789"), right.text.size());
    const bool group =
        digits == 3 && left.text.size() <= 3 && digit_count(left.text) == left.text.size();
    if (!group) return gap < 0.4 * height;
    // In letters of one width a space is as wide as a digit, and in their ink a little wider.
    const auto digit = right.box.width / static_cast<double>(right.text.size());
    return gap < std::max({0.75 * height, 1.05 * digit, 1.1 * style.space * height});
}

}  // namespace

std::vector<AmountAt> find_amounts(const std::vector<media::Word>& words, NumberStyle style) {
    std::vector<AmountAt> found;
    for (std::size_t i = 0; i < words.size();) {
        AmountAt best;
        bool any = false;
        std::string text;
        media::Box box;
        double least = 1;
        for (std::size_t n = 1; n <= kWordsPerAmountMax && i + n <= words.size(); ++n) {
            const auto& word = words[i + n - 1];
            if (n > 1 && !may_join(words[i + n - 2], word, style)) break;
            const bool useful = has_digit(word.text) || is_sign(word.text) || word.text == "%" ||
                                word.text == "CR" || word.text == "Cr" || word.text == "." ||
                                word.text == "," || !currency_word(word.text).empty();
            if (!useful) break;
            text += n > 1 ? " " + word.text : word.text;
            box = n > 1 ? joined(box, word.box) : word.box;
            least = std::min(least, word.confidence);
            const auto readings = read_amounts(text, style);
            if (readings.empty()) continue;
            const auto& reading = readings.front();
            // More words must not make it doubtful: "10 100,00" is a quantity and a price unless
            // groups are known to be parted by spaces.
            if (any && reading.confidence < 0.8 * best.amount.confidence) continue;
            best = {reading, i, n, box};
            best.amount.confidence *= std::sqrt(std::max(least, 0.05));
            any = true;
        }
        if (any) found.push_back(best);
        i += any ? best.count : 1;
    }
    part_columns(words, found, style);
    return found;
}

}  // namespace belay::ai::rules

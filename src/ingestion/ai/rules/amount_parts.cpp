// amount_parts.cpp — "2 520,50": one amount, or a quantity and a price; what the line's arithmetic says.
#include <algorithm>

#include "ingestion/ai/rules/amount.hpp"
#include "ingestion/ai/rules/currency.hpp"
#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/layout.hpp"

namespace belay::ai::rules {
namespace {

// A table has fewer columns; a line with more amounts is not multiplied out.
constexpr std::size_t kAmountsPerLineMax = 24;

// Words between a factor and its product: none but units of money and codes of a letter or two.
bool is_one_row(const std::vector<media::Word>& words, const AmountAt& left,
                const AmountAt& right) {
    for (auto i = left.first + left.count; i < right.first; ++i) {
        const auto& text = words[i].text;
        if (char_count(text) > 2 && has_letter(text) && currency_word(text).empty()) return false;
    }
    return true;
}

// Whether `left` pieces at `right`, or `left` percent of it, are `product`.
bool multiply(const Amount& left, const Amount& right, const Amount& product) {
    if (!product.decimals || product.percent || product.value.is_zero()) return false;
    const auto times = left.value * right.value;
    if (near(times, product.value)) return true;
    const bool rate = !left.value.is_negative() && left.value <= Decimal{30, 0};
    return rate && right.decimals && near(times * Decimal{1, 2}, product.value);
}

// Whether the amount at `at` is a factor or the product of two others, in the order of columns.
bool is_proved(const std::vector<media::Word>& words, const std::vector<AmountAt>& amounts,
               std::size_t at) {
    for (std::size_t c = 2; c < amounts.size(); ++c) {
        for (std::size_t b = 1; b < c; ++b) {
            for (std::size_t a = 0; a < b; ++a) {
                if (a != at && b != at && c != at) continue;
                if (multiply(amounts[a].amount, amounts[b].amount, amounts[c].amount) &&
                    is_one_row(words, amounts[b], amounts[c]))
                    return true;
            }
        }
    }
    return false;
}

// Whether the amount at `at` multiplied by the next is one behind them.
bool is_quantity(const std::vector<media::Word>& words, const std::vector<AmountAt>& amounts,
                 std::size_t at) {
    for (auto c = at + 2; c < amounts.size(); ++c) {
        if (multiply(amounts[at].amount, amounts[at + 1].amount, amounts[c].amount) &&
            is_one_row(words, amounts[at + 1], amounts[c]))
            return true;
    }
    return false;
}

}  // namespace

std::vector<AmountAt> column_parts(const std::vector<media::Word>& words, const AmountAt& at,
                                   NumberStyle style) {
    if (at.count < 2 || !at.amount.decimals || at.amount.percent) return {};
    const auto &left = words[at.first], &right = words[at.first + 1];
    // "1 000,00": no price begins with a nought.
    const auto digits = std::min(right.text.find_first_not_of("0123456789"), right.text.size());
    if (digits != 3 || right.text.front() == '0' || left.text.size() > 3 ||
        digit_count(left.text) != left.text.size())
        return {};
    std::string rest;
    auto box = right.box;
    double least = right.confidence;
    for (auto i = at.first + 1; i < at.first + at.count; ++i) {
        rest += rest.empty() ? words[i].text : " " + words[i].text;
        box = joined(box, words[i].box);
        least = std::min(least, words[i].confidence);
    }
    const auto quantity = read_amounts(left.text, style), amount = read_amounts(rest, style);
    if (quantity.empty() || amount.empty() || quantity.front().value.is_zero() ||
        !amount.front().decimals)
        return {};
    std::vector<AmountAt> parts{{quantity.front(), at.first, 1, left.box},
                                {amount.front(), at.first + 1, at.count - 1, box}};
    for (auto& part : parts)
        part.amount.confidence = std::min(part.amount.confidence, at.amount.confidence);
    return parts;
}

void part_columns(const std::vector<media::Word>& words, std::vector<AmountAt>& amounts,
                  NumberStyle style) {
    if (amounts.size() > kAmountsPerLineMax) return;
    for (std::size_t i = 0; i < amounts.size(); ++i) {
        auto parts = column_parts(words, amounts[i], style);
        if (parts.empty() || is_proved(words, amounts, i)) continue;
        // "4 125 500,00" is three columns if four times 125 are 500.
        for (int cuts = 1; cuts <= 2 && !parts.empty(); ++cuts) {
            auto parted = amounts;
            parted[i] = parts.front();
            parted.insert(parted.begin() + static_cast<std::ptrdiff_t>(i) + 1, parts.begin() + 1,
                          parts.end());
            if (is_quantity(words, parted, i)) {
                amounts = std::move(parted);
                break;
            }
            const auto further = column_parts(words, parts.back(), style);
            if (further.empty()) break;
            parts.pop_back();
            parts.insert(parts.end(), further.begin(), further.end());
        }
    }
}

}  // namespace belay::ai::rules

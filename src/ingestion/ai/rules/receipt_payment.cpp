#include "ingestion/ai/rules/receipt_payment.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

struct Brand {
    std::string_view word;  // folded
    std::string_view name;
};
constexpr std::array kBrands{Brand{"mastercard", "mastercard"},
                             Brand{"maestro", "maestro"},
                             Brand{"visa", "visa"},
                             Brand{"amex", "amex"},
                             Brand{"americanexpress", "amex"},
                             Brand{"girocard", "girocard"},
                             Brand{"dinersclub", "diners"}};

// "************1234", "XXXX XXXX 1234", "####9165": a number that was masked by the till.
std::string last_four(const std::string& text) {
    std::size_t masks = 0, seen_masks_end = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '*' || c == '#' || c == 'X' || c == 'x') {
            if (++masks >= 4) seen_masks_end = i + 1;
        } else if (!std::isdigit(static_cast<unsigned char>(c)) && c != ' ') {
            masks = 0;
        }
    }
    if (seen_masks_end == 0) return {};
    std::string digits;
    for (std::size_t i = seen_masks_end; i < text.size() && digits.size() < 4; ++i) {
        if (std::isdigit(static_cast<unsigned char>(text[i])))
            digits += text[i];
        else if (text[i] != ' ' || !digits.empty())
            break;
    }
    return digits.size() == 4 ? digits : std::string{};
}

}  // namespace

Payment find_payment(const ReceiptText& text) {
    Payment found;
    ReceiptCard card;
    const ReceiptLine* cash = nullptr;
    const ReceiptLine* by_card = nullptr;
    const ReceiptLine* swish = nullptr;
    bool change = false;
    for (const ReceiptLine& line : text.lines) {
        if (says(line.said, "swish")) swish = &line;
        if (line.role == Role::Cash && !cash) cash = &line;
        if (line.role == Role::Card && !by_card) by_card = &line;
        if (line.role == Role::Change && line.last() && !line.last()->value.is_zero())
            change = true;
        for (const Brand& brand : kBrands) {
            if (card.brand.empty() && line.said.find(brand.word) != std::string::npos)
                card.brand = brand.name;
        }
        if (card.last_4.empty()) card.last_4 = last_four(line.line.text());
    }
    if (!card.last_4.empty()) card.masked = "************" + card.last_4;
    if (!card.brand.empty() || !card.last_4.empty()) found.card = card;
    const auto tell = [&](const char* type, const ReceiptLine* line, double sure) {
        found.type = {type, sure, line ? line->line.page : 0, line ? line->line.box : media::Box{}};
    };
    // Change is given for cash only; brands are also printed as advertising.
    if (cash && change)
        tell("cash", cash, 0.95);
    else if (swish)
        tell("swish", swish, 0.9);
    else if (by_card && (by_card->last() || !card.last_4.empty()))
        tell("card", by_card, 0.9);
    else if (!card.last_4.empty())
        tell("card", nullptr, 0.8);
    else if (cash)
        tell("cash", cash, 0.8);
    else if (by_card)
        tell("card", by_card, 0.6);
    return found;
}

}  // namespace belay::ai::rules

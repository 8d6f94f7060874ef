#include "ingestion/ai/rules/expense_type.hpp"

#include <algorithm>

namespace belay::ai::rules {

ExpenseAnswer classify_expense(const Receipt& receipt, const ExpenseOptions& options) {
    const std::string last_4 = receipt.card ? receipt.card->last_4 : std::string{};
    const auto& cards = options.company_cards_last_4;
    if (!last_4.empty() && std::find(cards.begin(), cards.end(), last_4) != cards.end())
        return {"corporate", 0.95, last_4, "paid with the company's card ending in " + last_4};
    const std::string paid = receipt.payment_type ? *receipt.payment_type : std::string{};
    if (paid == "swish") return {"personal", 0.85, last_4, "paid with Swish"};
    if (paid == "cash") return {"personal", 0.7, last_4, "paid in cash"};
    if (paid == "card" && !last_4.empty())
        return {"personal", 0.8, last_4, "paid with a card that is not the company's"};
    if (paid == "card")
        return {"personal", 0.6, {}, "paid with a card whose number is not printed"};
    return {"personal", 0.6, {}, "the receipt does not say how it was paid"};
}

}  // namespace belay::ai::rules

// receipt_items.hpp — what was bought: the lines between the head of a receipt and its total.
#pragma once

#include <optional>
#include <vector>

#include "ingestion/ai/rules/field.hpp"
#include "ingestion/ai/rules/receipt.hpp"
#include "ingestion/ai/rules/receipt_text.hpp"

namespace belay::ai::rules {

// The items as printed, discounts as items of their own with a negative amount.
std::vector<ReceiptItem> find_items(const ReceiptText& text);

// What the items sum to; nothing if there are none.
std::optional<Found<Decimal>> sum_of_items(const ReceiptText& text);

}  // namespace belay::ai::rules

// receipt_payment.hpp — how a receipt was paid, and with which card, as far as that may be kept.
#pragma once

#include <optional>
#include <string>

#include "ingestion/ai/rules/field.hpp"
#include "ingestion/ai/rules/receipt.hpp"
#include "ingestion/ai/rules/receipt_text.hpp"

namespace belay::ai::rules {

struct Payment {
    Found<std::string> type{};  // cash, card, swish
    std::optional<ReceiptCard> card{};
};

Payment find_payment(const ReceiptText& text);

}  // namespace belay::ai::rules

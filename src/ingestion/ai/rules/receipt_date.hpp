// receipt_date.hpp — when it was bought.
#pragma once

#include <optional>
#include <string>

#include "ingestion/ai/rules/date.hpp"
#include "ingestion/ai/rules/field.hpp"
#include "ingestion/ai/rules/receipt_text.hpp"

namespace belay::ai::rules {

struct Purchase {
    Found<Date> date{};
    Found<std::string> time{};
    // What the other reader saw there, if that is another day, and the day is printed nowhere else.
    std::optional<Date> other{};
};

// The date beside "date", beside a time of day, or printed most often; days come before months unless the
// receipt shows otherwise. Dates after `today` are not believed.
Purchase find_purchase(const ReceiptText& text, DateStyle style, std::optional<Date> today);

}  // namespace belay::ai::rules

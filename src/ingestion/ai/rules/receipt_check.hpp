// receipt_check.hpp — whether a receipt's fields agree with each other: passed, for a person, or wrong.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "ingestion/ai/rules/receipt.hpp"

namespace belay::ai::rules {

struct ReceiptReport {
    std::string status{};  // "Passed", "Manual Review", "Failed"
    std::vector<std::string> errors{};
    std::vector<std::string> warnings{};
};
BOOST_DESCRIBE_STRUCT(ReceiptReport, (), (status, errors, warnings))

// Errors: tax above the total, a net that with its tax is not the total, a date after tomorrow. Warnings:
// a missing merchant, date or total, a tax rate that Sweden does not have, a receipt older than ten
// years, a total read with less than 0.6 confidence. Any error fails it, any warning asks for a person.
ReceiptReport check_receipt(const Receipt& receipt, std::optional<Date> today);

}  // namespace belay::ai::rules

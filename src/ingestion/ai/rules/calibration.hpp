// calibration.hpp — how often a field that the rules are so sure of is right.
//
// What the rules call .8 is a sum of reasons, not a share of anything. Here it becomes one: of the fields said to be .9
// sure, nine in ten are right. The curves were measured on the development set, on readings of one reader as well as of
// both, because two read too well to show where the rules err (tools/score/calibrate; the share of right ones is pulled
// towards a half by two imagined cases, so a curve never says that nothing can go wrong). `make score` prints what was
// said beside what was right.
#pragma once

#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/receipt.hpp"

namespace belay::ai::rules {

enum class Calibrated {
    Merchant,
    PurchaseDate,
    ReceiptTotal,
    InvoiceNumber,
    IssueDate,
    Seller,
    InvoiceTotal
};

// `sure` as the rules say it, 0 to 1; the answer never falls when it rises.
double calibrated(Calibrated field, double sure);

// Under this a person is asked to look at a field.
inline constexpr double kReviewBelow = 0.7;

// Puts those in place of the rules' own, and asks for a review of what is below `review_below`.
void calibrate(Receipt& receipt, double review_below = kReviewBelow);
void calibrate(Invoice& invoice, double review_below = kReviewBelow);

}  // namespace belay::ai::rules

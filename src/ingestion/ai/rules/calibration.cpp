#include "ingestion/ai/rules/calibration.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace belay::ai::rules {
namespace {

struct Knot {
    double said = 0, right = 0;
};

// Written by tools/score/calibrate from the judged fields of 58 receipts (each read by one reader, and by both) and 24
// invoices; of invoices all but one field were right, so their curves say little more than that.
constexpr std::array kMerchant{Knot{0, 0}, Knot{0.45, 0.88}, Knot{0.86, 0.92}, Knot{0.99, 0.99}};
constexpr std::array kPurchaseDate{Knot{0, 0}, Knot{0.53, 0.86}, Knot{0.82, 0.95}};
constexpr std::array kReceiptTotal{Knot{0, 0}, Knot{0.86, 0.88}, Knot{0.99, 0.99}};
constexpr std::array kInvoiceNumber{Knot{0, 0}, Knot{0.9, 0.96}};
constexpr std::array kIssueDate{Knot{0, 0}, Knot{0.92, 0.96}};
constexpr std::array kSeller{Knot{0, 0}, Knot{0.9, 0.86}, Knot{0.93, 0.93}};
constexpr std::array kInvoiceTotal{Knot{0, 0}, Knot{0.97, 0.99}};

std::span<const Knot> curve_of(Calibrated field) {
    switch (field) {
        case Calibrated::Merchant:
            return kMerchant;
        case Calibrated::PurchaseDate:
            return kPurchaseDate;
        case Calibrated::ReceiptTotal:
            return kReceiptTotal;
        case Calibrated::InvoiceNumber:
            return kInvoiceNumber;
        case Calibrated::IssueDate:
            return kIssueDate;
        case Calibrated::Seller:
            return kSeller;
        case Calibrated::InvoiceTotal:
            return kInvoiceTotal;
    }
    return kInvoiceTotal;
}

// Whether the review speaks of the field already.
bool is_mentioned(const std::vector<std::string>& review, std::string_view name) {
    return std::ranges::any_of(review,
                               [&](const std::string& reason) { return reason.starts_with(name); });
}

template <class T>
void calibrate_field(Found<T>& field, Calibrated kind, std::string_view name, double review_below,
                     std::vector<std::string>& review) {
    if (!field) return;
    field.confidence = calibrated(kind, field.confidence);
    if (field.confidence < review_below && !is_mentioned(review, name))
        review.push_back(fmt::format("{}_uncertain", name));
}

}  // namespace

double calibrated(Calibrated field, double sure) {
    const auto curve = curve_of(field);
    const auto above =
        std::ranges::find_if(curve, [&](const Knot& knot) { return knot.said >= sure; });
    if (above == curve.end()) return curve.back().right;
    if (above == curve.begin()) return above->right;
    const Knot& below = *(above - 1);
    const double part = (sure - below.said) / (above->said - below.said);
    return below.right + part * (above->right - below.right);
}

void calibrate(Receipt& receipt, double review_below) {
    auto& review = receipt.review;
    calibrate_field(receipt.merchant, Calibrated::Merchant, "merchant", review_below, review);
    calibrate_field(receipt.date, Calibrated::PurchaseDate, "date", review_below, review);
    calibrate_field(receipt.total, Calibrated::ReceiptTotal, "total", review_below, review);
}

void calibrate(Invoice& invoice, double review_below) {
    auto& review = invoice.review;
    calibrate_field(invoice.invoice_number, Calibrated::InvoiceNumber, "invoice_number",
                    review_below, review);
    calibrate_field(invoice.issue_date, Calibrated::IssueDate, "issue_date", review_below, review);
    calibrate_field(invoice.seller_name, Calibrated::Seller, "seller_name", review_below, review);
    calibrate_field(invoice.net_total, Calibrated::InvoiceTotal, "net_total", review_below, review);
    calibrate_field(invoice.tax_total, Calibrated::InvoiceTotal, "tax_total", review_below, review);
    calibrate_field(invoice.grand_total, Calibrated::InvoiceTotal, "grand_total", review_below,
                    review);
    invoice.confidence = std::min({invoice.invoice_number.confidence, invoice.issue_date.confidence,
                                   invoice.seller_name.confidence, invoice.grand_total.confidence});
}

}  // namespace belay::ai::rules

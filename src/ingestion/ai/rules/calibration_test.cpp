#include "ingestion/ai/rules/calibration.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace belay::ai::rules {
namespace {

constexpr Calibrated kAll[] = {Calibrated::Merchant,     Calibrated::PurchaseDate,
                               Calibrated::ReceiptTotal, Calibrated::InvoiceNumber,
                               Calibrated::IssueDate,    Calibrated::Seller,
                               Calibrated::InvoiceTotal};

bool has(const std::vector<std::string>& review, std::string_view reason) {
    return std::ranges::find(review, reason) != review.end();
}

TEST(Calibration, what_is_surer_is_never_said_to_be_less_sure_and_nothing_is_certain) {
    for (const Calibrated field : kAll) {
        double last = 0;
        for (int i = 0; i <= 1000; ++i) {
            const double said = calibrated(field, i / 1000.0);
            EXPECT_GE(said, last);
            EXPECT_LT(said, 1);
            last = said;
        }
        EXPECT_GT(last, 0.85) << "what is surest is nearly always right";
        EXPECT_EQ(calibrated(field, -1), calibrated(field, 0));
        EXPECT_EQ(calibrated(field, 2), calibrated(field, 1));
    }
}

TEST(Calibration, a_field_below_the_threshold_is_for_a_person_to_look_at) {
    Receipt receipt;
    receipt.total = {Decimal{1200, 2}, 0.97};
    receipt.merchant = {"Kiosk", 0.97};

    calibrate(receipt, 0.5);
    EXPECT_TRUE(receipt.review.empty()) << "what was not found is said by the rules";

    calibrate(receipt, 1);
    EXPECT_TRUE(has(receipt.review, "total_uncertain"));
    EXPECT_TRUE(has(receipt.review, "merchant_uncertain"));
    EXPECT_EQ(receipt.review.size(), 2u);
}

TEST(Calibration, what_the_review_speaks_of_already_is_not_said_twice) {
    Receipt receipt;
    receipt.date = {Date{2024, 3, 12}, 0.5};
    receipt.review = {"date_read_two_ways: 2024-03-12 and 2024-08-12"};

    calibrate(receipt, 1);

    EXPECT_EQ(receipt.review.size(), 1u);
}

TEST(Calibration, an_invoice_is_as_sure_as_its_least_sure_field) {
    Invoice invoice;
    invoice.invoice_number = {"R-7", 0.9};
    invoice.issue_date = {Date{2024, 3, 12}, 0.9};
    invoice.seller_name = {"Eisen AG", 0.3};
    invoice.grand_total = {Decimal{1200, 2}, 0.9};

    calibrate(invoice, 0);

    EXPECT_EQ(invoice.confidence, calibrated(Calibrated::Seller, 0.3));
    EXPECT_TRUE(invoice.review.empty());
}

}  // namespace
}  // namespace belay::ai::rules

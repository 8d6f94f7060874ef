#include "ingestion/ai/rules/receipt_check.hpp"

#include <fmt/format.h>

namespace belay::ai::rules {
namespace {

const Decimal kTolerance{2, 2};

void check_tax(const Receipt& receipt, ReceiptReport& report) {
    if (!receipt.total || receipt.vat.empty()) return;
    Decimal tax{0, 2}, net{0, 2};
    bool all_nets = true;
    for (const ReceiptVat& vat : receipt.vat) {
        tax = tax + vat.amount;
        if (vat.net)
            net = net + *vat.net;
        else
            all_nets = false;
    }
    if (tax > *receipt.total)
        report.errors.push_back(fmt::format("tax {} is above the total {}", money_text(tax),
                                            money_text(*receipt.total)));
    // A rate without tax (0 %) is not printed as tax: what is left over may be that, too much may not.
    else if (all_nets && net + tax > *receipt.total + kTolerance)
        report.errors.push_back(fmt::format("net {} and tax {} are more than the total {}",
                                            money_text(net), money_text(tax),
                                            money_text(*receipt.total)));
}

}  // namespace

ReceiptReport check_receipt(const Receipt& receipt, std::optional<Date> today) {
    ReceiptReport report;
    check_tax(receipt, report);
    if (receipt.date && today) {
        if (*receipt.date > today->plus_days(1))
            report.errors.push_back("the date " + receipt.date->text() + " is in the future");
        if (*receipt.date < today->plus_days(-3653))
            report.warnings.push_back("the receipt is older than ten years");
    }
    if (!receipt.merchant) report.warnings.push_back("the merchant is missing");
    if (!receipt.date) report.warnings.push_back("the date is missing");
    if (!receipt.total)
        report.warnings.push_back("the total is missing");
    else if (receipt.total.confidence < 0.6)
        report.warnings.push_back("the total is uncertain");
    const bool swedish = !receipt.currency || *receipt.currency == "SEK";
    for (const ReceiptVat& vat : receipt.vat) {
        const bool known =
            vat.rate == Decimal{25, 0} || vat.rate == Decimal{12, 0} || vat.rate == Decimal{6, 0};
        if (swedish && !known)
            report.warnings.push_back("an unknown tax rate: " + vat.rate.text() + " %");
    }
    report.status = !report.errors.empty()     ? "Failed"
                    : !report.warnings.empty() ? "Manual Review"
                                               : "Passed";
    return report;
}

}  // namespace belay::ai::rules

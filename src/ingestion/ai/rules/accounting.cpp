#include "ingestion/ai/rules/accounting.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/utf8.hpp"
#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

constexpr std::size_t kNotesCharsMax = 255;

struct VatAccount {
    int rate;
    std::string_view account;
};
constexpr std::array kVatAccounts{VatAccount{25, "2641"}, VatAccount{12, "2642"},
                                  VatAccount{6, "2643"}};

struct Builtin {
    std::string_view word;  // folded
    std::string_view account;
};
// Kinds of sellers whose account does not depend on what was bought.
constexpr std::array kBuiltin{
    Builtin{"hotel", "5831"},     Builtin{"hotell", "5831"},     Builtin{"taxi", "5800"},
    Builtin{"parkering", "5613"}, Builtin{"parking", "5613"},    Builtin{"bensin", "5611"},
    Builtin{"drivmedel", "5611"}, Builtin{"tankstelle", "5611"}, Builtin{"petrol", "5611"},
    Builtin{"postnord", "6250"},  Builtin{"stationery", "6110"}, Builtin{"kontorsvaror", "6110"}};

std::string cost_account(const Receipt& receipt, const AccountingOptions& options) {
    const std::string seller = receipt.merchant ? fold_alnum(*receipt.merchant) : std::string{};
    for (const AccountRule& rule : options.rules) {
        const std::string word = fold_alnum(rule.merchant_contains);
        if (!word.empty() && seller.find(word) != std::string::npos) return rule.account_code;
    }
    for (const Builtin& rule : kBuiltin) {
        if (seller.find(rule.word) != std::string::npos) return std::string{rule.account};
    }
    return options.cost_account;
}

std::string_view vat_account(Decimal rate) {
    for (const VatAccount& entry : kVatAccounts) {
        if (rate == Decimal{entry.rate, 0}) return entry.account;
    }
    return {};
}

bool is_account(const std::string& code) {
    return code.size() == 4 &&
           std::all_of(code.begin(), code.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool is_foreign(const Receipt& receipt) {
    return receipt.currency && *receipt.currency != kLedgerCurrency;
}

AccountingProposal propose_accounting(const Receipt& receipt, std::string_view expense_type,
                                      const AccountingOptions& options) {
    AccountingProposal out;
    if (!receipt.total || receipt.total->is_zero() || receipt.total->is_negative()) {
        out.review.push_back("total_missing");
        return out;
    }
    const Decimal gross = receipt.total->rescaled(2);
    const bool swedish = !is_foreign(receipt);
    const std::string seller = base::truncate(receipt.merchant ? *receipt.merchant : "", 200);

    Decimal tax{0, 2};
    std::vector<AccountingEntry> taxes;
    for (const ReceiptVat& vat : receipt.vat) {
        const std::string_view account = vat_account(vat.rate);
        if (!swedish || account.empty() || vat.amount.is_zero()) continue;
        tax = tax + vat.amount;
        taxes.push_back({std::string{account}, vat.amount.rescaled(2), Decimal{0, 2}, vat.rate,
                         fmt::format("moms {} %", vat.rate.text())});
    }
    if (tax >= gross) {
        // Tax cannot be the whole of it: it was misread.
        taxes.clear();
        tax = Decimal{0, 2};
        out.review.push_back("vat_above_total");
    }
    if (!swedish)
        out.review.emplace_back(kForeignCurrency);
    else if (taxes.empty())
        out.review.push_back("no_deductible_vat");

    out.entries.push_back(
        {cost_account(receipt, options), gross - tax, Decimal{0, 2}, std::nullopt, seller});
    out.entries.insert(out.entries.end(), taxes.begin(), taxes.end());
    const bool company_card = expense_type == "corporate";
    out.entries.push_back({company_card ? options.paid_by_company_card : options.owed,
                           Decimal{0, 2}, gross, std::nullopt, seller});
    out.confidence = receipt.total.confidence * (taxes.empty() ? 0.7 : 0.9);
    for (const std::string& fault : check_entries(out.entries)) out.review.push_back(fault);
    return out;
}

std::vector<std::string> check_entries(const std::vector<AccountingEntry>& entries) {
    std::vector<std::string> faults;
    Decimal debits{0, 2}, credits{0, 2};
    const Decimal zero{0, 2};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const AccountingEntry& entry = entries[i];
        const auto fault = [&](std::string_view what) {
            faults.push_back(fmt::format("entry {}: {}", i + 1, what));
        };
        if (!is_account(entry.account_code)) fault("the account is not four digits");
        if (entry.debit < zero || entry.credit < zero) fault("a negative amount");
        if ((entry.debit > zero) == (entry.credit > zero))
            fault("exactly one of debit and credit must be above zero");
        if (entry.vat_rate && (*entry.vat_rate < zero || *entry.vat_rate > Decimal{100, 0}))
            fault("a tax rate outside 0 to 100");
        if (char_count(entry.notes) > kNotesCharsMax) fault("notes longer than 255 characters");
        debits = debits + entry.debit;
        credits = credits + entry.credit;
    }
    if (debits != credits)
        faults.push_back(fmt::format("debits {} differ from credits {}", money_text(debits),
                                     money_text(credits)));
    return faults;
}

}  // namespace belay::ai::rules

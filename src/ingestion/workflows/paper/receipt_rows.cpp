#include "ingestion/workflows/paper/receipt_rows.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/workflows/paper/ending.hpp"
#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {

namespace {

using ai::rules::Decimal;
using ai::rules::money_text;
using ai::rules::Receipt;
using ai::rules::ReceiptItem;
using MaybeText = std::optional<std::string>;

constexpr std::size_t kNameCharsMax = 222;

template <class T>
MaybeText text_of(const ai::rules::Found<T>& found) {
    if (!found) return std::nullopt;
    if constexpr (std::is_same_v<T, std::string>)
        return *found;
    else
        return money_text(*found);
}

MaybeText some(const std::string& text) { return text.empty() ? std::nullopt : MaybeText{text}; }

struct Amounts {
    MaybeText gross{}, net{}, gross_sek{}, net_sek{}, exchange_rate{};
    MaybeText vat_25{}, vat_12{}, vat_6{};
};

Amounts amounts_of(const Receipt& receipt) {
    Amounts out;
    Decimal tax{0, 2};
    for (const auto& vat : receipt.vat) {
        tax = tax + vat.amount;
        if (vat.rate == Decimal{25, 0}) out.vat_25 = money_text(vat.amount);
        if (vat.rate == Decimal{12, 0}) out.vat_12 = money_text(vat.amount);
        if (vat.rate == Decimal{6, 0}) out.vat_6 = money_text(vat.amount);
    }
    if (!receipt.total) return out;
    out.gross = money_text(*receipt.total);
    if (!receipt.vat.empty() && tax < *receipt.total) out.net = money_text(*receipt.total - tax);
    if (receipt.currency && *receipt.currency == "SEK") {
        out.gross_sek = out.gross;
        out.net_sek = out.net;
        out.exchange_rate = "1";
    }
    return out;
}

MaybeText purchase_datetime(const Receipt& receipt) {
    if (!receipt.date) return std::nullopt;
    if (!receipt.time) return receipt.date->text();
    return fmt::format("{}T{}", receipt.date->text(), *receipt.time);
}

// What an amount is without the tax in it, to the cent.
Decimal without_tax(Decimal amount, Decimal rate) {
    const std::int64_t whole = 10'000 + rate.rescaled(2).units();
    const std::int64_t cents = amount.rescaled(2).units();
    const std::int64_t half = cents < 0 ? -whole / 2 : whole / 2;
    return {(cents * 10'000 + half) / whole, 2};
}

void insert_item(Tx& tx, const std::string& file_id, int line_no, const ReceiptItem& item,
                 const Receipt& receipt) {
    const bool one_rate = receipt.vat.size() == 1;
    MaybeText ex_vat, vat, rate, price;
    if (one_rate) {
        const Decimal net = without_tax(item.amount, receipt.vat.front().rate);
        ex_vat = money_text(net);
        vat = money_text(item.amount.rescaled(2) - net);
        rate = (receipt.vat.front().rate * Decimal{1, 2}).rescaled(2).text();
    }
    if (item.quantity == Decimal{1, 0}) price = money_text(item.amount);
    tx.exec(
        "INSERT INTO receipt_items (main_id, line_no, name, number, item_price_inc_vat, "
        "item_total_price_ex_vat, item_total_price_inc_vat, currency, vat_percentage, "
        "item_vat_total) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        file_id, line_no, base::truncate(item.name, kNameCharsMax), item.quantity.text(), price,
        ex_vat, money_text(item.amount), text_of(receipt.currency), rate, vat);
}

void replace_items(Tx& tx, const std::string& file_id, const Receipt& receipt) {
    tx.exec("DELETE FROM receipt_items WHERE main_id = ?", file_id);
    int line_no = 0;
    for (const ReceiptItem& item : receipt.items) {
        if (!item.name.empty()) insert_item(tx, file_id, ++line_no, item, receipt);
    }
}

}  // namespace

void save_document_type(Tx& tx, const Answer<ai::rules::DocumentTypeAnswer>& answer) {
    note_success(tx, answer.file_id, kAi1, answer.by, answer.value.reasoning,
                 answer.value.document_type);
    if (!is_current_run(tx, answer.file_id)) return;
    tx.exec(
        "UPDATE unified_files SET file_type = ?, ai_status = 'ai1_completed', updated_at = ? "
        "WHERE id = ?",
        answer.value.document_type, tx.now(), answer.file_id);
}

void save_expense_type(Tx& tx, const Answer<ai::rules::ExpenseAnswer>& answer) {
    note_success(tx, answer.file_id, kAi2, answer.by, answer.value.reasoning,
                 answer.value.expense_type);
    if (!is_current_run(tx, answer.file_id)) return;
    tx.exec(
        "UPDATE unified_files SET expense_type = ?, ai_status = 'ai2_completed', updated_at = ? "
        "WHERE id = ?",
        answer.value.expense_type, tx.now(), answer.file_id);
}

std::optional<std::int64_t> company_of(Tx& tx, const std::string& organization_id,
                                       const std::string& name, const std::string& orgnr,
                                       const std::string& address) {
    if (!orgnr.empty()) {
        const auto known = tx.value<std::int64_t>(
            "SELECT id FROM companies WHERE organization_id = ? AND orgnr = ?", organization_id,
            orgnr);
        if (known) return known;
    }
    if (name.empty()) return std::nullopt;
    const auto known = tx.value<std::int64_t>(
        "SELECT id FROM companies WHERE organization_id = ? AND name = ? ORDER BY id LIMIT 1",
        organization_id, name);
    if (known || orgnr.empty()) return known;
    tx.exec(
        "INSERT INTO companies (organization_id, name, orgnr, address, created_at, updated_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        organization_id, base::truncate(name, 234), orgnr, some(address), tx.now(), tx.now());
    return tx.value<std::int64_t>(
        "SELECT id FROM companies WHERE organization_id = ? AND orgnr = ?", organization_id, orgnr);
}

void save_receipt(Tx& tx, const Answer<Receipt>& answer) {
    const Receipt& receipt = answer.value;
    note_success(tx, answer.file_id, kAi3, answer.by, fmt::format("{} items", receipt.items.size()),
                 ai::rules::receipt_json(receipt, ""));
    if (!is_current_run(tx, answer.file_id)) return;
    const std::string organization =
        tx.value<std::string>("SELECT organization_id FROM unified_files WHERE id = ?",
                              answer.file_id)
            .value_or("");
    const auto company =
        company_of(tx, organization, receipt.merchant.value.value_or(""),
                   receipt.orgnr.value.value_or(""), receipt.address.value.value_or(""));
    const Amounts amounts = amounts_of(receipt);
    const ai::rules::ReceiptCard card = receipt.card.value_or(ai::rules::ReceiptCard{});
    tx.exec(
        "UPDATE unified_files SET company_id = ?, orgnr = ?, purchase_datetime = ?, "
        "receipt_number = ?, payment_type = ?, currency = ?, gross_amount = ?, net_amount = ?, "
        "gross_amount_original = ?, net_amount_original = ?, gross_amount_sek = ?, "
        "net_amount_sek = ?, exchange_rate = ?, total_vat_25 = ?, total_vat_12 = ?, "
        "total_vat_6 = ?, credit_card_number = ?, credit_card_last_4_digits = ?, "
        "credit_card_brand_short = ?, ai_confidence = ?, ai_status = 'ai3_completed', "
        "updated_at = ? WHERE id = ?",
        company, text_of(receipt.orgnr), purchase_datetime(receipt),
        text_of(receipt.receipt_number), text_of(receipt.payment_type), text_of(receipt.currency),
        amounts.gross, amounts.net, amounts.gross, amounts.net, amounts.gross_sek, amounts.net_sek,
        amounts.exchange_rate, amounts.vat_25, amounts.vat_12, amounts.vat_6, some(card.masked),
        some(card.last_4), some(card.brand), answer.by.confidence, tx.now(), answer.file_id);
    replace_items(tx, answer.file_id, receipt);
}

void save_accounting(Tx& tx, const Answer<ai::rules::AccountingProposal>& answer) {
    const auto& entries = answer.value.entries;
    if (const auto faults = ai::rules::check_entries(entries); !faults.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("the entries cannot be kept: {}", fmt::join(faults, "; ")));
    }
    note_success(
        tx, answer.file_id, kAi4, answer.by,
        fmt::format("{} entries; {}", entries.size(), fmt::join(answer.value.review, ", ")),
        to_json(entries));
    if (!is_current_run(tx, answer.file_id)) return;
    replace_entries(tx, answer.file_id, entries);
    set_status(tx, answer.file_id, "ai4_completed");
}

void replace_entries(Tx& tx, const std::string& file_id,
                     const std::vector<ai::rules::AccountingEntry>& entries) {
    tx.exec("DELETE FROM ai_accounting_proposals WHERE receipt_id = ?", file_id);
    int line_no = 0;
    for (const auto& entry : entries) {
        MaybeText rate;
        if (entry.vat_rate) rate = entry.vat_rate->text();
        tx.exec(
            "INSERT INTO ai_accounting_proposals (receipt_id, line_no, account_code, debit, "
            "credit, "
            "vat_rate, notes, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            file_id, ++line_no, entry.account_code, money_text(entry.debit),
            money_text(entry.credit), rate, some(entry.notes), tx.now());
    }
}

void replace_lines(Tx& tx, const std::string& file_id, const Receipt& receipt) {
    const Amounts amounts = amounts_of(receipt);
    tx.exec(
        "UPDATE unified_files SET gross_amount = ?, net_amount = ?, gross_amount_sek = ?, "
        "net_amount_sek = ?, total_vat_25 = ?, total_vat_12 = ?, total_vat_6 = ? WHERE id = ?",
        amounts.gross, amounts.net, amounts.gross_sek, amounts.net_sek, amounts.vat_25,
        amounts.vat_12, amounts.vat_6, file_id);
    replace_items(tx, file_id, receipt);
}

}  // namespace belay::workflows

#include "ingestion/ai/rules/receipt.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include <belay/codec.hpp>

#include "ingestion/ai/rules/currency.hpp"
#include "ingestion/ai/rules/receipt_date.hpp"
#include "ingestion/ai/rules/receipt_items.hpp"
#include "ingestion/ai/rules/receipt_merchant.hpp"
#include "ingestion/ai/rules/receipt_payment.hpp"
#include "ingestion/ai/rules/receipt_text.hpp"
#include "ingestion/ai/rules/receipt_total.hpp"
#include "ingestion/ai/rules/receipt_vat.hpp"
#include "ingestion/ai/rules/two_readings.hpp"

namespace belay::ai::rules {
namespace {

// A field that is not sure enough is emptied, and the reason kept for a person.
template <class T>
void keep_if_sure(Found<T>& field, double sure, const char* what,
                  std::vector<std::string>& review) {
    if (!field) {
        review.push_back(fmt::format("{}_not_found", what));
    } else if (field.confidence < sure) {
        field = {};
        review.push_back(fmt::format("{}_uncertain", what));
    }
}

// Two readings of the same paper: what speaks for an amount in both is added, as two witnesses who saw
// the same thing; the second one counts less where it only repeats the first.
std::vector<ReceiptTotal> together(std::vector<ReceiptTotal> first,
                                   const std::vector<ReceiptTotal>& second) {
    for (const ReceiptTotal& other : second) {
        const auto same = std::find_if(first.begin(), first.end(),
                                       [&](const auto& c) { return c.value == other.value; });
        if (same == first.end()) {
            first.push_back(other);
            first.back().score *= 0.8;
            continue;
        }
        const double high = std::max(same->score, other.score),
                     low = std::min(same->score, other.score);
        same->score = high + 0.6 * std::max(0.0, low);
        for (const std::string& reason : other.reasons) {
            if (std::find(same->reasons.begin(), same->reasons.end(), reason) ==
                same->reasons.end())
                same->reasons.push_back(reason);
        }
    }
    std::stable_sort(first.begin(), first.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    return first;
}

// Of a day that the readers saw differently: one of them is right.
constexpr double kReadTwoWaysSure = 0.5;

// Whether a long number on the paper has that day in it, as the numbers of tills have: 0010545030420005007347.
bool is_in_a_number(const std::vector<media::Page>& pages, const Date& day) {
    constexpr std::size_t kLong = 14;  // a shorter one has any six digits by chance
    const std::string d = fmt::format("{:02}", day.day), m = fmt::format("{:02}", day.month),
                      y = fmt::format("{:04}", day.year), short_y = y.substr(2);
    const std::array<std::string, 4> ways{d + m + short_y, short_y + m + d, d + m + y, y + m + d};
    for (const media::Page& page : pages) {
        for (const media::Word& word : page.words) {
            std::string digits;
            std::ranges::copy_if(word.text, std::back_inserter(digits),
                                 [](char c) { return c >= '0' && c <= '9'; });
            if (digits.size() < kLong) continue;
            if (std::ranges::any_of(ways, [&](const std::string& way) {
                    return digits.find(way) != std::string::npos;
                }))
                return true;
        }
    }
    return false;
}

bool is_a_sum(const std::string& reason) {
    constexpr std::array<std::string_view, 7> kSums{
        "cash less change",         "parts and tax",
        "parts, tax and rounding",  "tax on top",
        "net and tax of the table", "gross of the tax table",
        "sum of the items"};
    return std::find(kSums.begin(), kSums.end(), reason) != kSums.end();
}

// What the other reader saw where the total was read, if it saw another amount and no sum of the receipt's own
// speaks for the total: then only a person can tell.
std::optional<std::string> other_total(const std::vector<media::Page>& pages,
                                       const Found<Decimal>& total,
                                       const std::vector<ReceiptTotal>& candidates) {
    if (!total) return std::nullopt;
    for (const ReceiptTotal& candidate : candidates) {
        const bool adds_up =
            std::any_of(candidate.reasons.begin(), candidate.reasons.end(), is_a_sum);
        if (candidate.value == *total && adds_up) return std::nullopt;
    }
    return other_reading(pages, total);
}

struct Sign {
    std::string_view text;
    std::string_view code;
};
constexpr std::array kSigns{
    Sign{"€", "EUR"},   Sign{"EUR", "EUR"},  Sign{"EURO", "EUR"}, Sign{"Euro", "EUR"},
    Sign{"RM", "MYR"},  Sign{"(RM)", "MYR"}, Sign{"MYR", "MYR"},  Sign{"SEK", "SEK"},
    Sign{"kr", "SEK"},  Sign{"Kr", "SEK"},   Sign{"KR", "SEK"},   Sign{"kr.", "SEK"},
    Sign{"£", "GBP"},   Sign{"GBP", "GBP"},  Sign{"CHF", "CHF"},  Sign{"DKK", "DKK"},
    Sign{"NOK", "NOK"}, Sign{"USD", "USD"},  Sign{"SGD", "SGD"}};

// The currency that a receipt's own words and amounts name most often. Letters that happen to be some
// country's code are not enough on paper that was misread here and there.
Found<std::string> receipt_currency(const std::vector<media::Page>& pages) {
    std::map<std::string_view, int> times;
    for (const media::Page& page : pages) {
        for (const media::Word& word : page.words) {
            for (const Sign& sign : kSigns) {
                const bool whole = word.text == sign.text;
                const bool before =
                    word.text.size() > sign.text.size() && word.text.starts_with(sign.text) &&
                    std::isdigit(static_cast<unsigned char>(word.text[sign.text.size()]));
                const bool within = sign.text == "€" && word.text.find("€") != std::string::npos;
                if (whole || before || within) {
                    ++times[sign.code];
                    break;
                }
            }
        }
    }
    const auto most =
        std::max_element(times.begin(), times.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == times.end()) return {};
    return {std::string{most->first}, most->second > 1 ? 0.9 : 0.6};
}

// Other currencies are believed only from the document's own rules, and only when often said.
constexpr std::array<std::string_view, 12> kKnown{"EUR", "SEK", "USD", "GBP", "MYR", "NOK",
                                                  "DKK", "CHF", "PLN", "CZK", "AUD", "CAD"};

template <class T>
Found<T> better(const Found<T>& first, const Found<T>& second) {
    if (!second) return first;
    return !first || second.confidence > first.confidence + 0.1 ? second : first;
}

bool items_come_to(const ReceiptText& text, const Found<Decimal>& total) {
    const auto sum = sum_of_items(text);
    return sum && total && *sum->value == *total;
}

// The items as they were read, or as the readers' other amounts or the second reading have them, if those come to
// the total.
void find_items_of(Receipt& out, const std::vector<media::Page>& pages, const ReceiptText& text,
                   const ReceiptText& second) {
    out.items = find_items(text);
    out.items_sum_up = items_come_to(text, out.total);
    if (!out.total || out.items_sum_up) return;
    const auto balance = [&](const std::vector<media::Page>& tried) {
        const bool right = items_come_to(receipt_text(tried), out.total);
        return Balance{right ? 1 : 0, right ? 0 : 1};
    };
    for (const ReceiptText& other : {receipt_text(settled(pages, balance)), second}) {
        if (!items_come_to(other, out.total)) continue;
        out.items = find_items(other);
        out.items_sum_up = true;
        return;
    }
}

// Words with an amount above the total, which are neither tax nor payment: something was bought there.
bool has_lines_of_items(const ReceiptText& text) {
    constexpr std::size_t kWordCharsMin = 3;
    for (const ReceiptLine& line : text.lines) {
        if (line.role == Role::Total || line.role == Role::GrandTotal) return false;
        if (line.role == Role::None && line.said.size() >= kWordCharsMin && line.last() != nullptr)
            return true;
    }
    return false;
}

}  // namespace

Receipt read_receipt(const std::vector<media::Page>& pages, const ReceiptOptions& options,
                     const std::vector<media::Page>& again) {
    const ReceiptText text = receipt_text(pages);
    const ReceiptText second = receipt_text(again);
    Receipt out;

    const Merchant seller = find_merchant(text);
    const Merchant seller_again = find_merchant(second);
    out.merchant = better(seller.name, seller_again.name);
    out.orgnr = better(seller.orgnr, seller_again.orgnr);
    out.address = better(seller.address, seller_again.address);

    const Purchase bought = find_purchase(text, date_style(pages), options.today);
    const Purchase bought_again = find_purchase(second, date_style(again), options.today);
    out.date = better(bought.date, bought_again.date);
    out.time = better(bought.time, bought_again.time);

    const auto totals = together(total_candidates(text), total_candidates(second));
    out.total = choose_total(totals);

    out.currency = receipt_currency(pages);
    if (!out.currency) out.currency = receipt_currency(again);
    const CurrencyChoice currency = document_currency(pages);
    const bool known = std::find(kKnown.begin(), kKnown.end(), currency.code) != kKnown.end();
    if (!out.currency && known) out.currency = {currency.code, currency.confidence};
    if (!out.currency && !options.currency_default.empty())
        out.currency = {options.currency_default, 0.3};

    keep_if_sure(out.merchant, options.merchant_sure, "merchant", out.review);
    keep_if_sure(out.date, options.date_sure, "date", out.review);
    keep_if_sure(out.total, options.total_sure, "total", out.review);

    const bool two_days = out.date && bought.other && bought.date && *bought.date == *out.date;
    const bool first_speaks = two_days && is_in_a_number(pages, *out.date);
    const bool other_speaks = two_days && is_in_a_number(pages, *bought.other);
    if (other_speaks && !first_speaks) {
        out.date.value = *bought.other;
    } else if (two_days && first_speaks == other_speaks) {
        out.date.confidence = std::min(out.date.confidence, kReadTwoWaysSure);
        out.review.push_back(
            fmt::format("date_read_two_ways: {} and {}", out.date->text(), bought.other->text()));
    }
    if (const auto other = other_total(pages, out.total, totals))
        out.review.push_back(
            fmt::format("total_read_two_ways: {} and {}", money_text(*out.total), *other));

    out.vat = find_vat(text, out.total);
    if (out.vat.empty()) out.vat = find_vat(second, out.total);
    find_items_of(out, pages, text, second);
    if (out.total && !out.items.empty() && !out.items_sum_up)
        out.review.push_back("items_do_not_sum_to_total");
    if (out.total && out.items.empty() && (has_lines_of_items(text) || has_lines_of_items(second)))
        out.review.push_back("items_not_read");

    const Payment paid = find_payment(text);
    out.payment_type = paid.type;
    out.card = paid.card;
    return out;
}

std::string receipt_json(const Receipt& receipt, const std::string& expense_type) {
    const auto text_or_null = [](const Found<std::string>& field) {
        return field ? belay::to_json(*field) : std::string{"null"};
    };
    std::string vat, items;
    for (const ReceiptVat& entry : receipt.vat) {
        vat += fmt::format("{}{{\"rate\":\"{}\",\"amount\":\"{}\"}}", vat.empty() ? "" : ",",
                           entry.rate.text(), money_text(entry.amount));
    }
    for (const ReceiptItem& item : receipt.items) {
        items += fmt::format("{}{{\"name\":{},\"quantity\":\"{}\",\"amount\":\"{}\"}}",
                             items.empty() ? "" : ",", belay::to_json(item.name),
                             item.quantity.text(), money_text(item.amount));
    }
    return fmt::format(
        "{{\"merchant\":{},\"orgnr\":{},\"address\":{},\"date\":{},\"total\":{},\"currency\":{},"
        "\"vat\":[{}],"
        "\"items\":[{}],\"payment_type\":{},\"expense_type\":{},\"review\":{}}}",
        text_or_null(receipt.merchant), text_or_null(receipt.orgnr), text_or_null(receipt.address),
        receipt.date ? belay::to_json(receipt.date->text()) : "null",
        receipt.total ? belay::to_json(money_text(*receipt.total)) : "null",
        text_or_null(receipt.currency), vat, items, text_or_null(receipt.payment_type),
        expense_type.empty() ? "null" : belay::to_json(expense_type),
        belay::to_json(receipt.review));
}

}  // namespace belay::ai::rules

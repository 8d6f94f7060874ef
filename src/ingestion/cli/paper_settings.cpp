#include "ingestion/cli/paper_settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "ingestion/cli/models.hpp"
#include "service/api/headers.hpp"

namespace belay::cli {

namespace {

using ai::rules::Decimal;

constexpr int kPagesMost = 10'000;
constexpr int kDaysMost = 366;

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view expected) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} is {}, not `{}`", name, expected, value));
}

// A variable that is set to nothing is not set.
std::optional<std::string> given(const Environment& environment, const std::string& name) {
    auto value = environment(name);
    if (value && value->empty()) value.reset();
    return value;
}

bool all_of(std::string_view text, bool (*is)(char)) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is);
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

void set_number(const Environment& environment, const std::string& name, int most, int& number) {
    const auto text = given(environment, name);
    if (!text) return;
    int value = 0;
    const char* end = text->data() + text->size();
    const auto [at, error] = std::from_chars(text->data(), end, value);
    if (error != std::errc{} || at != end || value < 1 || value > most)
        refuse(name, *text, fmt::format("a number from 1 to {}", most));
    number = value;
}

// BAS numbers an account with four digits; other charts have up to eight.
std::string checked_account(std::string_view name, std::string_view text) {
    if (!all_of(text, is_digit) || text.size() < 3 || text.size() > 8)
        refuse(name, text, "the number of an account, such as 5790");
    return std::string(text);
}

void set_account(const Environment& environment, const std::string& name, std::string& account) {
    if (const auto text = given(environment, name)) account = checked_account(name, *text);
}

// "hotell=5831, taxi=5800"
std::vector<ai::rules::AccountRule> account_rules(const Environment& environment) {
    const std::string name = "BELAY_PAPER_ACCOUNT_RULES";
    std::vector<ai::rules::AccountRule> rules;
    const std::string text = given(environment, name).value_or("");
    for (const std::string_view item : api::list_items(text)) {
        const auto equals = item.rfind('=');
        const auto merchant = api::trimmed(item.substr(0, equals));
        if (equals == std::string_view::npos || merchant.empty())
            refuse(name, item, "words of merchants and accounts, such as hotell=5831, taxi=5800");
        rules.push_back(
            {std::string(merchant), checked_account(name, api::trimmed(item.substr(equals + 1)))});
    }
    return rules;
}

std::vector<std::string> company_cards(const Environment& environment) {
    const std::string name = "BELAY_PAPER_COMPANY_CARDS";
    std::vector<std::string> cards;
    const std::string text = given(environment, name).value_or("");
    for (const std::string_view card : api::list_items(text)) {
        if (card.size() != 4 || !all_of(card, is_digit))
            refuse(name, card, "the last four digits of each card, such as 1234, 5678");
        cards.emplace_back(card);
    }
    return cards;
}

}  // namespace

workflows::PaperOptions paper_options(const Environment& environment) {
    workflows::PaperOptions options;
    if (const auto currency = given(environment, "BELAY_PAPER_CURRENCY")) {
        if (currency->size() != 3 || !all_of(*currency, is_capital))
            refuse("BELAY_PAPER_CURRENCY", *currency, "three capital letters, such as SEK");
        options.currency_default = *currency;
    }
    options.company_cards_last_4 = company_cards(environment);
    set_number(environment, "BELAY_PAPER_PAGES_MAX", kPagesMost, options.pages_max);
    if (const auto text = given(environment, "BELAY_PAPER_REVIEW_BELOW")) {
        const auto share = Decimal::parse(*text);
        if (!share || *share < Decimal{0, 0} || *share > Decimal{1, 0})
            refuse("BELAY_PAPER_REVIEW_BELOW", *text, "a share from 0 to 1, such as 0.7");
        options.review_below = share->approx();
    }
    set_number(environment, "BELAY_PAPER_MATCH_DAYS", kDaysMost, options.matching.days);
    if (const auto text = given(environment, "BELAY_PAPER_MATCH_AMOUNT")) {
        const auto amount = Decimal::parse(*text);
        if (!amount || *amount < Decimal{0, 0})
            refuse("BELAY_PAPER_MATCH_AMOUNT", *text, "an amount, such as 10.00");
        options.matching.tolerance = *amount;
    }
    options.model_patience = model_patience(environment);
    if (const auto text = given(environment, "BELAY_PAPER_PAGE_PICTURES")) {
        if (*text != "on" && *text != "off")
            refuse("BELAY_PAPER_PAGE_PICTURES", *text, "on or off");
        options.keep_pages = *text == "on";
    }
    options.accounting.rules = account_rules(environment);
    set_account(environment, "BELAY_PAPER_COST_ACCOUNT", options.accounting.cost_account);
    set_account(environment, "BELAY_PAPER_CARD_ACCOUNT", options.accounting.paid_by_company_card);
    set_account(environment, "BELAY_PAPER_OWED_ACCOUNT", options.accounting.owed);
    return options;
}

std::vector<std::pair<std::string, std::string>> helper_environment(
    const Environment& environment) {
    constexpr std::array kNames{"BELAY_OCR_MODELS", "BELAY_READER_FOLDER",
                                "BELAY_CLASSIFIER_FOLDER", "TESSDATA_PREFIX"};
    std::vector<std::pair<std::string, std::string>> told;
    for (const char* name : kNames) {
        if (auto value = given(environment, name)) told.emplace_back(name, *std::move(value));
    }
    return told;
}

}  // namespace belay::cli

#include "core/model/budget.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <boost/describe.hpp>
#include <boost/json.hpp>

#include <belay/at_most.hpp>
#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/base/utf8.hpp"

namespace belay {

AtMost::AtMost(std::string_view amount, std::string_view currency, std::int64_t tokens)
    : AtMost(Money(amount, currency), tokens) {}

AtMost::AtMost(const Money& money, std::int64_t tokens) : tokens_(tokens), is_said_(true) {
    const std::string amount = money.amount();
    if (model::is_negative(money) || tokens < 0) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a step costs {} {} and {} tokens at most: neither may be below "
                                "zero",
                                amount, money.currency(), tokens));
    }
    std::memcpy(amount_.data(), amount.data(), std::min(amount.size(), amount_.size() - 1));
    std::memcpy(currency_.data(), money.currency().data(),
                std::min(money.currency().size(), currency_.size() - 1));
}

AtMost AtMost::tokens(std::int64_t count) { return {Money{}, count}; }

Cost AtMost::cost() const {
    Cost cost;
    if (currency_[0] != '\0') cost.pay(Money(amount_.data(), currency_.data()));
    cost.tokens_in = tokens_;
    return cost;
}

namespace model {

namespace {

constexpr std::size_t kNameCharsMax = 64;

bool is_plain_name(std::string_view name) {
    return !name.empty() && name.size() <= kNameCharsMax &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.';
           });
}

struct Row {
    std::optional<std::string> amount;
    std::optional<std::string> currency;
    std::optional<std::int64_t> tokens;
    std::string per;
    std::optional<std::string> workflow;
    std::optional<std::string> organization;
};
BOOST_DESCRIBE_STRUCT(Row, (), (amount, currency, tokens, per, workflow, organization))

std::string_view per_text(BudgetPer per) { return per == BudgetPer::Run ? "run" : "day"; }

boost::json::object stored_json(const Budget& budget) {
    boost::json::object out;
    if (budget.tokens != 0) {
        out["tokens"] = budget.tokens;
    } else {
        out["amount"] = budget.money.amount();
        out["currency"] = budget.money.currency();
    }
    out["per"] = per_text(budget.per);
    if (!budget.workflow.empty()) out["workflow"] = budget.workflow;
    if (!budget.organization.empty()) out["organization"] = budget.organization;
    return out;
}

Money of_tokens(std::int64_t count) { return {std::to_string(count), kTokenUnit}; }

}  // namespace

void check_budget(const std::string& name, const Budget& budget) {
    const auto refuse = [&](const std::string& why) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("budget `{}`: {}", base::truncate(base::to_valid_utf8(name), 80), why));
    };
    if (!is_plain_name(name)) {
        refuse(fmt::format("a name has 1 to {} letters, digits, `.`, `-` and `_`", kNameCharsMax));
    }
    const bool has_money = !budget.money.currency().empty();
    if (has_money == (budget.tokens != 0)) {
        refuse("it limits either money or tokens: give one of them, above zero");
    }
    if (budget.tokens < 0 || is_negative(budget.money) || (has_money && budget.money.is_zero()))
        refuse("its limit has to be above zero");
    if (budget.money.currency() == kTokenUnit) {
        refuse(fmt::format("{} is no currency: tokens are limited by `tokens`", kTokenUnit));
    }
}

std::string declaration_of(const Budget& budget) { return budget_text(budget); }

bool counts(const Budget& budget, std::string_view organization_id, std::string_view workflow_key) {
    if (!budget.workflow.empty() && budget.workflow != workflow_key) return false;
    return budget.organization == kAllOrganizations || budget.organization == organization_id;
}

Money limit_of(const Budget& budget) {
    return budget.tokens != 0 ? of_tokens(budget.tokens) : budget.money;
}

Money counted(const Cost& cost, const Budget& budget) {
    if (budget.tokens != 0) return of_tokens(cost.tokens_in) + of_tokens(cost.tokens_out);
    const auto found = cost.money.find(budget.money.currency());
    return found == cost.money.end() ? Money("0", budget.money.currency()) : found->second;
}

Money difference(const Money& a, const Money& b) { return a + b.times(-1); }

bool is_negative(const Money& amount) { return amount.amount().front() == '-'; }

Cost difference(const Cost& a, const Cost& b) {
    Cost out;
    out.money = a.money;
    for (const auto& [currency, amount] : b.money) out.pay(amount.times(-1));
    out.tokens_in = a.tokens_in - b.tokens_in;
    out.tokens_out = a.tokens_out - b.tokens_out;
    return out;
}

std::string day_text(Time now) { return base::format_time(now).substr(0, 10); }

std::string period_of(const Budget& budget, RunNo run, const std::string& day) {
    return budget.per == BudgetPer::Run ? fmt::format("run {}", run.value) : day;
}

std::string amount_text(const Money& amount) {
    if (amount.currency() == kTokenUnit) return fmt::format("{} tokens", amount.amount());
    return fmt::format("{} {}", amount.amount(), amount.currency());
}

std::string limit_text(const Budget& budget) {
    std::string text = fmt::format("{} a {}", amount_text(limit_of(budget)), per_text(budget.per));
    if (!budget.workflow.empty()) text += fmt::format(" for {}", budget.workflow);
    if (budget.organization == kAllOrganizations) {
        text += budget.per == BudgetPer::Day ? ", all organizations together"
                                             : ", of every organization";
    }
    return text;
}

std::string sentence_of(const Reached& reached, std::string_view stage) {
    const Budget& budget = reached.budget.budget;
    std::string text =
        fmt::format("step `{}` may cost {}, and budget `{}` ({}", stage, amount_text(reached.asked),
                    reached.budget.name, limit_text(budget));
    if (reached.limit != limit_of(budget))
        text += fmt::format(", raised to {}", amount_text(reached.limit));
    text += ")";
    const bool is_shared = budget.organization == kAllOrganizations && budget.per == BudgetPer::Day;
    if (is_shared) {
        text += " has not that much left";
    } else {
        text += fmt::format(" has {} spent and {} reserved", amount_text(reached.spent),
                            amount_text(reached.reserved));
    }
    return text + ". The call was not made.";
}

std::string budget_text(const Budget& budget) {
    return boost::json::serialize(stored_json(budget));
}

Budget read_budget(std::string_view json) {
    const auto row = from_json<Row>(json);
    Budget budget;
    if (row.amount || row.currency)
        budget.money = Money(row.amount.value_or("0"), row.currency.value_or(""));
    budget.tokens = row.tokens.value_or(0);
    if (row.per != "run" && row.per != "day") {
        throw Error(ErrorCode::BadValue,
                    fmt::format("a budget is per run or per day, not per `{}`",
                                base::truncate(base::to_valid_utf8(row.per), 40)));
    }
    budget.per = row.per == "run" ? BudgetPer::Run : BudgetPer::Day;
    budget.workflow = row.workflow.value_or("");
    budget.organization = row.organization.value_or("");
    return budget;
}

boost::json::object budget_json(const BudgetInfo& info) {
    const auto or_null = [](const std::string& text) {
        return text.empty() ? boost::json::value(nullptr) : boost::json::value(text);
    };
    const Budget& budget = info.budget;
    return {{"name", info.name},
            {"set_by", info.set_by},
            {"organization", budget.organization},
            {"workflow", or_null(budget.workflow)},
            {"per", per_text(budget.per)},
            {"unit", budget.tokens != 0 ? "tokens" : budget.money.currency()},
            {"amount", limit_of(budget).amount()},
            {"period", or_null(info.period)},
            {"limit", info.limit.amount()},
            {"spent", info.spent.amount()},
            {"reserved", info.reserved.amount()}};
}

}  // namespace model
}  // namespace belay

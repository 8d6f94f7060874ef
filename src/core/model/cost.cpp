#include "core/model/cost.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/base/utf8.hpp"

namespace belay {

namespace {

void add(std::int64_t& sum, std::int64_t more, std::string_view what) {
    if (__builtin_add_overflow(sum, more, &sum))
        throw Error(ErrorCode::InvalidArgument, fmt::format("the sum of {} does not fit", what));
}

bool is_counter_name(std::string_view name) {
    if (name.empty() || name.size() > base::kCounterNameCharsMax) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    });
}

std::int64_t whole_number(const boost::json::object& json, std::string_view name) {
    const auto* value = json.if_contains(name);
    if (value == nullptr) return 0;
    boost::json::error_code error;
    const auto number = value->to_number<std::int64_t>(error);
    if (error) throw std::invalid_argument(fmt::format("{} is not a whole number", name));
    return number;
}

const boost::json::object* inner(const boost::json::object& json, std::string_view name) {
    const auto* value = json.if_contains(name);
    if (value == nullptr) return nullptr;
    if (!value->is_object()) throw std::invalid_argument(fmt::format("{} is not an object", name));
    return &value->get_object();
}

}  // namespace

Cost& Cost::pay(const Money& amount) {
    if (amount.currency().empty()) return *this;
    const auto known = money.find(amount.currency());
    if (known != money.end()) {
        known->second += amount;
        return *this;
    }
    if (money.size() >= base::kCostCurrenciesMax) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a cost has at most {} currencies, and {} is one more",
                                base::kCostCurrenciesMax, amount.currency()));
    }
    money.emplace(amount.currency(), amount);
    return *this;
}

Cost& Cost::count(std::string_view name, std::int64_t times) {
    if (!is_counter_name(name)) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("`{}` is not the name of a counter: 1 to {} letters, digits, `_`, `-` "
                        "and `.`",
                        base::truncate(base::to_valid_utf8(name), 80), base::kCounterNameCharsMax));
    }
    const auto known = counters.find(std::string{name});
    if (known != counters.end()) {
        add(known->second, times, name);
        return *this;
    }
    if (counters.size() >= base::kCostCountersMax) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a cost has at most {} counters, and {} is one more",
                                base::kCostCountersMax, name));
    }
    counters.emplace(name, times);
    return *this;
}

Cost& Cost::operator+=(const Cost& other) {
    Cost sum = *this;  // all or nothing
    for (const auto& [currency, amount] : other.money) sum.pay(amount);
    add(sum.tokens_in, other.tokens_in, "tokens in");
    add(sum.tokens_out, other.tokens_out, "tokens out");
    std::int64_t ms = sum.time.count();
    add(ms, other.time.count(), "times");
    sum.time = Duration{ms};
    for (const auto& [name, times] : other.counters) sum.count(name, times);
    return *this = std::move(sum);
}

bool Cost::empty() const {
    const auto is_zero = [](const auto& counter) { return counter.second == 0; };
    return std::all_of(money.begin(), money.end(),
                       [](const auto& amount) { return amount.second.is_zero(); }) &&
           tokens_in == 0 && tokens_out == 0 && time == Duration{0} &&
           std::all_of(counters.begin(), counters.end(), is_zero);
}

std::string to_string(const Cost& cost) {
    std::vector<std::string> parts;
    for (const auto& [currency, amount] : cost.money)
        parts.push_back(fmt::format("{} {}", amount.amount(), currency));
    if (cost.tokens_in != 0 || cost.tokens_out != 0) {
        parts.push_back(fmt::format("{} tokens in", cost.tokens_in));
        parts.push_back(fmt::format("{} out", cost.tokens_out));
    }
    if (cost.time != Duration{0}) parts.push_back(base::format_duration(cost.time));
    for (const auto& [name, times] : cost.counters)
        parts.push_back(fmt::format("{} {}", times, name));
    return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

void Codec<Cost>::write(std::string& out, const Cost& cost) {
    out += boost::json::serialize(model::cost_json(cost));
}

Cost Codec<Cost>::read(const boost::json::value& json) {
    if (!json.is_object()) throw std::invalid_argument("expected a cost, which is an object");
    const auto& object = json.get_object();
    Cost cost;
    if (const auto* money = inner(object, "money")) {
        for (const auto& [currency, amount] : *money) {
            if (!amount.is_string())
                throw std::invalid_argument("an amount of money is not a string");
            cost.pay(Money(amount.get_string(), currency));
        }
    }
    cost.tokens_in = whole_number(object, "tokens_in");
    cost.tokens_out = whole_number(object, "tokens_out");
    cost.time = Duration{whole_number(object, "time_ms")};
    if (const auto* counters = inner(object, "counters")) {
        for (const auto& counter : *counters)
            cost.count(counter.key(), whole_number(*counters, counter.key()));
    }
    return cost;
}

namespace model {

Cost cost_of(const Stage& stage) {
    if (!stage.cost) return {};
    try {
        return from_json<Cost>(*stage.cost);
    } catch (const Error&) {
        return {};
    }
}

Cost cost_of(const std::vector<Stage>& stages) {
    Cost sum;
    for (const Stage& stage : stages) {
        if (stage.cost) sum += cost_of(stage);
    }
    return sum;
}

boost::json::object cost_json(const Cost& cost) {
    boost::json::object out;
    if (!cost.money.empty()) {
        boost::json::object money;
        for (const auto& [currency, amount] : cost.money) money[currency] = amount.amount();
        out["money"] = std::move(money);
    }
    if (cost.tokens_in != 0) out["tokens_in"] = cost.tokens_in;
    if (cost.tokens_out != 0) out["tokens_out"] = cost.tokens_out;
    if (cost.time != Duration{0}) out["time_ms"] = cost.time.count();
    if (!cost.counters.empty()) {
        boost::json::object counters;
        for (const auto& [name, times] : cost.counters) counters[name] = times;
        out["counters"] = std::move(counters);
    }
    return out;
}

Saved saved_by(const std::vector<Stage>& stages, const std::vector<Time>& picked_up_at) {
    Saved saved;
    for (const Stage& stage : stages) {
        const bool is_work = stage.kind == StageKind::Step || stage.kind == StageKind::Transaction;
        if (!is_work || stage.status != StageStatus::Succeeded || !stage.finished_at) continue;
        const auto times = std::count_if(picked_up_at.begin(), picked_up_at.end(),
                                         [&](Time at) { return at >= *stage.finished_at; });
        const Cost cost = times > 0 ? cost_of(stage) : Cost{};
        for (std::ptrdiff_t i = 0; i < times; ++i) {
            ++saved.steps;
            if (stage.started_at) saved.time += *stage.finished_at - *stage.started_at;
            saved.cost += cost;
        }
    }
    return saved;
}

boost::json::object saved_json(const Saved& saved) {
    return {
        {"steps", saved.steps}, {"time_ms", saved.time.count()}, {"cost", cost_json(saved.cost)}};
}

}  // namespace model
}  // namespace belay

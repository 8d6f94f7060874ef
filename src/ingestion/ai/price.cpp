#include "ingestion/ai/price.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::ai {
namespace {

// A bound on what a server may claim: more tokens than any context holds are a lie, not a bill.
constexpr std::int64_t kTokensMax = 1'000'000'000;
constexpr std::int64_t kMillion = 1'000'000;

// At most six digits on each side of the point: what any list has, and what a billion tokens can be multiplied with.
Money checked(std::string_view price, std::string_view currency) {
    const auto point = price.find('.');
    const auto whole = price.substr(0, point);
    const auto fraction = point == std::string_view::npos ? "" : price.substr(point + 1);
    const bool is_plain = price.find_first_not_of("0123456789.") == std::string_view::npos;
    const bool ends_open = point != std::string_view::npos && fraction.empty();
    if (!is_plain || whole.empty() || whole.size() > 6 || fraction.size() > 6 || ends_open ||
        fraction.find('.') != std::string_view::npos) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format(
                "price `{}`: a decimal such as 0.15, with at most 6 digits behind the point, is "
                "needed (for a million tokens)",
                price));
    }
    return Money(price, currency);
}

}  // namespace

Price Price::per_million(std::string_view in, std::string_view out, std::string_view currency) {
    return {checked(in, currency), checked(out, currency)};
}

Cost priced(const Prices& prices, std::string_view model, std::int64_t tokens_in,
            std::int64_t tokens_out) {
    Cost cost;
    cost.tokens_in = std::clamp<std::int64_t>(tokens_in, 0, kTokensMax);
    cost.tokens_out = std::clamp<std::int64_t>(tokens_out, 0, kTokensMax);
    const auto price = prices.find(model);
    if (price == prices.end()) return cost;
    cost.pay(price->second.in.times(cost.tokens_in, kMillion) +
             price->second.out.times(cost.tokens_out, kMillion));
    return cost;
}

AtMost at_most(const Cost& cost) {
    const std::int64_t tokens = cost.tokens_in + cost.tokens_out;
    if (!cost.money.empty()) return {cost.money.begin()->second, tokens};
    return tokens > 0 ? AtMost::tokens(tokens) : AtMost{};
}

}  // namespace belay::ai

#include "ai/usage.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::ai {
namespace {

constexpr std::int64_t kOne = 1'000'000'000'000;

// "0.15" for a million is 150,000 pico for one: six decimals exactly.
std::int64_t pico_per_token(std::string_view per_million) {
    const auto refuse = [&] {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format(
                "price `{}`: a decimal such as 0.15, with at most 6 digits behind the point, is "
                "needed (for a million tokens)",
                per_million));
    };
    const auto point = per_million.find('.');
    const auto whole = per_million.substr(0, point);
    const auto fraction = point == std::string_view::npos ? "" : per_million.substr(point + 1);
    if (whole.empty() || whole.size() > 6 || fraction.size() > 6 ||
        (point != std::string_view::npos && fraction.empty())) {
        refuse();
    }
    std::int64_t value = 0;
    const auto digits =
        std::string(whole) + std::string(fraction) + std::string(6 - fraction.size(), '0');
    for (const char c : digits) {
        if (c < '0' || c > '9') refuse();
        value = value * 10 + (c - '0');
    }
    return value;
}

}  // namespace

std::string Usage::cost() const {
    auto text = fmt::format("{}.{:012}", cost_pico / kOne, cost_pico % kOne);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
}

Usage& Usage::operator+=(const Usage& other) {
    tokens_in += other.tokens_in;
    tokens_out += other.tokens_out;
    cost_pico += other.cost_pico;
    if (currency.empty()) currency = other.currency;
    return *this;
}

Price Price::per_million(std::string_view in, std::string_view out, std::string currency) {
    return {pico_per_token(in), pico_per_token(out), std::move(currency)};
}

Usage priced(const Prices& prices, std::string_view model, std::int64_t tokens_in,
             std::int64_t tokens_out) {
    // A bound on what a server may claim: more tokens than any context holds are a lie, not a bill.
    constexpr std::int64_t kTokensMax = 1'000'000'000;
    Usage usage{std::clamp<std::int64_t>(tokens_in, 0, kTokensMax),
                std::clamp<std::int64_t>(tokens_out, 0, kTokensMax),
                0,
                {}};
    const auto price = prices.find(model);
    if (price == prices.end()) return usage;
    const auto cost = static_cast<__int128>(usage.tokens_in) * price->second.in_pico +
                      static_cast<__int128>(usage.tokens_out) * price->second.out_pico;
    usage.cost_pico = static_cast<std::int64_t>(std::min<__int128>(cost, INT64_MAX / 4));
    usage.currency = price->second.currency;
    return usage;
}

}  // namespace belay::ai

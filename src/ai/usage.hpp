// usage.hpp — what a model call cost: tokens, and money exactly.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <boost/describe.hpp>

namespace belay::ai {

// Money in units of 10⁻¹² (a token costs less than a millionth): exact sums, never floating point.
struct Usage {
    std::int64_t tokens_in = 0;
    std::int64_t tokens_out = 0;
    std::int64_t cost_pico = 0;
    std::string currency{};  // empty: the price of the model is not known

    // "0.000375", the shortest exact form.
    std::string cost() const;

    Usage& operator+=(const Usage& other);
};
BOOST_DESCRIBE_STRUCT(Usage, (), (tokens_in, tokens_out, cost_pico, currency))

// For a million tokens, as price lists have it.
struct Price {
    std::int64_t in_pico = 0;   // for one token
    std::int64_t out_pico = 0;  // for one token
    std::string currency = "USD";

    // From decimals such as "0.15" and "0.60" for a million tokens. Throws Error{InvalidArgument} naming
    // what is no such number.
    static Price per_million(std::string_view in, std::string_view out,
                             std::string currency = "USD");
};

// Prices by model name, from the configuration.
using Prices = std::map<std::string, Price, std::less<>>;

// Tokens with the price of `model`; without one the cost stays unknown.
Usage priced(const Prices& prices, std::string_view model, std::int64_t tokens_in,
             std::int64_t tokens_out);

}  // namespace belay::ai

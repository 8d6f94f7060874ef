// price.hpp — what a model call costs: its tokens, and money where the model's price is configured.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <belay/at_most.hpp>
#include <belay/cost.hpp>

namespace belay::ai {

// For a million tokens, as price lists have it.
struct Price {
    Money in{};
    Money out{};

    // From decimals such as "0.15" and "0.60". Throws Error{InvalidArgument} naming what is no such number.
    static Price per_million(std::string_view in, std::string_view out,
                             std::string_view currency = "USD");
};

// Prices by model name, from the configuration.
using Prices = std::map<std::string, Price, std::less<>>;

// Tokens with the price of `model`; without one no money.
Cost priced(const Prices& prices, std::string_view model, std::int64_t tokens_in,
            std::int64_t tokens_out);

// As a step says it. A budget's limit is in one currency, and so is this: of several, the first by name. Nothing for
// what is free.
AtMost at_most(const Cost& cost);

}  // namespace belay::ai

// at_most.hpp — what a paid step may cost at most, in one attempt.
//
//     const belay::StepOptions paid{.costs_at_most = {"0.05", "USD", 4'000}};   // and 4,000 tokens
//     const belay::StepOptions free{.costs_at_most = belay::AtMost::tokens(4'000)};
//
// It is reserved from every budget (budget.hpp) that counts the run before the step is called. docs/budgets.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace belay {

class Money;
struct Cost;

// Holds no resource, so that it may be written inside a co_await expression (see docs on g++ 12).
class AtMost {
public:
    AtMost() = default;  // it does not say

    // Money in one currency, and tokens in and out together. Throws Error{InvalidArgument} as Money does, and for
    // what is below zero.
    AtMost(std::string_view amount, std::string_view currency, std::int64_t tokens = 0);
    AtMost(const Money& money, std::int64_t tokens = 0);  // NOLINT: `= price.times(n)` is what it is for
    static AtMost tokens(std::int64_t count);

    bool is_said() const { return is_said_; }
    Cost cost() const;

private:
    std::array<char, 32> amount_{};  // as Money writes it
    std::array<char, 4> currency_{};
    std::int64_t tokens_ = 0;
    bool is_said_ = false;
};

}  // namespace belay

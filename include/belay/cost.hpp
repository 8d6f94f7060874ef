// cost.hpp — what something cost: money, tokens, time, and whatever else is counted. Exact, as values.
//
//     belay::Cost cost;
//     cost.pay(belay::Money("0.15", "USD").times(reply.tokens, 1'000'000));
//     cost.tokens_in = reply.tokens;
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include <belay/codec.hpp>
#include <belay/time.hpp>

namespace belay {

// An exact decimal amount, to a billionth, in one currency. Never a floating-point number.
class Money {
public:
    Money() = default;  // nothing, in no currency

    // "12.50", "-0.000015"; a currency is three capital letters. Throws Error{InvalidArgument} for
    // anything else, more than nine decimals, or more than eighteen digits before them.
    Money(std::string_view amount, std::string_view currency);

    // What `count` cost if this is the price of `per`: Money("0.15", "USD").times(1200, 1'000'000).
    // Rounded to the nearest billionth, halves away from zero. Throws Error{InvalidArgument} if `per` is
    // not above zero or the amount would not fit.
    Money times(std::int64_t count, std::int64_t per = 1) const;

    // Throws Error{InvalidArgument} if the currencies differ (nothing has any) or the sum does not fit.
    Money& operator+=(const Money& other);
    friend Money operator+(Money a, const Money& b) { return a += b; }

    // The shortest text with all of it: "12.5", "0.000015", "0".
    std::string amount() const;
    const std::string& currency() const { return currency_; }
    bool is_zero() const { return units_ == 0 && nanos_ == 0; }

    friend bool operator==(const Money&, const Money&) = default;

private:
    std::int64_t units_ = 0;
    std::int32_t nanos_ = 0;  // of the same sign as the units
    std::string currency_{};
};

struct Cost {
    std::map<std::string, Money> money{};  // by currency; see pay()
    std::int64_t tokens_in = 0;
    std::int64_t tokens_out = 0;
    Duration time{0};                                // of a machine that is paid by the second
    std::map<std::string, std::int64_t> counters{};  // "fetches", "embeddings", …

    // Adds an amount. Throws as Money's += does, and Error{InvalidArgument} above eight currencies.
    Cost& pay(const Money& amount);

    // Adds to a counter: 1 to 64 letters, digits, '_', '-', '.'. Throws Error{InvalidArgument} for another
    // name, and above 32 counters.
    Cost& count(std::string_view name, std::int64_t times = 1);

    // Throws Error{InvalidArgument} for a sum that does not fit, or above the limits.
    Cost& operator+=(const Cost& other);
    friend Cost operator+(Cost a, const Cost& b) { return a += b; }

    bool empty() const;

    friend bool operator==(const Cost&, const Cost&) = default;
};

// For people: "0.0125 USD, 800 tokens in, 120 out, 3 fetches"; "nothing" if empty.
std::string to_string(const Cost& cost);

// {"amount": "12.5", "currency": "USD"}
template <>
struct Codec<Money> {
    static void write(std::string& out, const Money& money);
    static Money read(const boost::json::value& json);
};

// {"money": {"USD": "0.0125"}, "tokens_in": 800, "tokens_out": 120, "time_ms": 1500,
//  "counters": {"fetches": 3}}, without what is zero.
template <>
struct Codec<Cost> {
    static void write(std::string& out, const Cost& cost);
    static Cost read(const boost::json::value& json);
};

}  // namespace belay

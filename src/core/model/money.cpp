// money.cpp — decimal arithmetic in 128 bits, so that no step of it can lose a digit unseen.
#include <limits>

#include <fmt/format.h>

#include <belay/cost.hpp>

#include "core/base/utf8.hpp"

namespace belay {

namespace {

__extension__ using Wide = __int128;  // ISO C++ has no name for it

constexpr std::int64_t kNanos = 1'000'000'000;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::InvalidArgument, why); }

[[noreturn]] void refuse_amount(std::string_view amount) {
    refuse(
        fmt::format("`{}` is not an amount of money: write a decimal number such as 12.50, with at "
                    "most 9 decimals and 18 digits before them",
                    base::truncate(base::to_valid_utf8(amount), 40)));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_currency(std::string_view text) {
    if (text.size() != 3) return false;
    for (const char c : text) {
        if (c < 'A' || c > 'Z') return false;
    }
    return true;
}

// In billionths.
Wide parse(std::string_view amount) {
    std::string_view rest = amount;
    const bool negative = rest.starts_with('-');
    if (negative) rest.remove_prefix(1);
    const auto dot = rest.find('.');
    const std::string_view whole = rest.substr(0, dot);
    const std::string_view part = dot == std::string_view::npos ? "0" : rest.substr(dot + 1);
    if (whole.empty() || whole.size() > 18 || part.empty() || part.size() > 9)
        refuse_amount(amount);
    Wide sum = 0;
    for (const char c : whole) {
        if (!is_digit(c)) refuse_amount(amount);
        sum = sum * 10 + (c - '0');
    }
    for (std::size_t i = 0; i < 9; ++i) {
        if (i < part.size() && !is_digit(part[i])) refuse_amount(amount);
        sum = sum * 10 + (i < part.size() ? part[i] - '0' : 0);
    }
    return negative ? -sum : sum;
}

struct Parts {
    std::int64_t units;
    std::int32_t nanos;
};

Parts parts_of(Wide nanos) {
    // Eighteen digits, as parse allows.
    constexpr Wide kMax = Wide{1'000'000'000'000'000'000} * kNanos;
    if (nanos >= kMax || nanos <= -kMax)
        refuse("an amount of money has grown beyond 18 digits before the decimal point");
    return {static_cast<std::int64_t>(nanos / kNanos), static_cast<std::int32_t>(nanos % kNanos)};
}

}  // namespace

Money::Money(std::string_view amount, std::string_view currency) : currency_(currency) {
    if (!is_currency(currency)) {
        refuse(fmt::format("`{}` is not a currency: three capital letters, such as EUR",
                           base::truncate(base::to_valid_utf8(currency), 20)));
    }
    const auto [units, nanos] = parts_of(parse(amount));
    units_ = units;
    nanos_ = nanos;
}

Money Money::times(std::int64_t count, std::int64_t per) const {
    if (per <= 0) refuse(fmt::format("a price for {} of something is none", per));
    const Wide price = Wide{units_} * kNanos + nanos_;
    // At most 90 + 63 bits, which is too many: divide what can be divided first.
    const Wide whole = price / per;
    const Wide rest = price % per;
    constexpr Wide kFits = Wide{1} << 100;
    if (count != 0 &&
        (whole < 0 ? -whole : whole) > kFits / (count < 0 ? -Wide{count} : Wide{count}))
        refuse("an amount of money has grown beyond 18 digits before the decimal point");
    const Wide twice = 2 * rest * count;  // rest < per < 2^63
    const Wide half_up = (twice < 0 ? twice - per : twice + per) / (2 * Wide{per});
    const auto [units, nanos] = parts_of(whole * count + half_up);
    Money out;
    out.units_ = units;
    out.nanos_ = nanos;
    out.currency_ = currency_;
    return out;
}

Money& Money::operator+=(const Money& other) {
    if (other.currency_.empty()) return *this;
    if (currency_.empty()) return *this = other;
    if (currency_ != other.currency_) {
        refuse(fmt::format("{} and {} cannot be added: they are two currencies", currency_,
                           other.currency_));
    }
    const auto [units, nanos] =
        parts_of(Wide{units_} * kNanos + nanos_ + Wide{other.units_} * kNanos + other.nanos_);
    units_ = units;
    nanos_ = nanos;
    return *this;
}

std::string Money::amount() const {
    const bool negative = units_ < 0 || nanos_ < 0;
    std::string out = fmt::format("{}{}", negative ? "-" : "", units_ < 0 ? -units_ : units_);
    if (nanos_ == 0) return out;
    out += fmt::format(".{:09}", nanos_ < 0 ? -nanos_ : nanos_);
    while (out.back() == '0') out.pop_back();
    return out;
}

void Codec<Money>::write(std::string& out, const Money& money) {
    out += fmt::format(R"({{"amount":"{}","currency":"{}"}})", money.amount(), money.currency());
}

Money Codec<Money>::read(const boost::json::value& json) {
    const auto* object = json.if_object();
    const auto* amount = object == nullptr ? nullptr : object->if_contains("amount");
    const auto* currency = object == nullptr ? nullptr : object->if_contains("currency");
    if (amount == nullptr || currency == nullptr || !amount->is_string() || !currency->is_string())
        throw std::invalid_argument(
            "expected money as {\"amount\": \"12.50\", \"currency\": \"EUR\"}");
    if (currency->get_string().empty() && amount->get_string() == "0") return {};
    return Money(amount->get_string(), currency->get_string());
}

}  // namespace belay

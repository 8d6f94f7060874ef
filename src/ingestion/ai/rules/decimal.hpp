// decimal.hpp — exact decimal numbers: money, quantities, prices and rates as they were printed.
//
// A whole number of units and where the point stands; nothing is ever rounded unless asked for. Sums
// that leave the range stay at its end instead of wrapping: such a value fails every check it meets.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <belay/codec.hpp>

namespace belay::ai::rules {

class Decimal {
public:
    // Digits behind the point, at most; prices per kWh have five, exchange rates six.
    static constexpr int kScaleMax = 6;
    // Digits before the point, at most: the largest amounts on real documents have ten.
    static constexpr int kWholeDigitsMax = 11;

    constexpr Decimal() = default;
    // `units` / 10^`scale`; `scale` from 0 to kScaleMax.
    constexpr Decimal(std::int64_t units, int scale) : units_(units), scale_(scale) {}

    // Reads "-1234.50": digits with an optional minus and point, nothing else. Nothing if `text` is
    // anything else or has more digits than the limits above.
    static std::optional<Decimal> parse(std::string_view text);

    std::int64_t units() const { return units_; }
    int scale() const { return scale_; }
    bool is_zero() const { return units_ == 0; }
    bool is_negative() const { return units_ < 0; }

    // "-1234.50", with as many decimals as its scale.
    std::string text() const;
    // Rounded half away from zero when decimals are lost.
    Decimal rescaled(int scale) const;
    Decimal abs() const { return units_ < 0 ? -*this : *this; }
    // For scores and distances, never for money.
    double approx() const;

    Decimal operator-() const { return {-units_, scale_}; }
    friend Decimal operator+(Decimal a, Decimal b);
    friend Decimal operator-(Decimal a, Decimal b) { return a + -b; }
    friend Decimal operator*(Decimal a, Decimal b);  // rounded to kScaleMax decimals
    // By value: 1.5 equals 1.50.
    friend std::strong_ordering operator<=>(Decimal a, Decimal b);
    friend bool operator==(Decimal a, Decimal b) { return (a <=> b) == 0; }

private:
    std::int64_t units_ = 0;
    int scale_ = 0;
};

// Money as results show it: two decimals.
std::string money_text(Decimal amount);

// Whether `a` and `b` differ by at most `tolerance`.
bool near(Decimal a, Decimal b, Decimal tolerance = Decimal{1, 2});

}  // namespace belay::ai::rules

// In JSON a decimal is its text, so that no reader makes a double of it.
template <>
struct belay::Codec<belay::ai::rules::Decimal> {
    static void write(std::string& out, const ai::rules::Decimal& value) {
        belay::write_json(out, value.text());
    }
    static ai::rules::Decimal read(const boost::json::value& value);
};

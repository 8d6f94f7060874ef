// decimal.cpp — arithmetic in 128 bits, results in 64.
#include "ingestion/ai/rules/decimal.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

namespace belay::ai::rules {
namespace {

__extension__ using Wide = __int128;

constexpr std::array<std::int64_t, 2 * Decimal::kScaleMax + 1> kPowers{
    1,        10,        100,        1000,        10000,        100000,       1000000,
    10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000};

std::int64_t saturated(Wide value) {
    constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::clamp<Wide>(value, -kMost, kMost));
}

Wide divided_half_away(Wide value, Wide by) {
    const Wide half = by / 2;
    return value < 0 ? -((-value + half) / by) : (value + half) / by;
}

// "-1234.50" with at most `whole_digits_max` digits before the point; nothing for anything else, or what does not fit.
std::optional<Decimal> read_text(std::string_view text, std::size_t whole_digits_max) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const auto point = std::min(text.find('.'), text.size());
    const auto whole = text.substr(0, point);
    const auto fraction = point < text.size() ? text.substr(point + 1) : std::string_view{};
    if (whole.empty() || whole.size() > whole_digits_max || fraction.size() > Decimal::kScaleMax ||
        (point < text.size() && fraction.empty())) {
        return std::nullopt;
    }
    Wide units = 0;
    for (const auto part : {whole, fraction}) {
        for (const char c : part) {
            if (c < '0' || c > '9') return std::nullopt;
            units = units * 10 + (c - '0');
        }
    }
    if (units > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    const auto size = static_cast<std::int64_t>(units);
    return Decimal{negative ? -size : size, static_cast<int>(fraction.size())};
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
    return read_text(text, kWholeDigitsMax);
}

std::string Decimal::text() const {
    const auto power = static_cast<std::uint64_t>(kPowers.at(static_cast<std::size_t>(scale_)));
    const auto size = static_cast<std::uint64_t>(std::llabs(units_));
    auto text = fmt::format("{}{}", units_ < 0 ? "-" : "", size / power);
    if (scale_ > 0) text += fmt::format(".{:0{}}", size % power, scale_);
    return text;
}

Decimal Decimal::rescaled(int scale) const {
    const auto power = [](int n) { return Wide{kPowers.at(static_cast<std::size_t>(n))}; };
    if (scale >= scale_) return {saturated(Wide{units_} * power(scale - scale_)), scale};
    return {saturated(divided_half_away(units_, power(scale_ - scale))), scale};
}

double Decimal::approx() const {
    return static_cast<double>(units_) /
           static_cast<double>(kPowers.at(static_cast<std::size_t>(scale_)));
}

Decimal operator+(Decimal a, Decimal b) {
    const int scale = std::max(a.scale_, b.scale_);
    return {saturated(Wide{a.rescaled(scale).units_} + b.rescaled(scale).units_), scale};
}

Decimal operator*(Decimal a, Decimal b) {
    Wide product = Wide{a.units_} * b.units_;
    int scale = a.scale_ + b.scale_;
    if (scale > Decimal::kScaleMax) {
        const auto lost = static_cast<std::size_t>(scale - Decimal::kScaleMax);
        product = divided_half_away(product, kPowers.at(lost));
        scale = Decimal::kScaleMax;
    }
    return {saturated(product), scale};
}

std::strong_ordering operator<=>(Decimal a, Decimal b) {
    const int scale = std::max(a.scale_, b.scale_);
    return a.rescaled(scale).units_ <=> b.rescaled(scale).units_;
}

std::string money_text(Decimal amount) { return amount.rescaled(2).text(); }

bool near(Decimal a, Decimal b, Decimal tolerance) { return (a - b).abs() <= tolerance; }

}  // namespace belay::ai::rules

belay::ai::rules::Decimal belay::Codec<belay::ai::rules::Decimal>::read(
    const boost::json::value& value) {
    const auto text = belay::read_json<std::string>(value);
    // Sums and roundings may have more digits than anything that is printed; what was written is read.
    constexpr std::size_t kDigitsMax = std::numeric_limits<std::int64_t>::digits10 + 1;
    const auto decimal = ai::rules::read_text(text, kDigitsMax);
    if (!decimal) throw Error{ErrorCode::BadValue, "not a decimal number: " + text};
    return *decimal;
}

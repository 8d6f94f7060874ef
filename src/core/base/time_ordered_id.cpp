// time_ordered_id.cpp — 128 bits as 26 digits of 5 bits, the first digit holding only three.
#include "core/base/time_ordered_id.hpp"

#include <algorithm>
#include <string_view>

namespace belay::base {

std::string time_ordered_id(Time now, std::uint64_t random_high, std::uint64_t random_low) {
    constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
    constexpr std::int64_t kMillisecondsMax = (std::int64_t{1} << 48) - 1;  // the year 10889
    const auto ms = static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(now.time_since_epoch().count(), 0, kMillisecondsMax));

    std::uint64_t high = ms << 16 | (random_high & 0xFFFF);
    std::uint64_t low = random_low;
    std::string id(26, '0');
    for (auto digit = id.rbegin(); digit != id.rend(); ++digit) {
        *digit = kDigits[low & 31];
        low = low >> 5 | high << 59;
        high >>= 5;
    }
    return id;
}

}  // namespace belay::base

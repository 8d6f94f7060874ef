// chance.hpp — the same numbers from the same seed, on every machine and with every compiler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace belay::samples {

// SplitMix64; the distributions of <random> differ between libraries, so there are none here.
class Chance {
public:
    explicit Chance(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 0x1234567ULL) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }
    // From `least` to `most`, both included.
    std::int64_t between(std::int64_t least, std::int64_t most) {
        return least +
               static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(most - least + 1));
    }
    bool one_in(int n) { return between(1, n) == 1; }
    template <std::size_t N>
    std::string pick(const std::array<std::string_view, N>& of) {
        return std::string{
            of.at(static_cast<std::size_t>(between(0, static_cast<std::int64_t>(N) - 1)))};
    }
    std::string digits(int count) {
        std::string out;
        for (int i = 0; i < count; ++i) out += static_cast<char>('0' + between(i == 0 ? 1 : 0, 9));
        return out;
    }

private:
    std::uint64_t state_;
};

// `digits` with the check digit that makes them pass the Luhn test.
std::string with_luhn_digit(const std::string& digits);

}  // namespace belay::samples

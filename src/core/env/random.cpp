#include "core/env/random.hpp"

#include <pthread.h>
#include <sys/random.h>

#include <array>
#include <bit>

#include "core/base/assert.hpp"

namespace belay::env {

namespace {

// xoshiro256** by Blackman and Vigna (public domain): a nanosecond a number, and 256 bits of state,
// so that the streams of any number of processes do not overlap.
class Xoshiro256 {
public:
    Xoshiro256() {
        const auto got = ::getrandom(state_.data(), sizeof state_, 0);
        BELAY_ASSERT(got == static_cast<ssize_t>(sizeof state_), "getrandom(2) gave no seed");
    }

    std::uint64_t next() {
        const auto result = std::rotl(state_[1] * 5, 7) * 9;
        const auto shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

private:
    std::array<std::uint64_t, 4> state_;
};

// A forked child inherits its parent's state and would repeat the parent's numbers: it seeds again.
std::atomic<std::uint64_t> forks{0};
[[maybe_unused]] const int watching_forks =
    ::pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

std::uint64_t Random::below(std::uint64_t bound) {
    BELAY_ASSERT(bound != 0, "there is no number below 0");
    // Numbers under `uneven` would make the small remainders likelier, so they are drawn again.
    const auto uneven = (0 - bound) % bound;
    for (;;) {
        if (const auto number = next(); number >= uneven) return number % bound;
    }
}

double Random::fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

std::uint64_t SystemRandom::next() {
    thread_local Xoshiro256 generator;
    thread_local std::uint64_t seeded_at = forks.load(std::memory_order_relaxed);
    if (const auto now = forks.load(std::memory_order_relaxed); now != seeded_at) {
        generator = Xoshiro256{};
        seeded_at = now;
    }
    return generator.next();
}

// SplitMix64 (Steele, Lea, Flood): its state is a counter, so one atomic addition makes it
// thread-safe.
std::uint64_t SeededRandom::next() {
    constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
    auto bits = state_.fetch_add(kStep, std::memory_order_relaxed) + kStep;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
}

}  // namespace belay::env

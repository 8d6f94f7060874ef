// random.hpp — where every random number comes from.
//
// Everything outside src/core/env is given a `Random&`, so that a simulation repeats from its seed. For
// ids, jitter and choices; a secret (a token) must come from the kernel directly.
#pragma once

#include <atomic>
#include <cstdint>

namespace belay::env {

// All functions may be called from any thread.
class Random {
public:
    Random() = default;
    Random(const Random&) = delete;
    Random& operator=(const Random&) = delete;
    virtual ~Random() = default;

    // 64 uniformly distributed bits.
    virtual std::uint64_t next() = 0;

    // Uniform in [0, bound); `bound` must not be 0.
    std::uint64_t below(std::uint64_t bound);

    // Uniform in [0, 1).
    double fraction();
};

// Differs in every process, thread and forked child: each seeds its own 256 bits from the kernel.
class SystemRandom final : public Random {
public:
    std::uint64_t next() override;
};

// The same seed gives the same sequence, on every platform and in every version of Belay.
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() override;

private:
    std::atomic<std::uint64_t> state_;
};

}  // namespace belay::env

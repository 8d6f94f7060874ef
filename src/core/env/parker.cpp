#include "core/env/parker.hpp"

#include <immintrin.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace belay::env {

namespace {

using Steady = std::chrono::steady_clock;

constexpr int kSpinScoreMax = 8;
constexpr int kCallsBetweenTrials = 32;

// std::atomic::wait has no timeout in C++20, hence the system call.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::chrono::nanoseconds timeout) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(timeout);
    const timespec limit{.tv_sec = seconds.count(), .tv_nsec = (timeout - seconds).count()};
    ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &limit, nullptr, 0);
}

void futex_wake_one(std::atomic<std::uint32_t>& word) {
    ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace

bool Parker::park_for(std::chrono::nanoseconds timeout) {
    const auto until = Steady::now() + timeout;
    std::uint32_t nothing = kNothing;
    if (state_.compare_exchange_strong(nothing, kAsleep)) {
        // A signal or a stray wake-up may end the wait early.
        for (auto left = timeout; left > left.zero() && state_.load() == kAsleep;
             left = until - Steady::now()) {
            futex_wait(state_, kAsleep, left);
        }
    }
    return state_.exchange(kNothing) == kWoken;
}

void Parker::unpark() {
    if (state_.exchange(kWoken) == kAsleep) futex_wake_one(state_);
}

bool Parker::spin_for(std::chrono::nanoseconds timeout) {
    if (!spinning_pays()) return false;
    const auto until = Steady::now() + timeout;
    do {
        for (int i = 0; i < 16; ++i) {
            if (state_.load(std::memory_order_relaxed) == kWoken) {
                state_.exchange(kNothing);
                spin_score_ = std::min(spin_score_ + 2, kSpinScoreMax);
                return true;
            }
            _mm_pause();
        }
    } while (Steady::now() < until);
    spin_score_ = std::max(spin_score_ - 1, 0);
    return false;
}

bool Parker::spinning_pays() {
    if (spin_score_ == 0 && ++calls_since_spin_ < kCallsBetweenTrials) return false;
    calls_since_spin_ = 0;
    return true;
}

}  // namespace belay::env

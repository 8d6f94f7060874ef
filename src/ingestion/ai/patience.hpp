// patience.hpp — for how long a model that does not answer is asked again.
//
// A deployment of somebody else's takes a minute or two; the pauses grow to one. What the provider says about when
// (Retry-After) wins over them. The setting is `model-retry`.
#pragma once

#include <chrono>

#include <belay/options.hpp>

namespace belay::ai {

inline constexpr Duration kModelPatience = std::chrono::minutes{2};

// Attempts whose pauses together are at least `patience`; one attempt if it is nothing.
constexpr RetryPolicy patient_retry(Duration patience) {
    RetryPolicy retry;
    retry.first_delay = std::chrono::seconds{1};
    retry.longest_delay = std::chrono::minutes{1};
    retry.attempts_max = 1;
    Duration delay = retry.first_delay;
    for (Duration waited{0}; waited < patience; waited += delay, delay = delay * 2) {
        if (delay > retry.longest_delay) delay = retry.longest_delay;
        ++retry.attempts_max;
    }
    return retry;
}

}  // namespace belay::ai

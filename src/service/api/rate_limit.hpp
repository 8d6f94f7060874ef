// rate_limit.hpp — how many requests a token may make: a bucket of tokens that fills with time.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include <belay/time.hpp>

#include "core/env/clock.hpp"

namespace belay::api {

struct RateLimit {
    double per_second = 0;  // 0: no limit
    double burst = 0;       // so many at once after a pause
};

class RateLimiter {
public:
    RateLimiter(const env::Clock& clock, RateLimit limit) : clock_(clock), limit_(limit) {}

    // Takes one for `who`. Zero if there was one; else how long until there will be. Any thread.
    Duration take(std::string_view who);

private:
    struct Bucket {
        double left = 0;
        Time at{};
    };
    void forget_full(Time now);

    const env::Clock& clock_;
    const RateLimit limit_;
    std::mutex mutex_;
    std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace belay::api

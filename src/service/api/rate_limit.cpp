#include "service/api/rate_limit.hpp"

#include <algorithm>
#include <cmath>

namespace belay::api {

namespace {

constexpr std::size_t kBucketsMax = 10000;

double seconds_between(Time from, Time to) {
    // The wall clock may jump back: then no time has passed.
    return std::max(0.0, static_cast<double>((to - from).count()) / 1000.0);
}

}  // namespace

Duration RateLimiter::take(std::string_view who) {
    if (limit_.per_second <= 0) return Duration{0};
    const Time now = clock_.now();
    const std::lock_guard lock(mutex_);
    if (buckets_.size() >= kBucketsMax) forget_full(now);
    const auto [place, is_new] = buckets_.try_emplace(std::string(who), Bucket{limit_.burst, now});
    Bucket& bucket = place->second;
    bucket.left =
        std::min(limit_.burst, bucket.left + seconds_between(bucket.at, now) * limit_.per_second);
    bucket.at = now;
    if (bucket.left >= 1) {
        bucket.left -= 1;
        return Duration{0};
    }
    return Duration{
        static_cast<Duration::rep>(std::ceil((1 - bucket.left) / limit_.per_second * 1000))};
}

// A bucket that would be full again says nothing.
void RateLimiter::forget_full(Time now) {
    std::erase_if(buckets_, [&](const auto& one) {
        return one.second.left + seconds_between(one.second.at, now) * limit_.per_second >=
               limit_.burst;
    });
}

}  // namespace belay::api

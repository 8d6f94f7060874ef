#include "ingestion/web/source/host_gate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"

namespace belay::web::source {

namespace {

constexpr std::size_t kHostsMax = 10'000;
constexpr std::size_t kPromisesMax = 100'000;
// Who has not come for its turn by then has given up, and stands in line again if it comes after all.
constexpr Duration kPromiseLasts = std::chrono::minutes{10};

}  // namespace

Time HostGate::turn_at(const std::string& host, Duration interval, Time now) {
    if (free_at_.size() >= kHostsMax)
        std::erase_if(free_at_, [&](const auto& entry) { return entry.second <= now; });
    Time& free = free_at_[host];
    const Time turn = std::max(free, now);
    free = turn + interval;
    return turn;
}

void HostGate::enter(const std::string& host, const std::string& url, Duration interval,
                     const std::stop_token& stop, Duration wait_max) {
    if (interval <= Duration::zero()) return;
    Duration wait{};
    {
        const std::lock_guard lock{mutex_};
        const Time now = clock_.now();
        const auto promise = promised_.find(url);
        const bool is_promised =
            promise != promised_.end() && promise->second + kPromiseLasts > now;
        const Time turn = is_promised ? promise->second : turn_at(host, interval, now);
        if (promise != promised_.end()) promised_.erase(promise);
        wait = std::max(Duration::zero(), std::chrono::ceil<Duration>(turn - now));
        if (wait > wait_max) {
            if (promised_.size() >= kPromisesMax)
                std::erase_if(promised_, [&](const auto& entry) { return entry.second <= now; });
            promised_[url] = turn;
            throw RetryAfter(
                fmt::format("{}: others are before us, and it wants {} between requests", host,
                            base::format_duration(interval)),
                wait);
        }
    }
    if (wait > Duration::zero()) pause_.wait(wait, stop);
}

}  // namespace belay::web::source

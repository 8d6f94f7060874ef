#include "web/source/host_gate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "base/text.hpp"

namespace belay::web::source {

namespace {
constexpr std::size_t kHostsMax = 10'000;
}

void HostGate::enter(const std::string& host, Duration interval, const std::stop_token& stop) {
    if (interval <= Duration::zero()) return;
    Duration wait{};
    {
        const std::lock_guard lock{mutex_};
        const Time now = clock_.now();
        if (free_at_.size() >= kHostsMax)
            std::erase_if(free_at_, [&](const auto& entry) { return entry.second <= now; });
        Time& free = free_at_[host];
        wait = std::max(Duration::zero(), std::chrono::ceil<Duration>(free - now));
        if (wait > kWaitMax) {
            throw RetryAfter(fmt::format("{}: others are before us, and it wants {} between requests",
                                         host, base::format_duration(interval)),
                             wait);
        }
        free = std::max(free, now) + interval;
    }
    if (wait > Duration::zero()) pause_.wait(wait, stop);
}

}  // namespace belay::web::source

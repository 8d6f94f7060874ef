// host_gate.hpp — not too fast for anybody: requests to one host keep their distance.
#pragma once

#include <map>
#include <mutex>
#include <stop_token>
#include <string>

#include "env/clock.hpp"
#include "env/pause.hpp"

namespace belay::web::source {

// All functions may be called from any thread.
class HostGate {
public:
    // Both outlive this.
    HostGate(const env::Clock& clock, env::Pause& pause) : clock_(clock), pause_(pause) {}

    // Waits for this caller's turn at `host`, `interval` after the one before it; the turns are given in the order
    // of the calls. A turn that is further away than `wait_max` is not taken: RetryAfter says when it may be free.
    // Returns at once when a stop is asked for.
    void enter(const std::string& host, Duration interval, const std::stop_token& stop);

    static constexpr Duration kWaitMax = std::chrono::seconds{20};

private:
    const env::Clock& clock_;
    env::Pause& pause_;
    std::mutex mutex_;
    std::map<std::string, Time> free_at_;
};

}  // namespace belay::web::source

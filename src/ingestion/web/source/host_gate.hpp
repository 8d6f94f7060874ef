// host_gate.hpp — not too fast for anybody: requests to one host keep their distance.
#pragma once

#include <map>
#include <mutex>
#include <stop_token>
#include <string>

#include "core/env/clock.hpp"
#include "core/env/pause.hpp"

namespace belay::web::source {

// All functions may be called from any thread.
class HostGate {
public:
    // Both outlive this.
    HostGate(const env::Clock& clock, env::Pause& pause) : clock_(clock), pause_(pause) {}

    // Waits for the turn of `url` at `host`, `interval` after the one before it; turns are given in the order of the
    // calls. One that is further away than `wait_max` is kept for that address, and RetryAfter says when it is: whoever
    // asks for the same address then goes in. So a line at a slow host holds no threads, and costs each of those who
    // stand in it one attempt. Returns at once when a stop is asked for.
    void enter(const std::string& host, const std::string& url, Duration interval,
               const std::stop_token& stop, Duration wait_max = kWaitMax);

    static constexpr Duration kWaitMax = std::chrono::seconds{5};

private:
    const env::Clock& clock_;
    env::Pause& pause_;
    // The next turn at `host` that nobody has, which is taken.
    Time turn_at(const std::string& host, Duration interval, Time now);

    std::mutex mutex_;
    std::map<std::string, Time> free_at_;   // by host
    std::map<std::string, Time> promised_;  // by address: turns that nobody waits for meanwhile
};

}  // namespace belay::web::source

// feed_pump.hpp — what the engine tells, handed to those who watch over HTTP.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include <belay/engine.hpp>

#include "api/event_feed.hpp"

namespace belay::cli {

class FeedPump {
public:
    using Log = std::function<void(std::string_view line)>;

    // Begins at once: what is committed from now on is told. All outlive it.
    FeedPump(Engine& engine, api::EventRing& ring, Log log);
    ~FeedPump();
    FeedPump(const FeedPump&) = delete;
    FeedPump& operator=(const FeedPump&) = delete;

private:
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

}  // namespace belay::cli

// live_feed.hpp — carries what the engine tells (belay/feed.hpp) to those who watch the server.
//
// A thread of its own makes the JSON, so that a commit never waits for it. Events keep the order of their
// commits; when some were lost, every watcher is told to read again.
#pragma once

#include <atomic>
#include <thread>

#include <belay/engine.hpp>

#include "service/api/event_feed.hpp"

namespace belay::cli {

// What a watcher gets of an event as `data`: of the engine's own the run, the stage and how they stand; of a
// program's own what it published.
std::string live_data(const Event& event);

class LiveFeed {
public:
    // Both outlive it. Watches from now on.
    LiveFeed(Engine& engine, api::EventRing& ring);
    ~LiveFeed();
    LiveFeed(const LiveFeed&) = delete;
    LiveFeed& operator=(const LiveFeed&) = delete;

private:
    void carry();

    api::EventRing& ring_;
    EventStream events_;
    std::atomic<bool> stopping_{false};
    std::thread thread_;  // the last member: it uses the others
};

}  // namespace belay::cli

// store_feed.hpp — what happens on a store that others execute on, for those who watch this server.
//
// An engine tells what it commits; of a store only what stands there can be read. So it is looked at a few times a
// second, and what has changed since the last look is told (cli/tail.hpp). A run that came and went in between is told
// by its end. When more has changed than a look reads, every watcher is told to read again.
#pragma once

#include <stop_token>
#include <thread>

#include <belay/feed.hpp>

#include "core/env/clock.hpp"
#include "core/store/store.hpp"
#include "service/api/event_feed.hpp"
#include "service/cli/tail.hpp"

namespace belay::app {

// What a line of a look is as an event of the feed.
Event event_of(const cli::TailLine& line);

class StoreFeed {
public:
    // Both outlive it.
    StoreFeed(store::Store& store, api::EventRing& ring);

private:
    void follow(const std::stop_token& stop);
    void look();

    cli::Tail tail_;
    api::EventRing& ring_;
    int looks_until_told_ = 0;
    std::jthread thread_;  // the last member: it uses the others
};

}  // namespace belay::app

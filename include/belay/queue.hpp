// queue.hpp — where runs wait for their turn: how many may run at once, and how fast they start.
//
//     engine.queue("uploads", {.concurrency = 8, .rate = belay::RateLimit{.starts = 100, .period = 1min}});
//     engine.submit("WF1_RECEIPT", file, {.queue = "uploads", .partition = "acme"});
//
// Turns are fair: partitions take turns, and within one the first to come is the first to start. A run
// that has begun goes before one that has not. While it waits for a timer, a message or a child it has no
// slot, so a parent and its child never lock each other out. docs/queues.md has the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <belay/time.hpp>

namespace belay {

// At most `starts` runs begin in any span of that length: each start takes a token, which comes back one
// period later. A run takes its token when it begins; what wakes up, is taken over from a dead worker or
// resumed takes no other. A retry does.
struct RateLimit {
    int starts = 0;
    Duration period{0};

    friend bool operator==(const RateLimit&, const RateLimit&) = default;
};

// What is left out is not limited.
struct QueueLimits {
    std::optional<int> concurrency{};  // running at once, over all workers; 0 lets none begin
    std::optional<int> concurrency_per_worker{};  // running at once in one worker
    std::optional<RateLimit> rate{};

    friend bool operator==(const QueueLimits&, const QueueLimits&) = default;
};

// How a queue stands.
struct QueueInfo {
    std::string name{};
    QueueLimits limits{};
    bool paused = false;
    std::string pause_reason{};
    std::int64_t in_line = 0;  // could begin or go on now, and wait for a slot
    std::int64_t delayed = 0;  // will be in line when their time comes
    std::int64_t running = 0;
    std::int64_t waiting = 0;         // for a timer, a message or a child
    std::int64_t paused_runs = 0;     // paused themselves, whatever the queue does
    std::int64_t tokens_left = 0;     // of the rate limit, now; 0 without one
    std::optional<Time> oldest_at{};  // when the longest waiting of those in line was submitted
};

}  // namespace belay

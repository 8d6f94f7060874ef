// feed.hpp — what happens to runs, told as soon as it is committed.
//
//     belay::EventStream events = engine.watch({.run_id = "july"});
//     while (auto event = events.next(std::chrono::seconds(5))) fmt::print("{} {}\n", event->type, event->status);
//
// Events come in the order of the commits that made them true (rule 13): nothing is told that could still
// be taken back, and whoever has read one has read all before it. What is told lives in memory, in a buffer
// of its own for every stream: one that is not read loses its oldest events, is told how many, and should
// then look at the runs themselves. While nobody watches, events are not even made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <belay/time.hpp>

namespace belay {

// The types of the engine's own events. Any other is a program's own (Tx::publish).
//   run_submitted  it exists, durably                  run_queued   it was resumed, retried or put back
//   run_started    a worker took it the first time     run_resumed  picked up again after a wait or a death
//   run_waiting    for a timer, a message, a child     run_stopping a cancel or a pause is asked of it
//   run_undoing    what it did is being taken back
//   run_paused     it waits for a person               run_progress what it reported (live, and when durable)
//   run_exposed    `data` is {name: value} (Context::expose)
//   run_labeled    `data` is {name: value} (Context::label)
//   run_ended      `status` says how                   run_deleted  its record is gone
//   stage_started  a step that takes its time is under way, or waits
//   stage_retrying an attempt failed and another will be made
//   stage_ended    `status` says how
struct Event {
    std::int64_t id = 0;  // 1, 2, 3, …: the order of this process
    Time at{};            // of the commit
    std::string type{};
    std::string organization_id{};
    std::string run_id{};  // empty: published outside any run
    std::string workflow_key{};
    std::string status{};  // of the run, or of the stage
    std::string stage_key{};
    std::string path{};  // of the stage
    std::int64_t attempt = 0;
    // A sentence: why it failed, waits or is paused. Left out for workflows with `redact`.
    std::string message{};
    // JSON: a result or output of at most 4 KiB (left out for workflows with `redact`), the progress, or
    // what the program published. Empty: nothing.
    std::string data{};
};

struct WatchOptions {
    std::string organization_id{};    // only of this one; empty: of all
    std::string run_id{};             // only of this run; empty: of all
    std::size_t buffer_max = 10'000;  // events kept while nobody reads; then the oldest are lost
};

struct PublishOptions {
    std::string organization_id{};  // who may see it; the run's, or the engine's own, if empty
};

namespace detail {

class EventSource {
public:
    virtual ~EventSource() = default;
    virtual std::optional<Event> next(Duration at_most) = 0;
    virtual std::int64_t take_lost() = 0;
    virtual bool ended() = 0;
};

}  // namespace detail

// A place in the feed. May outlive its Engine, whose end it then reports as the end of the events. Use it
// from one thread at a time.
class EventStream {
public:
    explicit EventStream(std::unique_ptr<detail::EventSource> source)
        : source_(std::move(source)) {}

    // The next event; waits for one at most so long. Nothing: none came, or the engine has stopped.
    std::optional<Event> next(Duration at_most = Duration{0}) { return source_->next(at_most); }

    // How many events were lost since this was last asked: the buffer was full, or a commit's outcome was
    // not known. Events after a loss are whole again.
    std::int64_t take_lost() { return source_->take_lost(); }

    // The engine has stopped and everything was read.
    bool ended() const { return source_->ended(); }

private:
    std::unique_ptr<detail::EventSource> source_;
};

}  // namespace belay

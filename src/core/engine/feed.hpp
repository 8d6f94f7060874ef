// feed.hpp — the live feed inside the process: who listens, and what is kept for them.
//
// Every listener has a bounded buffer of its own; events are shared between them. A listener that does not
// read loses its oldest events and is told so; it never holds up the engine. newsroom.hpp makes the events of
// what was committed. All functions may be called from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <belay/detail/call.hpp>
#include <belay/feed.hpp>

#include "core/engine/services.hpp"

namespace belay::engine {

class Feed final : public belay::detail::ProgressListener {
public:
    explicit Feed(Environment& world);
    ~Feed() { stop(); }

    // Whether somebody listens: if not, nobody needs to make events.
    bool wanted() const { return listeners_->load(std::memory_order_relaxed) > 0; }

    // Throws Error{InvalidArgument} for a buffer of nothing.
    std::unique_ptr<belay::detail::EventSource> watch(const WatchOptions& options);

    // Gives the events their numbers, in this order, and hands them out.
    void publish(std::vector<Event> events);

    // Something may have been committed of which nobody will be told: every listener has lost events.
    void gap();

    // No more events: those who wait are woken.
    void stop();

    // Progress as it is reported, at most a few times a second of one run; the rest is told when it is
    // durable.
    void reported(const belay::detail::RunShared& run, std::int64_t done, std::int64_t total,
                  std::string_view text) override;

    // Workflows whose texts are not told. Set before start().
    void set_redacted(std::string workflow_key) { redacted_.push_back(std::move(workflow_key)); }
    bool is_redacted(std::string_view workflow_key) const;

private:
    class Listener;
    struct Shared;  // outlives the feed while a listener does

    Environment& world_;
    std::shared_ptr<Shared> shared_;
    const std::atomic<int>* listeners_;  // in `shared_`
    std::vector<std::string> redacted_;
    std::mutex progress_mutex_;
    std::unordered_map<std::string, Time> told_progress_;  // by run, when last
};

// {"done": 3, "total": 10, "text": "…"}
std::string progress_json(std::int64_t done, std::int64_t total, std::string_view text);

}  // namespace belay::engine

// services.hpp — what every part of the engine is given: the outside world, the store's writer, the
// counters and the log.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <belay/attempt.hpp>
#include <belay/detail/call.hpp>
#include <belay/log.hpp>
#include <belay/options.hpp>

#include "core/base/metrics.hpp"
#include "core/env/black_box.hpp"
#include "core/env/clock.hpp"
#include "core/env/executor.hpp"
#include "core/env/random.hpp"
#include "core/store/store.hpp"

namespace belay::engine {

class Writer;
class Bodies;
class Expected;
class Feed;

// The outside world. All three outlive the engine.
struct Environment {
    env::Clock& clock;
    env::Random& random;
    env::Executor& executor;
};

// What an event is about, as far as it is about one run or one step.
struct About {
    std::string_view run_id{};
    std::string_view workflow_key{};
    std::string_view organization_id{};
    std::string_view stage_key{};
    std::int64_t attempt = 0;
};

// An event about a run as a step of it sees it. The number of the attempt is the Loop lane's to read.
inline About about(const belay::detail::RunShared& run, std::string_view stage,
                   std::int64_t attempt) {
    return {run.id, run.workflow_key, run.organization_id, stage, attempt};
}
inline About about(const belay::detail::Call& call) {
    return about(*call.run_shared, call.name, call.entry.attempt);
}

// Says one event with a fixed name (base/events.hpp) and a sentence. Called from any thread.
class Log {
public:
    // Nothing is said without a sink. Clock and name outlive it.
    Log(LogSink sink, const env::Clock& clock, const std::string& worker)
        : sink_(std::move(sink)), clock_(clock), worker_(worker) {}

    void operator()(LogLevel level, std::string_view event, std::string_view sentence,
                    const About& about = {}) const {
        if (!sink_) return;
        sink_({clock_.now(), level, event, sentence, about.run_id, about.workflow_key,
               about.organization_id, about.stage_key, about.attempt, worker_});
    }

private:
    LogSink sink_;
    const env::Clock& clock_;
    const std::string& worker_;
};

// Told that a step's function is about to run, on the thread that runs it: how the test kit sees a step
// run that must not. Commit parts are not told of; their effect is in the store.
using AttemptObserver = std::function<void(const Attempt& attempt, const std::string& path)>;

// What happened so far; read by metrics, doctor and tests.
struct Counters {
    std::atomic<std::int64_t> commits{0};
    std::atomic<std::int64_t> verbs_committed{0};
    std::atomic<std::int64_t> commits_failed{0};
    std::atomic<std::int64_t> bodies_lost{
        0};  // transactions and hooks that met a failure of the store
    std::atomic<std::int64_t> steps_started{0};
    std::atomic<std::int64_t> steps_replayed{0};
    std::atomic<std::int64_t> attempts_failed{0};
    std::atomic<std::int64_t> runs_ended{0};
    std::atomic<std::int64_t> runs_recovered{0};
    std::atomic<std::int64_t> runs_evicted{0};
    std::atomic<std::int64_t> runs_parked{0};
    std::atomic<std::int64_t> writes_fenced{0};        // refused by a newer epoch (P5)
    std::atomic<std::int64_t> transitions_refused{0};  // not in the table
    std::atomic<std::int64_t> late_results{0};         // of attempts that had timed out
    std::atomic<std::int64_t> abandoned_now{0};        // threads still inside such attempts
    std::atomic<std::int64_t> loop_blocked{0};         // workflow code that held up the scheduler
    std::atomic<std::int64_t> steps_succeeded{0};
    std::atomic<std::int64_t> attempts_retried{0};  // failed, and another one will be made
    std::atomic<std::int64_t> steps_cached{0};      // answered by another run's answer
    std::atomic<std::int64_t> runs_submitted{0};
    std::atomic<std::int64_t> runs_deleted{0};
    base::Histogram commit_seconds{base::duration_buckets()};
    base::Histogram batch_writes{{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000}};
};

struct Services {
    Environment& world;
    store::Store& store;
    Writer& writer;
    Bodies& bodies;
    Expected& expected;
    const EngineOptions& options;
    const std::string& worker;  // this engine's name in the store, new with every start
    Counters& counters;
    const Log& log;
    const AttemptObserver* on_attempt = nullptr;  // may be null
    Feed* feed = nullptr;                         // never null in an engine
    env::BlackBox* box = nullptr;                 // null: nobody keeps whose code executes

    Time now() const { return world.clock.now(); }
};

}  // namespace belay::engine

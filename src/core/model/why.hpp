// why.hpp — what a run waits for, in one sentence, and the data behind it.
//
// Nothing is stuck in silence (P6): every unfinished run says what it waits for, since when and until
// when; a finished one says how it ended. Pure: the CLI and the HTTP API give it what they read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <belay/time.hpp>

#include "core/model/queue.hpp"
#include "core/model/run.hpp"
#include "core/model/stage.hpp"
#include "core/model/worker.hpp"

namespace belay::model {

// The process that executes on a run's store.
struct Executor {
    std::string who{};                      // as it calls itself; for people
    std::optional<std::int64_t> process{};  // its id, on the machine where the store is
};

enum class WaitsFor {
    Executor,  // nobody executes on the store, or who does has not taken this run up
    Worker,    // it is due, and its turn comes
    Code,      // the workflow's own code, between two steps
    Step,      // a step under way
    Retry,     // the time of a step's next attempt
    Timer,     // a sleep's end, or the time that its submission asked for
    Message,   // a message of a topic
    Child,     // the end of another run
    Queue,     // a place in its queue
    Person,    // it is paused
    Nothing,   // it has ended
};

std::string_view to_string(WaitsFor what);  // "executor", "worker", …

struct Why {
    WaitsFor waits_for = WaitsFor::Nothing;
    std::string sentence{};
    std::string to_do{};  // what would get it going; empty if nothing has to be done
    std::optional<Time> since{};
    std::optional<Time> until{};
    std::string stage_key{};  // the step in question, if there is one
    std::string path{};
    std::int64_t attempt = 0;  // and its attempt
    std::string last_error{};  // of that step's last failed attempt, or of the run
    std::string worker{};      // who runs it, or ran it last
    std::string topic{};       // of the message it waits for
    std::string child_id{};    // the run it waits for
    std::optional<RunStatus> child_status{};
    std::vector<std::string> open_branches{};  // of the fan that it waits in: the first few
    std::string stalled{};                     // a StallReason's word, if nothing will get it going
};

// What can be known besides the run itself.
struct Around {
    std::optional<Executor> executor{};  // nothing when no process executes on the store
    std::vector<Worker> workers{};       // what they define; empty: not known
    bool knows_children = false;
    std::vector<Run> children{};        // those that it waits for, as far as they exist
    std::optional<QueuePlace> place{};  // where it stands in line (Store::place_in_queue)
};

Why why(const Run& run, const std::vector<Stage>& stages, const std::vector<Attempt>& attempts,
        const Around& around, Time now);

// `stages` and `attempts` are the run's; `executor` is nothing when no process executes on the store.
Why why(const Run& run, const std::vector<Stage>& stages, const std::vector<Attempt>& attempts,
        const std::optional<Executor>& executor, Time now);

}  // namespace belay::model

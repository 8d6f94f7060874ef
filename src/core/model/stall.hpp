// stall.hpp — a run that waits for something that cannot come, and which case of that it is.
//
// The engine's watchdog looks for these and marks the run, so that a list, a metric and `why` can show it
// (P6). A mark holds until something happens to the run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <belay/time.hpp>

namespace belay::model {

enum class StallReason {
    ChildDeleted,    // the run that it waits for does not exist any more
    WaitCycle,       // it waits for a run that waits, directly or not, for it
    NoWorker,        // no worker defines its workflow, or its version of it
    QueueClosed,     // its queue is paused, or takes nothing
    TopicNeverSent,  // it waits without end for a message of a topic that nobody has ever sent
    StepSilent,      // a step is past its limit and does not come back
    ExecutorGone,    // nobody executes on the store
};

std::string_view to_string(StallReason reason);  // "child_deleted", …
std::optional<StallReason> stall_reason(std::string_view word);

struct Stall {
    StallReason reason = StallReason::NoWorker;
    std::string sentence{};  // what it is, and what to do about it
    Time at{};               // when it was found

    friend bool operator==(const Stall&, const Stall&) = default;
};

// For those who look from outside and find nobody there to look for the other cases.
Stall executor_gone(Time now);

}  // namespace belay::model

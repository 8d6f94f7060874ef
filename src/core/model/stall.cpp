#include "core/model/stall.hpp"

#include <array>

#include "core/model/words.hpp"

namespace belay::model {

namespace {

constexpr std::array kReasonWords{
    Word<StallReason>{StallReason::ChildDeleted, "child_deleted"},
    Word<StallReason>{StallReason::WaitCycle, "wait_cycle"},
    Word<StallReason>{StallReason::NoWorker, "no_worker"},
    Word<StallReason>{StallReason::QueueClosed, "queue_closed"},
    Word<StallReason>{StallReason::TopicNeverSent, "topic_never_sent"},
    Word<StallReason>{StallReason::StepSilent, "step_silent"},
    Word<StallReason>{StallReason::ExecutorGone, "executor_gone"},
};

}  // namespace

std::string_view to_string(StallReason reason) { return word_of(kReasonWords, reason); }

std::optional<StallReason> stall_reason(std::string_view word) {
    return value_of(kReasonWords, word);
}

Stall executor_gone(Time now) {
    return {StallReason::ExecutorGone,
            "no process executes on this store. Start the program that defines its workflow.", now};
}

}  // namespace belay::model

// failure.hpp — what an exception means: a code, a sentence, and whether another attempt can help.
#pragma once

#include <exception>
#include <optional>
#include <string>

#include <belay/error.hpp>
#include <belay/options.hpp>
#include <belay/time.hpp>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

struct AttemptFailure {
    std::string code;
    std::string message;
    bool retryable = true;
    std::optional<Duration> retry_after;
};

// Reads an attempt's exception by the step's policy.
AttemptFailure read_attempt_failure(const std::exception_ptr& error, const RetryPolicy& policy);

// Reads the exception that a workflow's own code ended with.
model::Failure read_run_failure(const std::exception_ptr& error);

// The exception that the workflow's code gets for a failed stage: the same live and in a replay.
std::exception_ptr failure_of(const model::Stage& stage);

// What a caller is told whose verb was lost.
Error error_of(const store::Lost& lost);

// The wait before the attempt after `attempt`; `dice` is uniform in [0, 1).
Duration delay_after(int attempt, const RetryPolicy& policy, double dice);

}  // namespace belay::engine

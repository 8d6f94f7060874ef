// failure.hpp — what an exception means: a code, a sentence, and whether another attempt can help.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include <belay/error.hpp>
#include <belay/options.hpp>
#include <belay/time.hpp>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

// What an attempt failed of was the machine's: it has no descriptor, process or memory left.
class MachineShort : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};
// The error of an attempt as a MachineShort, if the thread that made it has met a shortage since `before`
// (base::shortages_of_thread) or there is one; otherwise as it is.
std::exception_ptr seen_with_the_machine(std::exception_ptr error, std::uint64_t before);

struct AttemptFailure {
    std::string code;
    std::string message;
    bool retryable = true;
    std::optional<Duration> retry_after;
    bool of_machine = false;  // tried again for as long as it lasts; the attempt does not count
};

// Reads an attempt's exception by the step's policy.
AttemptFailure read_attempt_failure(const std::exception_ptr& error, const RetryPolicy& policy);

// Reads the exception that a workflow's own code ended with.
model::Failure read_run_failure(const std::exception_ptr& error);

// The exception that the workflow's code gets for a failed stage: the same live and in a replay.
std::exception_ptr failure_of(const model::Stage& stage);

// What a caller is told whose verb was lost.
Error error_of(const store::Lost& lost);

// The wait after an attempt that the machine was too short for; `so_far` since the first one.
Duration delay_of_shortage(Duration so_far);

// The wait before the attempt after `attempt`; `dice` is uniform in [0, 1).
Duration delay_after(int attempt, const RetryPolicy& policy, double dice);

}  // namespace belay::engine

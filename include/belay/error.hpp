// error.hpp — what can go wrong, as one table of codes.
//
// A code exists only if some caller can react to it specifically; everything else is told by the
// message. Outcomes that are part of a normal day are values, not errors.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/describe/class.hpp>

#include <belay/time.hpp>

namespace belay {

enum class ErrorCode {
    InvalidArgument,   // the caller passed something that can never work; the message names it
    UnknownWorkflow,   // no workflow of that name is defined here
    NotFound,          // no run of that id
    InputMismatch,     // the run id exists with another workflow or another input
    RunFailed,         // the run ended as failed; the message is its recorded failure
    RunCanceled,       // the run ended as canceled
    DeadlineExceeded,  // the run was not over at its deadline
    RunPaused,         // the run waits for a person: somebody paused it, or its code diverged
    CrashLoop,         // the run is paused because its process died in it again and again
    UndoFailed,       // the run is paused because a step of it cannot be undone; resume it to go on
    BudgetReached,    // the run is paused because a paid step would go over a budget
    RunDeleted,       // the run of that id was over and its record was deleted; the id stays taken
    StepFailed,       // a step used up its attempts; the message is the last attempt's
    StepTimeout,      // an attempt of a step ran longer than its timeout
    BadValue,         // a value could not be decoded into the type asked for
    PayloadTooLarge,  // a value is above the limit for one checkpoint
    TransactionRefused,  // a transaction body did what it must not: COMMIT, PRAGMA, too slow, …
    Nondeterminism,      // the code asked for another step than the one recorded at that position
    StoreUnavailable,    // the store cannot be written now (disk full, read-only, connection lost)
    CommitUnknown,       // the commit may or may not have happened: read again, never assume
    StoreLocked,         // another process executes on this database; the message names it
    SchemaTooNew,        // the database was written by a newer Belay
    NoAnswer,  // nobody answered a question: the run stands so that it cannot; the message says how
    Overloaded,  // a bounded queue is full; try again later
    Stopped,     // the engine is stopping or has stopped
};

// The code's name as written above, for logs, JSON and tests.
std::string_view to_string(ErrorCode code);

class Error : public std::runtime_error {
public:
    Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

    ErrorCode code() const { return code_; }

private:
    ErrorCode code_;
};

// What a workflow's code gets when a step has failed for good: its last attempt's message, and which step
// it was. The same after a replay, so a workflow may catch it and go on another way.
class StepFailed : public Error {
public:
    StepFailed(ErrorCode code, const std::string& message, std::string stage, std::string path)
        : Error(code, message), stage_(std::move(stage)), path_(std::move(path)) {}

    const std::string& stage() const { return stage_; }
    const std::string& path() const { return path_; }

private:
    std::string stage_;
    std::string path_;
};

// One branch of a fan that failed.
struct BranchFailure {
    std::uint64_t branch = 0;  // its number, from 0
    std::string name{};        // its stage key
    std::string code{};        // an ErrorCode's name
    std::string message{};
};
BOOST_DESCRIBE_STRUCT(BranchFailure, (), (branch, name, code, message))

// What a workflow's code gets when a fan has failed: every error, not the first. stage() and path() are
// the fan's own; a retry of the run runs its failed branches again and no other.
class FanFailed : public StepFailed {
public:
    FanFailed(const std::string& message, std::string stage, std::string path,
              std::vector<BranchFailure> failures, std::uint64_t failed)
        : StepFailed(ErrorCode::StepFailed, message, std::move(stage), std::move(path)),
          failures_(std::move(failures)), failed_(failed) {}

    // The first thousand, in the order they came.
    const std::vector<BranchFailure>& failures() const { return failures_; }
    // How many there were in all.
    std::uint64_t failed() const { return failed_; }

private:
    std::vector<BranchFailure> failures_;
    std::uint64_t failed_;
};

// Thrown by a step to say that another attempt cannot help: the step fails at once.
class NonRetryable : public std::runtime_error {
public:
    explicit NonRetryable(const std::string& message) : std::runtime_error(message) {}
};

// Thrown by a step that was told when to come back (an HTTP 429, say): the next attempt starts no
// earlier than `after` from now, instead of after the policy's delay. It uses up an attempt.
class RetryAfter : public std::runtime_error {
public:
    RetryAfter(const std::string& message, Duration after)
        : std::runtime_error(message), after_(after) {}

    Duration after() const { return after_; }

private:
    Duration after_;
};

}  // namespace belay

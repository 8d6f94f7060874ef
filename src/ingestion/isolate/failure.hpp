// failure.hpp — how a job can fail, as one table of codes.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace belay::isolate {

enum class FailureCode {
    Crashed,             // its process died, or answered what is no answer
    TimedOut,            // it used up its wall time or its processor time
    OutOfMemory,         // it asked for more memory than its limit, or the machine had none
    OutputTooLarge,      // its answer is above the limit
    Rejected,            // the job itself said no: see reject_code()
    SandboxUnavailable,  // the helper program cannot start, or this machine cannot confine it
    Stopped,             // the caller asked to stop
};

// The code's name as written above.
std::string_view to_string(FailureCode code);

// Thrown by Pool::run. The message is for a person: it names the job, and the limit if there was one.
class JobFailed : public std::runtime_error {
public:
    JobFailed(FailureCode code, const std::string& message, std::string reject_code = {})
        : std::runtime_error(message), code_(code), reject_code_(std::move(reject_code)) {}

    FailureCode code() const { return code_; }

    // The job's own code ("too_many_pixels"); empty unless code() is Rejected.
    const std::string& reject_code() const { return reject_code_; }

private:
    FailureCode code_;
    std::string reject_code_;
};

// Thrown by a handler inside the sandbox: its input is not acceptable. Arrives in the parent as
// JobFailed{Rejected} with the same code and message. `code` is lower case with underscores.
class Reject : public std::runtime_error {
public:
    Reject(std::string code, const std::string& message)
        : std::runtime_error(message), code_(std::move(code)) {}

    const std::string& code() const { return code_; }

private:
    std::string code_;
};

}  // namespace belay::isolate

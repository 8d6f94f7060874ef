// options.hpp — what can be said about a step, a workflow, a submission and an engine.
//
// All are plain structs with sane defaults, to be filled by name:
//     const belay::StepOptions patient{.retry = {.attempts_max = 5}, .timeout = 30s};
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include <belay/status.hpp>
#include <belay/time.hpp>

namespace belay {

class Tx;

// When an attempt fails, wait and try again. The n-th wait is first_delay × factor^(n-1), at most
// longest_delay, varied by ± jitter of itself so that a thousand runs do not come back together.
struct RetryPolicy {
    int attempts_max = 3;  // 1 means: no retry
    Duration first_delay = std::chrono::milliseconds(500);
    double factor = 2.0;
    Duration longest_delay = std::chrono::minutes(1);
    double jitter = 0.2;
    // Says whether an error is worth another attempt; without it every error is. It is not asked about
    // NonRetryable and what can never work (belay::Error with InvalidArgument, InputMismatch, UnknownWorkflow,
    // PayloadTooLarge or TransactionRefused), which fail at once, nor about RetryAfter.
    bool (*retry_if)(const std::exception&) = nullptr;
};

// Holds no resource, so that it may be written inside a co_await expression (see docs on g++ 12).
struct StepOptions {
    RetryPolicy retry{};
    Duration timeout = std::chrono::minutes(5);  // of one attempt; zero means none
};

// What a hook is told about the run that begins or ends.
struct RunInfo {
    std::string id{};
    std::string workflow_key{};
    std::string organization_id{};
    std::string file_id{};
    std::string input{};  // JSON
    RunStatus status = RunStatus::Running;
    std::string result{};  // JSON, when succeeded
    std::string error{};   // a sentence, when failed or canceled
    std::string error_stage{};
};

// Runs inside the transaction of the run's change of state: its SQL commits with it or not at all. SQL
// only, short, and it may run twice when its commit has to be redone.
using Hook = std::function<void(Tx&, const RunInfo&)>;

struct WorkflowOptions {
    Hook on_start{};  // with queued → running, the first time. If it throws, the run fails with its message
    Hook on_end{};    // with → succeeded, failed or canceled. If it keeps throwing, the run is paused
};

struct SubmitOptions {
    std::string id{};               // one id, one run (P3); made up, ordered by time, if empty
    bool retry = false;           // if the run with this id has failed or was canceled, run it again
    Duration delay{0};            // begin no earlier than this from now
    Duration deadline{0};         // fail if it is not over so long from now; its children inherit it. Zero: none
    std::string organization_id{};  // whose run it is; inherited when submitted from a run
    std::string source_channel{};   // who asked, for people
    std::string file_id{};          // the file the run is about
    std::string content_hash{};     // and its content
    // Where it waits for its turn; it must have been made (Engine::queue). Empty: in none, it begins at once.
    std::string queue{};
    int priority = 0;         // in its queue: higher begins first
    std::string partition{};  // partitions of a queue take turns; empty: the organization
    // While a run of this organization and queue with the same dedupe id has not finished, that run is
    // returned and none is made. With another workflow or input it is an error.
    std::string dedupe_id{};
};

struct ChildOptions {
    std::string id{};    // of the child's run; derived from the parent and its place if empty
    std::string name{};  // of the stage; the workflow's key if empty
    Duration delay{0};   // begin no earlier than this from now
    std::string file_id{};
    std::string content_hash{};
    std::string queue{};      // as in SubmitOptions; not inherited
    int priority = 0;
    std::string partition{};
};

struct SendOptions {
    // The same key again is the same message (an HTTP Idempotency-Key, say).
    std::string dedupe_key{};
    // A message that nobody has read by then is dropped. One for a run that does not exist yet always
    // has an expiry: this, or a week.
    std::optional<Duration> expires_after{};
    std::string organization_id{};  // whose run it is for; the engine's own if empty
};

struct EngineOptions {
    std::size_t runs_in_memory_max = 20'000;  // running at once; the others stay queued on disk
    std::size_t waiting_in_memory_max = 2'000;  // waiting runs above this leave memory until they are due
    std::size_t pool_threads_max = 32;       // blocking steps at once
    std::size_t io_threads = 1;              // for steps that return asio::awaitable
    // A run whose process died so often without a new checkpoint of it is paused, and from the second time
    // on such runs go one at a time. Zero: never.
    int crash_loop_recoveries_max = 3;
    std::string code_version{};                // recorded with every run that this program submits
    std::string organization_id = "default";
    bool log_to_stderr = true;               // warnings and failures, one line each
};

}  // namespace belay

// options.hpp — what can be said about a step, a workflow, a submission and an engine.
//
// All are plain structs with sane defaults, to be filled by name:
//     const belay::StepOptions patient{.retry = {.attempts_max = 5}, .timeout = 30s};
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <belay/admission.hpp>
#include <belay/at_most.hpp>
#include <belay/log.hpp>
#include <belay/status.hpp>
#include <belay/time.hpp>

namespace belay {

class Seal;
class Tx;

// What runs can be found by: {{"customer", "42"}, {"tier", "gold"}}. A name has 1 to 64 letters, digits, `_`, `-` and
// `.`, a value at most 200 characters. They are plain text in the store and in the log: nothing secret.
using Labels = std::map<std::string, std::string>;

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

// The answer of a step, kept for other runs: the same key is the same answer, and is paid for once.
//     const std::string key = belay::cache_key("resnet-50", "prompt 3", image.etag);
//     const belay::StepOptions once{.cache = {.key = key, .keep_for = 24h * 30}};
// A key counts within its organization and the step's name; put into it whatever the answer depends on: the
// model, the version of the prompt, the content. Only successes are kept, in the commit of the step's own
// record, into which an answer from the cache is copied. While one run works out an answer, others that ask
// for the same key wait for it. The branches of a `map` have their item added to the key.
struct CachePolicy {
    std::string_view key{};  // empty: not cached. Copied when the step is made
    Duration keep_for = std::chrono::hours(24 * 7);
};

// Holds no resource, so that it may be written inside a co_await expression (see docs on g++ 12).
struct StepOptions {
    RetryPolicy retry{};
    Duration timeout = std::chrono::minutes(5);  // of one attempt; zero means none
    CachePolicy cache{};
    // One attempt costs no more than this: it is reserved from the budgets of the run before the step is called, and
    // replaced by what the attempt says that it cost (Attempt::cost). Not said: no budget counts the step.
    AtMost costs_at_most{};
};

// How long runs that are over are kept. What goes leaves a small tombstone, so that its id stays taken
// (P3); tables of the program's own are never touched, and no run goes that an unfinished one awaits.
struct Retention {
    Duration keep_for{0};         // after the end; zero: for ever
    Duration keep_failed_for{0};  // the same for failed and canceled ones; zero: as `keep_for`
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
    Hook
        on_start{};  // with queued → running, the first time. If it throws, the run fails with its message
    Hook on_end{};  // with → succeeded, failed or canceled. If it keeps throwing, the run is paused
    Retention retention{};
    // What its runs work on stays out of the log and the live feed: messages of errors, progress texts,
    // outputs and results. Names, codes and numbers are still told.
    bool redact = false;
    // One sentence for people: what it does.
    std::string summary{};
    // Whether somebody outside this program (HTTP, the command line, another process) may start and fork its runs.
    // Children and Tx::submit need no leave.
    bool exposed = true;
    // Asked about every input that comes from outside (admission.hpp).
    Admission admit{};
    // The steps whose recorded outputs a fork from outside may replace, by name; none unless said. A step of this
    // list trusts nothing that it reads from the record, because anybody may have written it.
    std::vector<std::string> editable{};
};

struct SubmitOptions {
    std::string id{};    // one id, one run (P3); made up, ordered by time, if empty
    bool retry = false;  // if the run with this id has failed or was canceled, run it again
    Duration delay{0};   // begin no earlier than this from now
    Duration deadline{
        0};  // fail if it is not over so long from now; its children inherit it. Zero: none
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
    // What it can be found by (RunQuery::labels), at most 32. Not part of what makes a run the same (P3): a submission
    // that joins a run leaves that run's labels as they are. ctx.label adds to them.
    Labels labels{};
};

// What becomes of a run that another has begun, when that one, its parent, has ended: as succeeded, failed or canceled.
enum class WhenParentEnds {
    // It is canceled with its parent and may not outlive it.
    Cancel,
    // It is on its own: nothing of its parent reaches it, no cancel and no deadline.
    Leave,
    // As Cancel, but a parent whose code has returned or thrown ends only when it is over, however it is over.
    Wait,
};

struct ChildOptions {
    std::string id{};    // of the child's run; derived from the parent and its place if empty
    std::string name{};  // of the stage; the workflow's key if empty
    Duration delay{0};   // begin no earlier than this from now
    std::string file_id{};
    std::string content_hash{};
    std::string queue{};  // as in SubmitOptions; not inherited
    int priority = 0;
    std::string partition{};
    Labels labels{};  // its own; not inherited
    // Not said: Cancel for ctx.child, Leave for ctx.start.
    std::optional<WhenParentEnds> when_parent_ends{};
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
    std::size_t waiting_in_memory_max =
        2'000;                          // waiting runs above this leave memory until they are due
    std::size_t pool_threads_max = 32;  // blocking steps at once
    std::size_t io_threads = 1;         // for steps that return asio::awaitable
    // A run whose own code was executing in so many processes that died, without a new checkpoint of it in
    // between, is paused as a crash loop; from the second time on such runs go one at a time, and a death that it
    // sat out clears one. Who was executing is read from the dead process's black box (docs/deaths.md). Zero: never
    // paused, and none goes alone.
    int crash_loop_deaths_max = 5;
    // Where the black boxes are kept, one file for each process that lives: a folder of this machine that survives the
    // process (a container: a volume). Empty: beside a SQLite database; for PostgreSQL, /var/tmp/belay-UID.
    std::string black_box_folder{};
    // Whether SIGSEGV, SIGABRT, SIGBUS, SIGFPE and SIGILL are noted in the black box on their way to whoever handled
    // them before: then only the run whose code raised one is charged with that death.
    bool note_fatal_signals = true;
    std::string code_version{};  // recorded with every run that this program submits
    // Whose runs this code can go on with, by the version recorded with them: to the letter, or a beginning
    // with a `*` after it ("2.*"). Its own is always among them, and so are runs without a version. A run of
    // another version waits for a worker that takes it, and is shown as stalled while there is none. {} takes
    // only its own, so that a rolling deploy never replays a run with code it was not made for.
    std::vector<std::string> compatible_versions{"*"};
    // Records of one run's history. A replay reads them all back: a loop without end begins anew with
    // ctx.continue_as_new long before.
    std::size_t history_records_max = 1'000'000;
    std::string organization_id = "default";
    // Where its log goes. Empty: warnings and failures are lines on stderr, unless log_to_stderr is off; as JSON
    // with every event, if that is asked for here or by BELAY_LOG=json in the environment.
    LogSink log{};
    bool log_to_stderr = true;
    LogFormat log_format = LogFormat::Text;
    // Encrypts what runs carry (seal.hpp). Whoever executes on one store must have the same keys.
    std::shared_ptr<const Seal> seal{};
};

}  // namespace belay

// call.hpp — a step that code has asked for, with its type erased, and the port the engine answers at.
//
// Internal to the headers; programs use Context. A call lives on the heap, shared by the coroutine that
// awaits it and the thread that runs it, because after a timeout neither knows when the other ends.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <belay/attempt.hpp>
#include <belay/codec.hpp>
#include <belay/cost.hpp>
#include <belay/options.hpp>
#include <belay/task.hpp>
#include <belay/time.hpp>

namespace boost::asio {
class io_context;
}

namespace belay {

class Context;
class Tx;

namespace detail {

struct RunShared;

// Who hears of progress at once, before it is durable. Called from any thread.
class ProgressListener {
public:
    virtual void reported(const RunShared& run, std::int64_t done, std::int64_t total,
                          std::string_view text) = 0;

protected:
    ~ProgressListener() = default;
};

// What outlives a run's stay in memory because a step of it may still be running.
struct RunShared {
    RunShared(std::string run_id, std::string organization, const std::string& workflow,
              const std::string& history, ProgressListener* listener = nullptr)
        : id(std::move(run_id)), organization_id(std::move(organization)), workflow_key(workflow),
          listener_(listener) {
        if (history != id) history_ = std::make_unique<const std::string>(history);
    }
    ~RunShared() { delete progress_.load(std::memory_order_acquire); }
    RunShared(const RunShared&) = delete;
    RunShared& operator=(const RunShared&) = delete;

    const std::string id;
    const std::string organization_id;
    const std::string& workflow_key;  // lives as long as the engine
    // What ids and keys are derived from: the id, and after a continue_as_new the number of its history.
    const std::string& name() const { return history_ ? *history_ : id; }

    // Steps report progress from pool threads; whoever writes the next checkpoint takes it along.
    struct Progress {
        std::int64_t done = 0;
        std::int64_t total = 0;
        std::string text;
    };
    void report(std::int64_t done, std::int64_t total, std::string_view text) {
        auto fresh = std::make_unique<Progress>(Progress{done, total, std::string(text)});
        const std::unique_ptr<Progress> old{
            progress_.exchange(fresh.release(), std::memory_order_acq_rel)};
        if (listener_ != nullptr) listener_->reported(*this, done, total, text);
    }
    std::optional<Progress> take_progress() {
        if (progress_.load(std::memory_order_relaxed) == nullptr) return std::nullopt;
        const std::unique_ptr<Progress> taken{
            progress_.exchange(nullptr, std::memory_order_acq_rel)};
        if (!taken) return std::nullopt;
        return std::move(*taken);
    }

private:
    ProgressListener* listener_;                  // outlives the threads that steps run on
    std::unique_ptr<const std::string> history_;  // null: it is called by its id
    std::atomic<Progress*> progress_{nullptr};    // owned; the newest that nobody has taken
};

enum class CallKind { Step, Transaction, Sleep, Scope, Fan, Child, Receive };

class FanCall;

// What a call waits for that is not a time: a message, or the end of another run.
struct Awaited {
    std::string topic{};                // a message of this topic
    std::optional<Duration> timeout{};  // and for how long
    std::string workflow{};             // or a child of this workflow
    std::string input{};                // JSON
    ChildOptions options{};

    std::string child_id{};     // once it is known
    bool retry_failed = false;  // the run was retried: so is its failed child
    bool is_recorded = false;   // the history says that it was waiting
    bool asking = false;        // the store is being asked
    bool ask_again = false;     // something came meanwhile
};

// Where the answer of a call may be found, and will be kept, for other runs.
struct CacheUse {
    std::string scope{};  // the step's name; of a branch, its fan's
    std::string key{};
    Duration keep_for{0};

    std::string stored_key{};        // with the organization; given by the engine
    std::shared_ptr<void> flight{};  // while it is held, others wait for this one's answer
    // The next two belong to whoever has settled the attempt.
    bool was_hit = false;  // the answer came from the cache
    Cost spared{};         // which so saved this
};

// Who has the say about an attempt: the thread that has its answer, or the clock that timed it out; whoever
// settles it first. From then on the call is theirs until the Loop lane is told. What is settled stays so: only
// the Loop lane opens another attempt.
class Settlement {
public:
    void open(int attempt) { open_.store(attempt); }
    bool settle(int attempt) { return open_.compare_exchange_strong(attempt, 0); }
    bool is_open(int attempt) const { return open_.load() == attempt; }

private:
    std::atomic<int> open_{1};  // 0: settled
};

class StepCall {
public:
    StepCall(Context& context, CallKind kind, std::string_view name, const StepOptions& given)
        : context(&context), name(name), options(given), kind(kind) {
        if (!given.cache.key.empty()) cache_as(name, std::string(given.cache.key));
        options.cache.key = {};  // may not live as long
    }
    virtual ~StepCall() = default;
    StepCall(const StepCall&) = delete;
    StepCall& operator=(const StepCall&) = delete;

    // The slow part, on a pool thread. When the function has returned it settles the attempt; true: this
    // thread had the say, and the call now has its value and `output`. False: the attempt had been given
    // up, and nothing was touched. Throws what the function throws, unsettled.
    virtual bool run(Attempt&) { return settle(attempt); }

    // The same for a function that returns asio::awaitable; `done` is called once, on an I/O thread, with
    // what run() would have returned or thrown.
    using Done = std::function<void(bool settled, std::exception_ptr error)>;
    virtual void run_async(std::shared_ptr<Attempt>, boost::asio::io_context&, Done) {}

    // The part inside the commit. Gives the record (JSON).
    virtual std::string commit(Tx&) { return output; }

    void cache_as(std::string_view scope, std::string key) {
        cache = std::make_unique<CacheUse>();
        cache->scope = scope;
        cache->key = std::move(key);
        cache->keep_for = options.cache.keep_for;
    }

    // Takes the value from a record instead of running. Throws Error{BadValue}.
    virtual void accept(std::string_view record) = 0;
    // Throws what accept() would throw, and touches nothing: from any thread.
    virtual void check(std::string_view) const {}

    // A scope that is a branch of a fan: its whole life, from begin to its record. `from` is the time that
    // its code sees first. What it throws is kept in `error`.
    virtual Task<void> run_branch(Time from);

    Context* context;
    std::string name;
    std::string path;  // given when the call starts, never when it is made; to a branch, by its fan
    StepOptions options;
    std::shared_ptr<RunShared> run_shared;
    std::string output;        // JSON of the value, once the slow part has run
    std::exception_ptr error;  // what the awaiting code gets instead of a value
    Duration sleep_for{0};
    std::optional<Time> sleep_until;
    std::unique_ptr<Awaited> awaited;  // of a child or a receive
    std::unique_ptr<CacheUse> cache;   // null: not cached
    std::unique_ptr<Cost> cost;        // what its settled attempts said; null: nothing
    CallKind kind;
    bool has_slow_part = false;
    bool slow_part_done = false;  // its commit part failed after it: only that is tried again
    bool has_commit_part = false;
    bool is_async = false;
    // Owns all it needs, so that after a timeout it may be left to finish on its own. A closure that
    // refers to the awaiting frame may not: it is asked to stop and waited for.
    bool may_be_abandoned = false;
    bool wants_stop_token = false;

    // The fan it is a branch of, which is told when it has ended; otherwise `waiter` is resumed. Weak: a
    // fan whose outcome is decided does not wait for branches that can be left behind.
    std::weak_ptr<FanCall> fan;
    std::size_t branch = 0;  // its number there, from 0
    // The fan that was decided without it, and waits for it to end because it could not be stopped.
    std::weak_ptr<FanCall> loser_of;

    // ---- the engine's own notes about the attempt under way
    std::coroutine_handle<> waiter;  // resumed when the call has its value or its error
    std::int64_t position = 0;       // among the run's stages
    int attempt = 1;
    int attempts_before = 0;  // used up before the run was retried: the policy counts from here
    std::optional<Time> first_started_at;
    Time started_at{};
    std::stop_source stop{std::nostopstate};
    Settlement settlement;

    // When a thread took the attempt, in milliseconds; 0 while it waits for one. The timeout runs from here.
    std::atomic<Time::rep> begun_at{0};

    // Its run has left memory: an attempt that no thread has taken yet must not begin, because another
    // pick-up of the run may have recorded the step by then.
    std::atomic<bool> given_up{false};

    // The timer that watches its timeout or wakes it up, by the engine's key; number 0: none.
    Time watched_until{};
    std::uint64_t watch = 0;

    std::size_t slot = 0;                // among the run's calls under way
    bool is_paused = false;              // until `sleep_until`
    bool is_launching = false;           // that it begins is on its way to disk
    std::atomic<bool> timed_out{false};  // its time is over, and it is being waited for
    bool clear_recoveries = false;       // its record shows that the run is no crash loop
    bool failure_recorded =
        false;  // a scope that failed before: its code is asked again, its record stays
    bool is_branch = false;  // of a fan
    bool is_loser = false;   // `loser_of` is set

    bool settle(int of_attempt) { return settlement.settle(of_attempt); }
};

inline Task<void> StepCall::run_branch(Time) { co_return; }

enum class Begin {
    Recorded,  // the call has its value or its error: go on at once
    Start,     // nothing recorded: run it
    Stop,      // the history says otherwise, or the run was stopped: never resume
};

// What the engine offers the Contexts of one run. Called from the workflow's own coroutine only.
class RunPort {
public:
    virtual ~RunPort() = default;

    virtual Begin begin(StepCall& call) = 0;
    virtual void start(std::shared_ptr<StepCall> call, std::coroutine_handle<> waiter) = 0;
    virtual void scope_succeeded(StepCall& call) = 0;
    virtual void scope_failed(StepCall& call, std::exception_ptr error) = 0;
    virtual bool patch(Context& context, std::string_view name) = 0;
    virtual void expects(std::string_view prefix) = 0;
    // The code never goes on after it. Throws Error{InvalidArgument} where it cannot be done.
    virtual void continue_as_new(Context& context, std::string input) = 0;

    // A branch that is a coroutine has ended. Its fan is told when no code of the run is on the stack.
    virtual void branch_ended(std::shared_ptr<StepCall> branch) = 0;
    // The outcome is decided: stops what is under way inside the fan. Gives how many calls could not be
    // stopped at once; the fan is told of each with loser_ended().
    virtual std::size_t stop_inside(FanCall& fan) = 0;
    // Records the fan's outcome. With `derived` nobody waits for it and the code goes on; otherwise the fan
    // is told with ended() when it is durable.
    virtual void end_fan(std::shared_ptr<FanCall> fan, bool derived) = 0;
    // The branches that count have taken their values: what is recorded of the others is done with.
    virtual void fan_replayed(FanCall& fan) = 0;
    // A fan is recorded as ended, but the record of a branch is missing.
    virtual void fan_has_gap(FanCall& fan, std::string_view branch) = 0;
    virtual const std::shared_ptr<RunShared>& shared() const = 0;
    virtual std::uint64_t seed() const = 0;
};

}  // namespace detail
}  // namespace belay

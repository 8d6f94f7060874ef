// work.hpp — a call that has attempts: a step, or a transaction.
//
// Internal to the headers; programs use Context. An attempt is executed by a thread while the Loop lane
// watches its time. The two meet in the Gate, and nowhere else: whoever settles the attempt there has the
// say, and what it came to is theirs until the Loop lane is told.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <belay/attempt.hpp>
#include <belay/cost.hpp>
#include <belay/detail/call.hpp>
#include <belay/options.hpp>
#include <belay/time.hpp>

namespace boost::asio {
class io_context;
}

namespace belay {

class Tx;

namespace detail {

// What the Loop lane and the thread of an attempt share. A settled attempt stays settled: only the Loop lane
// opens another.
class Gate {
public:
    // ---- the Loop lane
    void open(int attempt) {
        is_overdue_.store(false);
        begun_at_.store(0);
        open_.store(attempt);
    }
    // Its time is over, and it is waited for because it cannot be left behind: whatever it says, it has timed out.
    void set_overdue() { is_overdue_.store(true); }
    // Its run has left memory, or its fan was decided: an attempt that no thread has taken yet must not begin,
    // because another pick-up of the run may have recorded the step by then.
    void withdraw() { is_withdrawn_.store(true); }

    // ---- a thread that has taken the attempt
    void begin(Time now) { begun_at_.store(now.time_since_epoch().count()); }
    // Nobody wants it any more: do not begin.
    bool is_unwanted(int attempt) const {
        return is_withdrawn_.load() || is_overdue_.load() || !is_open(attempt);
    }

    // ---- both
    // Whoever is first has the say about the attempt: the thread that has its answer, or the clock.
    bool settle(int attempt) { return open_.compare_exchange_strong(attempt, 0); }
    bool is_open(int attempt) const { return open_.load() == attempt; }
    bool is_overdue() const { return is_overdue_.load(); }
    bool is_withdrawn() const { return is_withdrawn_.load(); }
    // When a thread took it: the timeout runs from here. Nothing while it waits for one, which is no work.
    std::optional<Time> begun() const {
        const Time at{Duration{begun_at_.load()}};
        if (at == Time{}) return std::nullopt;
        return at;
    }

private:
    std::atomic<int> open_{1};  // 0: settled
    std::atomic<bool> is_overdue_{false};
    std::atomic<bool> is_withdrawn_{false};
    std::atomic<Time::rep> begun_at_{0};  // in milliseconds
};

// What a settled attempt came to. Whoever has settled it has this; then the Writer, whose commit may add to it; then
// the Loop lane.
struct Found {
    std::string output{};          // JSON of the value
    std::unique_ptr<Cost> cost{};  // what the settled attempts said; null: nothing
    // Not null: the answer came from the cache, and so this was not spent.
    std::unique_ptr<Cost> spared{};
};

// Where the answer of a call may be found, and will be kept, for other runs. Written by the Loop lane before an
// attempt is opened; whoever has the attempt reads it.
struct CacheUse {
    std::string scope{};  // the step's name; of a branch, its fan's
    std::string key{};
    Duration keep_for{0};

    std::string stored_key{};  // with the organization; given by the engine
    std::shared_ptr<void>
        flight{};  // the Loop lane's: while it is held, others wait for this one's answer
};

// What the Loop lane knows of the attempt under way.
struct WorkNotes {
    Time started_at{};  // handed to the threads
    std::stop_source stop{std::nostopstate};
    bool slow_part_done = false;  // its commit part failed after it: only that is tried again
    // The newest of Attempt::checkpoint; null: none. Shared with the attempts that begin from it.
    std::shared_ptr<const std::string> checkpoint{};
    // The attempt was left behind, so nobody hears what it cost: all that it might have is counted.
    bool cost_is_unknown = false;
};

// How a step is taken back.
class Undo {
public:
    explicit Undo(bool of_begun) : of_begun(of_begun) {}
    virtual ~Undo() = default;
    Undo(const Undo&) = delete;
    Undo& operator=(const Undo&) = delete;

    // The call that does it, which is a step of its own and keeps the one it undoes alive. `record` is what that
    // returned; null: it was begun, and nobody knows. Throws Error{BadValue}.
    virtual std::shared_ptr<Call> call(Context& context, const std::string* record) const = 0;

    const bool of_begun;  // also of a step that was begun and has no record of success
    std::weak_ptr<Call> step;
};

// Part of a call, and destroyed with it.
class Work {
public:
    Work(Call& call, const StepOptions& given) : call(call), options(given) {
        if (!given.cache.key.empty()) cache_as(call.name, std::string(given.cache.key));
        options.cache.key = {};  // may not live as long
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    // The slow part, on a pool thread. When the function has returned it settles the attempt; true: this
    // thread had the say, and the call now has its value and `found`. False: the attempt had been given
    // up, and nothing was touched. Throws what the function throws, unsettled.
    virtual bool run(Attempt& attempt) { return gate.settle(attempt.number()); }

    // The same for a function that returns asio::awaitable; `done` is called once, on an I/O thread, with
    // what run() would have returned or thrown.
    using Done = std::function<void(bool settled, std::exception_ptr error)>;
    virtual void run_async(std::shared_ptr<Attempt>, boost::asio::io_context&, Done) {}

    // The part inside the commit. Gives the record (JSON).
    virtual std::string commit(Tx&) { return found.output; }

    void cache_as(std::string_view scope, std::string key) {
        cache = std::make_unique<CacheUse>();
        cache->scope = scope;
        cache->key = std::move(key);
        cache->keep_for = options.cache.keep_for;
    }

    // ---- fixed when it is made
    Call& call;  // whose work it is, and part of the same object
    StepOptions options;
    bool has_slow_part = false;
    bool has_commit_part = false;
    bool is_async = false;
    // Owns all it needs, so that after a timeout it may be left to finish on its own. A closure that
    // refers to the awaiting frame may not: it is asked to stop and waited for.
    bool may_be_abandoned = false;
    bool wants_stop_token = false;

    std::unique_ptr<Undo> undo;       // null: nothing takes it back
    std::unique_ptr<CacheUse> cache;  // null: not cached
    Gate gate;
    Found found;
    WorkNotes loop;

protected:
    // Not virtual: nobody destroys a Work by itself, and g++ 12 breaks on a call with two virtual destructors.
    ~Work() = default;
};

}  // namespace detail
}  // namespace belay

// call.hpp — what code has asked for and awaits, with its type erased, and the port the engine answers at.
//
// Internal to the headers; programs use Context. A call lives on the heap, shared by the coroutine that
// awaits it and whoever works on it, because after a timeout neither knows when the other ends. Whose each
// part is, and on which thread, is said by the type that it stands in: what is fixed once the call has
// begun is in the call itself, what is the Loop lane's in `loop`, and what a thread that executes an attempt
// has to do with it in work.hpp.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <belay/detail/run_shared.hpp>
#include <belay/options.hpp>
#include <belay/task.hpp>
#include <belay/time.hpp>

namespace belay {

class Context;

namespace detail {

enum class CallKind : std::uint8_t { Step, Transaction, Sleep, Scope, Fan, Child, Receive };

// What is under way for a call. Which follows which, and why, is a table: core/engine/call_states.hpp.
enum class CallState : std::uint8_t {
    Idle,         // nothing: it has not begun, or is over, or the Loop lane has it in hand
    InLine,       // another run works out the same answer
    Announcing,   // that it begins is on its way to disk
    UnderWay,     // an attempt of it is with a thread, or the record of one on its way to disk
    Recording,    // its end is on its way to disk
    Asking,       // the store is being asked whether what it waits for has come
    AskingAgain,  // the same, and something has come meanwhile
    Paused,       // until `until`, or until something comes
    Losing,  // its fan was decided without it, and waits for it because it could not be stopped
};
inline constexpr std::size_t kCallStates = 9;

class FanCall;
class Work;
struct AwaitedMessage;
struct AwaitedChild;
struct StartedChild;

// Its place in the history. Written by the Loop lane while no attempt is open; whoever has an attempt reads it.
struct HistoryEntry {
    std::int64_t position = 0;  // among the run's stages
    int attempt = 1;
    int attempts_before = 0;  // used up before the run was retried: the policy counts from here
    std::optional<Time> first_started_at{};
};

// What the Loop lane knows of a call. Nobody else reads or writes it.
struct LoopNotes {
    std::coroutine_handle<> waiter{};  // resumed when the call has its value or its error
    std::exception_ptr error{};        // what the awaiting code gets instead of a value
    std::size_t slot = 0;              // among the run's calls under way
    std::optional<Time> until{};  // of a pause; a sleep's own end; when a receive stops waiting

    // The timer that watches its timeout or wakes it up, by the engine's key; number 0: none.
    Time watched_until{};
    std::uint64_t watch = 0;

    // The fan it is a branch of, which is told when it has ended; otherwise `waiter` is resumed. Weak: a
    // fan whose outcome is decided does not wait for branches that can be left behind.
    std::weak_ptr<FanCall> fan{};
    // Losing: the fan that was decided without it.
    std::weak_ptr<FanCall> loser_of{};
    std::uint32_t branch = 0;  // its number in `fan`, from 0
    bool is_branch = false;

    CallState state = CallState::Idle;  // Resident::enter() changes it
    bool failure_recorded = false;      // a scope that failed before: its code is asked again
};

class Call {
public:
    Call(Context& context, CallKind kind, std::string_view name)
        : context(&context), name(name), kind(kind) {}
    virtual ~Call() = default;
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // Takes the value from a record instead of running. Throws Error{BadValue}.
    virtual void accept(std::string_view record) = 0;
    // Throws what accept() would throw, and touches nothing: from any thread.
    virtual void check(std::string_view) const {}

    // A scope that is a branch of a fan: its whole life, from begin to its record. `from` is the time that
    // its code sees first. What it throws is kept in `loop.error`.
    virtual Task<void> run_branch(Time from);

    // What it has beside this: a step or a transaction its work, a receive and a child what they wait for.
    virtual Work* work() { return nullptr; }
    virtual AwaitedMessage* message() { return nullptr; }
    virtual AwaitedChild* child() { return nullptr; }
    // Null: none, or its parent's end does not wait for it. Asked when the call has its value.
    virtual const StartedChild* started_child() { return nullptr; }
    const Work* work() const { return const_cast<Call*>(this)->work(); }
    const AwaitedMessage* message() const { return const_cast<Call*>(this)->message(); }
    const AwaitedChild* child() const { return const_cast<Call*>(this)->child(); }

    // ---- fixed when it has begun, and from then on read by any thread
    Context* context;
    std::string name;
    std::string path;  // given when the call starts, never when it is made; to a branch, by its fan
    std::shared_ptr<RunShared> run_shared;
    const CallKind kind;

    HistoryEntry entry;
    LoopNotes loop;
};

inline Task<void> Call::run_branch(Time) { co_return; }

// A message of this topic, and for how long it is waited for. Fixed when the call is made.
struct AwaitedMessage {
    std::string topic{};
    std::optional<Duration> timeout{};
};

// A run of another workflow. The Loop lane's.
struct AwaitedChild {
    std::string workflow{};
    std::string input{};  // JSON
    ChildOptions options{};

    std::string id{};           // once it is known
    bool retry_failed = false;  // the run was retried: so is its failed child
    bool is_recorded = false;   // the history says that it was waiting
};

// A run that was started and is waited for at the end.
struct StartedChild {
    std::string workflow{};
    std::string input{};  // JSON
    std::string id{};
};

// Waits for what is no time: a message, or the end of another run.
inline bool awaits(const Call& call) {
    return call.kind == CallKind::Receive || call.kind == CallKind::Child;
}

enum class Begin {
    Recorded,  // the call has its value or its error: go on at once
    Start,     // nothing recorded: run it
    Stop,      // the history says otherwise, or the run was stopped: never resume
};

// A handler of questions: JSON in, JSON out.
using Answerer = std::function<std::string(std::string_view question)>;

// What the engine offers the Contexts of one run. Called from the workflow's own coroutine only.
class RunPort {
public:
    virtual ~RunPort() = default;

    virtual Begin begin(Call& call) = 0;
    virtual void start(std::shared_ptr<Call> call, std::coroutine_handle<> waiter) = 0;
    // With its value as JSON. Throws Error{PayloadTooLarge}, and the scope has failed.
    virtual void scope_succeeded(Call& call, std::string output) = 0;
    virtual void scope_failed(Call& call, std::exception_ptr error) = 0;
    virtual bool patch(Context& context, std::string_view name) = 0;
    virtual void label(std::string_view name, std::string_view value) = 0;
    virtual void expose(std::string_view name, std::string json) = 0;
    // `scope` is the path of the scope around it with a dot, or empty.
    virtual void answer(std::string_view scope, std::string_view name, Answerer answerer) = 0;
    virtual void expects(std::string_view prefix) = 0;
    // The code never goes on after it. Throws Error{InvalidArgument} where it cannot be done.
    virtual void continue_as_new(Context& context, std::string input) = 0;

    // A branch that is a coroutine has ended. Its fan is told when no code of the run is on the stack.
    virtual void branch_ended(std::shared_ptr<Call> branch) = 0;
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

// context.hpp — what a workflow can do: run steps, wait, and stay the same after a crash.
//
// A workflow is called again from its start whenever its run is picked up; each step that is recorded
// returns its record at once. So the code between steps must do the same every time: take the time,
// randomness and ids from the Context, and put everything that touches the world into a step. Call a
// Context only from the coroutine that was given it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/json/value.hpp>

#include <belay/detail/answerer.hpp>
#include <belay/detail/await_call.hpp>
#include <belay/step.hpp>
#include <belay/workflow.hpp>

namespace belay {

namespace detail {
struct ContextAccess;

// What continue_as_new gives to be awaited.
class [[nodiscard(
    "a run continues as new when it is awaited: co_await ctx.continue_as_new(…)")]] Continue {
public:
    Continue(Context & context, std::string input) : context_(context), input_(std::move(input)) {}

    bool await_ready();
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    Never await_resume() const noexcept { return {}; }

private:
    Context& context_;
    std::string input_;  // JSON
};
}  // namespace detail
struct FanOptions;

class Context {
public:
    Context(detail::RunPort& port, std::string prefix, Time now)
        : port_(port), prefix_(std::move(prefix)), now_(now) {}
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    // Runs `function(args…)` on the pool and records its result under `name`; a later pick-up of the run
    // returns the record without running it. Retried and timed out by `options`; durable when the await
    // returns. Throws StepFailed when the last attempt failed. If this position in the run is recorded
    // under another name, the run is paused and the await never returns.
    template <class F, class... Args>
    requires(!std::is_same_v<std::decay_t<F>, StepOptions>) auto step(std::string_view name,
                                                                      F&& function,
                                                                      Args&&... args) {
        return step(name, StepOptions{}, std::forward<F>(function), std::forward<Args>(args)...);
    }
    template <class F, class... Args>
    auto step(std::string_view name, const StepOptions& options, F&& function, Args&&... args) {
        detail::check_function<F>();
        (detail::check_argument<Args>(), ...);
        using Call = detail::FunctionStep<std::decay_t<F>, detail::Owned<Args>...>;
        using R = detail::StepResultT<std::decay_t<F>, detail::Owned<Args>...>;
        if constexpr (!std::is_void_v<R>) detail::require_form<R, detail::Use::WriteAndRead>();
        return PlainStep<R, Call>{std::make_shared<Call>(
            *this, name, options, std::forward<F>(function), std::forward<Args>(args)...)};
    }

    // What no function can be told from: says so.
    template <class... Args>
    detail::Kept<void> step(std::string_view, detail::NotOneFunction, Args&&...) {
        detail::say_not_one_function<Args...>();
        return {};
    }
    template <class... Args>
    detail::Kept<void> step(std::string_view, const StepOptions&, detail::NotOneFunction,
                            Args&&...) {
        detail::say_not_one_function<Args...>();
        return {};
    }

    // Runs `function(Tx&, args…)` as SQL in the transaction of its own checkpoint: exactly once (P4).
    template <class F, class... Args>
    requires(!std::is_same_v<std::decay_t<F>, StepOptions>) auto transaction(std::string_view name,
                                                                             F&& function,
                                                                             Args&&... args) {
        return transaction(name, StepOptions{}, std::forward<F>(function),
                           std::forward<Args>(args)...);
    }
    template <class F, class... Args>
    auto transaction(std::string_view name, const StepOptions& options, F&& function,
                     Args&&... args) {
        detail::check_function<F>();
        (detail::check_argument<Args>(), ...);
        static_assert(std::is_invocable_v<std::decay_t<F>&, Tx&, const detail::Owned<Args>&...>,
                      "belay: a transaction calls function(belay::Tx&, const Args&…).");
        using Call = detail::TransactionStep<std::decay_t<F>, detail::Owned<Args>...>;
        using R = std::decay_t<
            std::invoke_result_t<std::decay_t<F>&, Tx&, const detail::Owned<Args>&...>>;
        return Step<R, false>{std::make_shared<Call>(
            *this, name, options, std::forward<F>(function), std::forward<Args>(args)...)};
    }

    template <class... Args>
    detail::Kept<void> transaction(std::string_view, detail::NotOneFunction, Args&&...) {
        detail::say_not_one_function<Args...>();
        return {};
    }

    // Runs the coroutine `function(Context&, args…)` as a named group: one stage with stages inside. The
    // inner Context is the one to use inside. What it throws comes out unchanged.
    template <class F, class... Args>
    auto scope(std::string_view name, F function, Args&&... args);
    template <class... Args>
    detail::Kept<void> scope(std::string_view, detail::NotOneFunction, Args&&...) {
        detail::say_not_one_function<Args...>();
        return {};
    }

    // ---- fan-out and fan-in (belay/fan.hpp)

    // Runs `function` for every item, side by side: a branch `name_1`, `name_2`, … each. A plain function
    // makes each branch a step, retried and timed out by the options; a coroutine `Task<R>(Context&, Item)`
    // makes it a scope with steps of its own. Gives std::vector<R> in the order of the items; see Fan for
    // what else it can give and what a failed branch means. At most kFanBranchesMax items.
    template <class Items, class F>
    auto map(std::string_view name, Items&& items, F function);
    template <class Items, class F>
    auto map(std::string_view name, const FanOptions& options, Items&& items, F function);

    // Runs given steps, scopes, sleeps, receives and children side by side, each under its own name:
    //     const auto both = co_await ctx.all("both", ctx.step("a", f), ctx.scope("b", g, x));
    // gives a std::tuple, and for a std::vector of steps a std::vector.
    template <class... Branches>
    auto all(std::string_view name, Branches&&... branches);

    // The first of them to end, in success or failure, decides; the others are stopped and recorded as
    // skipped. Gives a RaceResult.
    template <class... Branches>
    auto race(std::string_view name, Branches&&... branches);

    // Waits, for seconds or for months, holding no thread; a run that sleeps survives restarts and may
    // leave memory meanwhile.
    Step<void, false> sleep(Duration duration, std::string_view name = "sleep") {
        return Step<void, false>{std::make_shared<detail::SleepCall>(*this, name, duration)};
    }
    Step<void, false> sleep_until(Time time, std::string_view name = "sleep") {
        auto call = std::make_shared<detail::SleepCall>(*this, name, Duration{0});
        call->loop.until = time;
        return Step<void, false>{std::move(call)};
    }

    // ---- other runs

    // Runs another workflow and waits for its result: a run of its own, with its own history, id and
    // retries, that is canceled with this one (unless ChildOptions::when_parent_ends says Leave) and inherits its
    // organization and deadline. Its id is
    // derived from this run and place, so it is started once; with an id of its own it may join a run
    // that exists (P3). Throws StepFailed when the child failed, was canceled or was deleted; a retry of
    // this run retries it in place. While it waits, this run holds no thread and no lease.
    // Without an input for a workflow that takes none. By a handle (workflow.hpp) the types are the workflow's, and
    // others do not compile. `options` are named before the await where the compiler needs it (docs/coroutines.md).
    template <class R = boost::json::value, detail::WorkflowKey Key, detail::ChildInput In>
    Step<detail::ResultBy<R, Key>, false> child(
        const Key& workflow, In&& input, const ChildOptions& options = detail::no_child_options()) {
        detail::check_argument<In>();
        return Step<detail::ResultBy<R, Key>, false>{
            std::make_shared<detail::ChildCall<detail::ResultBy<R, Key>>>(
                *this, detail::key_text(workflow), detail::child_input<Key>(input), options)};
    }
    template <class R = boost::json::value, detail::WorkflowKey Key, detail::ChildInput In>
    Step<detail::ResultBy<R, Key>, false> child(const Key& workflow, In&& input,
                                                ChildOptions&& options) {
        detail::check_named<Key>();
        return child<R>(workflow, std::forward<In>(input), std::as_const(options));
    }
    template <class R = boost::json::value, detail::WorkflowKey Key>
    Step<detail::ResultBy<R, Key>, false> child(
        const Key& workflow, const ChildOptions& options = detail::no_child_options()) {
        detail::check_no_input<Key>();
        return Step<detail::ResultBy<R, Key>, false>{
            std::make_shared<detail::ChildCall<detail::ResultBy<R, Key>>>(
                *this, detail::key_text(workflow), "null", options)};
    }
    template <class R = boost::json::value, detail::WorkflowKey Key>
    Step<detail::ResultBy<R, Key>, false> child(const Key& workflow, ChildOptions&& options) {
        detail::check_named<Key>();
        return child<R>(workflow, std::as_const(options));
    }

    // Starts another workflow and does not wait for it; gives its run's id. It is on its own from there, and a cancel of
    // this run does not reach it, unless ChildOptions::when_parent_ends says otherwise: with Wait this run ends only when
    // that one is over, and it is started by the workflow's own code, in no scope and no branch. Takes what child() takes.
    template <detail::WorkflowKey Key, detail::ChildInput In>
    Step<std::string, false> start(const Key& workflow, In&& input,
                                   const ChildOptions& options = detail::no_child_options()) {
        detail::check_argument<In>();
        return Step<std::string, false>{std::make_shared<detail::StartCall>(
            *this, detail::key_text(workflow), detail::child_input<Key>(input), options)};
    }
    template <detail::WorkflowKey Key, detail::ChildInput In>
    Step<std::string, false> start(const Key& workflow, In&& input, ChildOptions&& options) {
        detail::check_named<Key>();
        return start(workflow, std::forward<In>(input), std::as_const(options));
    }
    template <detail::WorkflowKey Key>
    Step<std::string, false> start(const Key& workflow,
                                   const ChildOptions& options = detail::no_child_options()) {
        detail::check_no_input<Key>();
        return Step<std::string, false>{std::make_shared<detail::StartCall>(
            *this, detail::key_text(workflow), "null", options)};
    }
    template <detail::WorkflowKey Key>
    Step<std::string, false> start(const Key& workflow, ChildOptions&& options) {
        detail::check_named<Key>();
        return start(workflow, std::as_const(options));
    }

    // ---- messages

    // Waits for the next message of that topic to this run: each is delivered once, the oldest first,
    // also one that was sent before this is called, or before the run existed. Holds nothing meanwhile.
    // Throws StepFailed if what was sent is no T.
    template <class T>
    Step<T, false> receive(std::string_view topic) {
        return Step<T, false>{std::make_shared<detail::ReceiveCall<T>>(*this, topic)};
    }
    // The same for at most `timeout`; nothing if no message came. Which of the two came first is recorded
    // with the message, so a replay never sees the other.
    template <class T>
    Step<std::optional<T>, false> receive(std::string_view topic, Duration timeout) {
        return Step<std::optional<T>, false>{
            std::make_shared<detail::ReceiveForCall<T>>(*this, topic, timeout)};
    }

    // Sends a message to another run, exactly once. Throws StepFailed if that run has ended.
    template <class T>
    Step<void, false> send(std::string_view run_id, std::string_view topic, T&& value) {
        detail::check_argument<T>();
        return Step<void, false>{
            std::make_shared<detail::SendCall>(*this, run_id, topic, to_json(value))};
    }

    // The time of the last record: the same after a crash, and no write.
    Time now() const { return now_; }

    // Derived from the run's id, this position and how often it was asked: the same after a crash.
    std::uint64_t random();
    std::string uuid();

    // A key for this position in this run, to be given to a service so that it does a thing once. Inside
    // a step use Attempt::idempotency_key().
    std::string idempotency_key();

    // Shown live; durable with the next checkpoint.
    void progress(std::int64_t done, std::int64_t total, std::string_view text = {}) {
        port_.shared()->report(done, total, text);
    }

    // ---- what the run says of itself, and answers. None of these is a step: a replay says the same again, and what was
    // said last stands.

    // Labels the run, to be found by (RunQuery::labels); durable with its next commit. At most 32 names besides those of
    // its submission. Throws Error{InvalidArgument} for a name or value that cannot be one (Labels).
    void label(std::string_view name, std::string_view value) { port_.label(name, value); }

    // Lets others read this value under this name (Run::exposed, the page, GET /api/runs/{id}), at any time, without
    // waking the run, and after its end; watchers are told (feed.hpp: run_exposed). Durable with the run's next commit.
    // At most 64 names and 64 KiB of JSON each: throws Error{InvalidArgument}, {PayloadTooLarge}.
    template <class T>
    void expose(std::string_view name, T&& value) {
        port_.expose(name, to_json(value));
    }

    // Answers the question `name` (Engine::ask) with what `handler(question)`, or `handler()`, returns; what it throws is
    // the asker's. Called between the run's turns, never beside its code, as often as somebody asks, until this Context's
    // scope ends; it only looks: it must be quick, and call nothing of a Context. What changes a run is a message
    // (receive). What it refers to lives as long as the scope; another handler of that name takes its place.
    template <class F>
    void answer(std::string_view name, F handler) {
        port_.answer(prefix_, name, detail::answerer(std::move(handler)));
    }

    // True for runs that reach this point for the first time with this code, false for runs that passed
    // it with older code: `if (ctx.patch("vat-2027")) { new steps } else { the old ones }`.
    bool patch(std::string_view name) { return port_.patch(*this, name); }

    // ---- guard, and loops without end

    // This code is for workflows whose key begins so. If this run's does not, that is recorded as the stage
    // `guard`, `skipped`, and Error{InvalidArgument} is thrown: a run that was sent to the wrong workflow
    // fails before it has written anything. Otherwise it does nothing, and costs nothing.
    void expects(std::string_view prefix) { port_.expects(prefix); }

    // Begins this run anew with another input: the same id, a fresh history. For loops without end, before
    // their history is long: ctx.steps() says how far it is. Never returns:
    //     co_return co_await ctx.continue_as_new(next);      or in a Task<void>: co_await …;
    // Messages that are not read yet stay; its deadline and who waits for it stay. Call it from the
    // workflow's own code, not inside a scope or a branch.
    template <class In>
    detail::Continue continue_as_new(In&& input) {
        detail::check_argument<In>();
        return detail::Continue{*this, to_json(input)};
    }

    // How many steps this code has begun so far, those inside scopes and branches apart: the same after a
    // crash.
    std::uint32_t steps() const { return steps_; }

    const std::string& run_id() const { return port_.shared()->id; }
    const std::string& workflow_key() const { return port_.shared()->workflow_key; }
    const std::string& organization_id() const { return port_.shared()->organization_id; }

private:
    friend struct detail::ContextAccess;
    friend class detail::StepAwaiter;

    detail::RunPort& port_;
    std::string prefix_;       // "" or "4.2."
    Time now_;                 // of the last record that this context has seen
    std::uint32_t steps_ = 0;  // begun so far: the last one's number
    std::uint32_t draws_ = 0;  // of random numbers since that step
};

namespace detail {

// The engine's way to a Context's place in the run.
struct ContextAccess {
    static std::string next_path(Context& context) {
        context.draws_ = 0;
        return context.prefix_ + std::to_string(++context.steps_);
    }
    // The path the next step will get.
    static std::string peek_path(const Context& context) {
        return context.prefix_ + std::to_string(context.steps_ + 1);
    }
    static void saw(Context& context, Time time) {
        if (time > context.now_) context.now_ = time;
    }
    static RunPort& port(const Context& context) { return context.port_; }
    static bool is_own_code(const Context& context) { return context.prefix_.empty(); }
};

inline bool Continue::await_ready() {
    ContextAccess::port(context_).continue_as_new(context_, std::move(input_));
    return false;
}

// Suspends for ever when the history says otherwise.
struct ScopeEntry {
    Begin begun;
    bool await_ready() const { return begun != Begin::Stop; }
    void await_suspend(std::coroutine_handle<>) const {}
    void await_resume() const {}
};

template <class R>
class ScopeCallOf : public CallOf<R> {
public:
    using CallOf<R>::CallOf;

    virtual Task<R> invoke(Context& inner) = 0;

    // From begin to its record; what the code throws comes out.
    Task<void> run_inside(Time from) {
        Context& outer = *this->context;
        RunPort& port = ContextAccess::port(outer);
        const ScopeEntry entry{port.begin(*this)};
        co_await entry;
        if (entry.begun == Begin::Recorded) co_return;
        Context inner{port, this->path + ".", from};
        std::string output;
        try {
            if constexpr (std::is_void_v<R>) {
                co_await invoke(inner);
                output = this->keep_value(Nothing{});
            } else {
                output = this->keep_value(co_await invoke(inner));
            }
        } catch (...) {
            ContextAccess::saw(outer, inner.now());
            port.scope_failed(*this, std::current_exception());
            throw;
        }
        ContextAccess::saw(outer, inner.now());
        port.scope_succeeded(*this, std::move(output));
    }

    Task<void> run_branch(Time from) override {
        try {
            co_await run_inside(from);
        } catch (...) {
            if (!this->loop.error) this->loop.error = std::current_exception();
        }
    }
};

template <class R, class F, class... Args>
class ScopeCall final : public ScopeCallOf<R> {
public:
    template <class... Given>
    ScopeCall(Context& context, std::string_view name, F function, Given&&... given)
        : ScopeCallOf<R>(context, CallKind::Scope, name), function_(std::move(function)),
          args_(std::forward<Given>(given)...) {}

    Task<R> invoke(Context& inner) override {
        return std::apply([&](const Args&... args) { return function_(inner, args...); }, args_);
    }

private:
    F function_;  // kept here because a coroutine lambda refers to its closure
    std::tuple<Args...> args_;
};

inline bool StepAwaiter::await_ready() {
    Call& call = **call_;
    begun_ = call.context->port_.begin(call);
    return begun_ == Begin::Recorded;
}

inline void StepAwaiter::await_suspend(std::coroutine_handle<> waiter) {
    if (begun_ == Begin::Start) (*call_)->context->port_.start(*call_, waiter);
}

}  // namespace detail

// A named group of steps that has not begun: `co_await ctx.scope(…)`, or a branch of `all` and `race`.
template <class R>
class [[nodiscard("a scope runs when it is awaited: co_await ctx.scope(…)")]] Scope {
public:
    explicit Scope(std::shared_ptr<detail::ScopeCallOf<R>> call) : call_(std::move(call)) {}

    class Awaiter {
    public:
        explicit Awaiter(std::shared_ptr<detail::ScopeCallOf<R>> call)
            : call_(std::move(call)), task_(call_->run_inside(call_->context->now())),
              inner_(task_.operator co_await()) {}
        bool await_ready() { return inner_.await_ready(); }
        bool await_suspend(std::coroutine_handle<> parent) { return inner_.await_suspend(parent); }
        R await_resume() {
            inner_.await_resume();
            return call_->take();
        }

    private:
        std::shared_ptr<detail::ScopeCallOf<R>> call_;
        Task<void> task_;
        decltype(std::declval<Task<void>&>().operator co_await()) inner_;
    };
    Awaiter operator co_await()&& { return Awaiter{std::move(call_)}; }
    template <class Dependent = R>
    Awaiter operator co_await()& {
        detail::say_await_at_once<detail::Kept<Dependent>>();
        return Awaiter{call_};
    }

    std::shared_ptr<detail::CallOf<R>> branch_call()&& { return std::move(call_); }

private:
    std::shared_ptr<detail::ScopeCallOf<R>> call_;
};

template <class F, class... Args>
auto Context::scope(std::string_view name, F function, Args&&... args) {
    detail::check_function<F>();
    (detail::check_argument<Args>(), ...);
    using Result = std::invoke_result_t<F&, Context&, const detail::Owned<Args>&...>;
    static_assert(
        detail::IsTask<Result>::value,
        "belay: a scope runs a coroutine: belay::Task<R> name(belay::Context& inner, Args…). For a "
        "plain function write ctx.step(\"name\", function, args…).");
    using R = typename Result::value_type;
    using Call = detail::ScopeCall<R, F, detail::Owned<Args>...>;
    return Scope<R>{
        std::make_shared<Call>(*this, name, std::move(function), std::forward<Args>(args)...)};
}

}  // namespace belay

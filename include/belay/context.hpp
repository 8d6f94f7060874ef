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

#include <belay/step.hpp>

namespace belay {

namespace detail {
struct ContextAccess;
}

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
        requires(!std::is_same_v<std::decay_t<F>, StepOptions>)
    auto step(std::string_view name, F&& function, Args&&... args) {
        return step(name, StepOptions{}, std::forward<F>(function), std::forward<Args>(args)...);
    }
    template <class F, class... Args>
    auto step(std::string_view name, const StepOptions& options, F&& function, Args&&... args) {
        detail::check_function<F>();
        (detail::check_argument<Args>(), ...);
        using Call = detail::FunctionStep<std::decay_t<F>, detail::Owned<Args>...>;
        using R = detail::StepResultT<std::decay_t<F>, detail::Owned<Args>...>;
        if constexpr (!std::is_void_v<R>) detail::require_form<R, detail::Use::WriteAndRead>();
        return Step<R>{std::make_shared<Call>(*this, name, options, std::forward<F>(function),
                                              std::forward<Args>(args)...)};
    }

    // Runs `function(Tx&, args…)` as SQL in the transaction of its own checkpoint: exactly once (P4).
    template <class F, class... Args>
        requires(!std::is_same_v<std::decay_t<F>, StepOptions>)
    auto transaction(std::string_view name, F&& function, Args&&... args) {
        return transaction(name, StepOptions{}, std::forward<F>(function), std::forward<Args>(args)...);
    }
    template <class F, class... Args>
    auto transaction(std::string_view name, const StepOptions& options, F&& function, Args&&... args) {
        detail::check_function<F>();
        (detail::check_argument<Args>(), ...);
        static_assert(std::is_invocable_v<std::decay_t<F>&, Tx&, const detail::Owned<Args>&...>,
                      "belay: a transaction calls function(belay::Tx&, const Args&…).");
        using Call = detail::TransactionStep<std::decay_t<F>, detail::Owned<Args>...>;
        using R = std::decay_t<std::invoke_result_t<std::decay_t<F>&, Tx&, const detail::Owned<Args>&...>>;
        return Step<R, false>{std::make_shared<Call>(*this, name, options, std::forward<F>(function),
                                              std::forward<Args>(args)...)};
    }

    // Runs the coroutine `function(Context&, args…)` as a named group: one stage with stages inside. The
    // inner Context is the one to use inside. What it throws comes out unchanged.
    template <class F, class... Args>
    auto scope(std::string_view name, F function, Args&&... args);

    // Waits, for seconds or for months, holding no thread; a run that sleeps survives restarts and may
    // leave memory meanwhile.
    Step<void, false> sleep(Duration duration, std::string_view name = "sleep") {
        auto call = std::make_shared<detail::SleepStep>(*this, name);
        call->sleep_for = duration;
        return Step<void, false>{std::move(call)};
    }
    Step<void, false> sleep_until(Time time, std::string_view name = "sleep") {
        auto call = std::make_shared<detail::SleepStep>(*this, name);
        call->sleep_until = time;
        return Step<void, false>{std::move(call)};
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

    // True for runs that reach this point for the first time with this code, false for runs that passed
    // it with older code: `if (ctx.patch("vat-2027")) { new steps } else { the old ones }`.
    bool patch(std::string_view name) { return port_.patch(*this, name); }

    const std::string& run_id() const { return port_.shared()->id; }
    const std::string& organization_id() const { return port_.shared()->organization_id; }

private:
    friend struct detail::ContextAccess;
    friend class detail::StepAwaiter;

    template <class R, class Call>
    Task<R> run_scope(std::shared_ptr<Call> call);

    detail::RunPort& port_;
    std::string prefix_;        // "" or "4.2."
    Time now_;                  // of the last record that this context has seen
    std::uint32_t steps_ = 0;   // begun so far: the last one's number
    std::uint32_t draws_ = 0;   // of random numbers since that step
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
};

template <class R, class F, class... Args>
class ScopeCall final : public StepCallOf<R> {
public:
    template <class... Given>
    ScopeCall(Context& context, std::string_view name, F function, Given&&... given)
        : StepCallOf<R>(context, CallKind::Scope, name, {}), function_(std::move(function)),
          args_(std::forward<Given>(given)...) {}

    Task<R> invoke(Context& inner) {
        return std::apply([&](const Args&... args) { return function_(inner, args...); }, args_);
    }

private:
    F function_;  // kept here because a coroutine lambda refers to its closure
    std::tuple<Args...> args_;
};

inline bool StepAwaiter::await_ready() {
    StepCall& call = **call_;
    begun_ = call.context->port_.begin(call);
    return begun_ == Begin::Recorded;
}

inline void StepAwaiter::await_suspend(std::coroutine_handle<> waiter) {
    if (begun_ == Begin::Start) (*call_)->context->port_.start(*call_, waiter);
}

// Suspends for ever when the history says otherwise.
struct ScopeEntry {
    Begin begun;
    bool await_ready() const { return begun != Begin::Stop; }
    void await_suspend(std::coroutine_handle<>) const {}
    void await_resume() const {}
};

}  // namespace detail

template <class R, class Call>
Task<R> Context::run_scope(std::shared_ptr<Call> call) {
    const detail::ScopeEntry entry{port_.begin(*call)};
    co_await entry;
    if (entry.begun == detail::Begin::Recorded) co_return call->take();
    Context inner{port_, call->path + ".", now_};
    try {
        if constexpr (std::is_void_v<R>) {
            co_await call->invoke(inner);
            call->keep(Nothing{});
        } else {
            call->keep(co_await call->invoke(inner));
        }
    } catch (...) {
        detail::ContextAccess::saw(*this, inner.now_);
        port_.scope_failed(*call, std::current_exception());
        throw;
    }
    detail::ContextAccess::saw(*this, inner.now_);
    port_.scope_succeeded(*call);
    co_return call->take();
}

template <class F, class... Args>
auto Context::scope(std::string_view name, F function, Args&&... args) {
    detail::check_function<F>();
    (detail::check_argument<Args>(), ...);
    using Result = std::invoke_result_t<F&, Context&, const detail::Owned<Args>&...>;
    static_assert(detail::IsTask<Result>::value,
                  "belay: a scope runs a coroutine: belay::Task<R> name(belay::Context& inner, Args…). For a "
                  "plain function write ctx.step(\"name\", function, args…).");
    using R = typename Result::value_type;
    using Call = detail::ScopeCall<R, F, detail::Owned<Args>...>;
    return run_scope<R>(
        std::make_shared<Call>(*this, name, std::move(function), std::forward<Args>(args)...));
}

}  // namespace belay

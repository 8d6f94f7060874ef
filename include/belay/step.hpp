// step.hpp — a step, from `ctx.step(…)` to its value.
//
// A Step is lazy: it starts, and gets its place in the run, when it is awaited. What it runs and what
// it was given live on the heap, so a Step in a coroutine frame is one pointer.
#pragma once

#include <concepts>
#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <belay/codec.hpp>
#include <belay/detail/call.hpp>
#include <belay/detail/refuse.hpp>
#include <belay/detail/work.hpp>
#include <belay/error.hpp>
#include <belay/task.hpp>
#include <belay/tx.hpp>

namespace boost::asio {
template <typename T, typename Executor>
class awaitable;
}

namespace belay {
namespace detail {

// Text is taken over as std::string: a view or a pointer could dangle before the step runs.
template <class A>
using Owned =
    std::conditional_t<std::is_convertible_v<A, std::string_view>, std::string, std::decay_t<A>>;

template <class T>
struct IsTask : std::false_type {};
template <class T>
struct IsTask<Task<T>> : std::true_type {};

// A function that returns asio::awaitable<T> gives a T; how to run it is in belay/async.hpp.
template <class T>
struct Async {
    static constexpr bool value = false;
    using type = T;
};
template <class T, class Executor>
struct Async<boost::asio::awaitable<T, Executor>> {
    static constexpr bool value = true;
    using type = T;
};
template <class Awaitable>
struct AsyncRunner {
    static constexpr bool kIncluded = false;
};

template <class R>
using Kept = std::conditional_t<std::is_void_v<R>, Nothing, R>;

// ---- calls

// A call with its value. Whoever settles an attempt has the value as it has `found` (work.hpp); of what has no
// attempts it is the Loop lane's.
template <class R>
class CallOf : public Call {
public:
    using Call::Call;

    void accept(std::string_view record) override { value.emplace(from_json<Kept<R>>(record)); }
    void check(std::string_view record) const override {
        static_cast<void>(from_json<Kept<R>>(record));
    }

    R take() {
        if (loop.error) std::rethrow_exception(loop.error);
        if constexpr (!std::is_void_v<R>) return std::move(*value);
    }

    std::optional<Kept<R>> value;

protected:
    // Gives it as JSON.
    std::string keep_value(Kept<R> result) {
        std::string json = to_json(result);
        value.emplace(std::move(result));
        return json;
    }
};

// A step or a transaction.
template <class R>
class StepCall : public CallOf<R>, public Work {
public:
    StepCall(Context& context, CallKind kind, std::string_view name, const StepOptions& options)
        : CallOf<R>(context, kind, name), Work(*this, options) {}

    Work* work() final { return this; }

    std::string commit(Tx& tx) override {
        if (save) save(tx, *this->value);
        return found.output;
    }

    std::function<void(Tx&, const Kept<R>&)> save;

protected:
    void keep(Kept<R> result) { found.output = this->keep_value(std::move(result)); }
    // The same, if the attempt is still ours to decide.
    bool settle_and_keep(int attempt, Kept<R> result) {
        std::string json = to_json(result);
        if (!gate.settle(attempt)) return false;
        found.output = std::move(json);
        this->value.emplace(std::move(result));
        return true;
    }
};

template <class F, class... Args>
struct StepResult {
    static constexpr bool kTakesAttempt = std::is_invocable_v<F&, Attempt&, const Args&...>;
    static constexpr bool kCallable = kTakesAttempt || std::is_invocable_v<F&, const Args&...>;
    static_assert(
        kCallable,
        "belay: this step's function cannot be called with these arguments. They are passed as "
        "const references; a first parameter of type belay::Attempt& is filled in for you.");
    static auto deduce() {
        if constexpr (kTakesAttempt) {
            return std::type_identity<std::invoke_result_t<F&, Attempt&, const Args&...>>{};
        } else if constexpr (kCallable) {
            return std::type_identity<std::invoke_result_t<F&, const Args&...>>{};
        } else {
            return std::type_identity<void>{};
        }
    }
    using Raw = typename decltype(deduce())::type;
    using type = typename Async<std::decay_t<Raw>>::type;
};

template <class F, class... Args>
using StepResultT = typename StepResult<F, Args...>::type;

template <class F, class... Args>
class FunctionStep final : public StepCall<StepResultT<F, Args...>> {
    using R = StepResultT<F, Args...>;
    using Raw = typename StepResult<F, Args...>::Raw;
    static constexpr bool kAsync = Async<std::decay_t<Raw>>::value;
    static_assert(
        !IsTask<std::decay_t<Raw>>::value,
        "belay: a step runs a plain function. For a coroutine with steps of its own write "
        "co_await ctx.scope(\"name\", coroutine, arguments…).");
    static_assert(
        !kAsync || AsyncRunner<std::decay_t<Raw>>::kIncluded,
        "belay: this step returns asio::awaitable; #include <belay/async.hpp> to run it.");

public:
    template <class... Given>
    FunctionStep(Context& context, std::string_view name, const StepOptions& options, F function,
                 Given&&... given)
        : StepCall<R>(context, CallKind::Step, name, options), function_(std::move(function)),
          args_(std::forward<Given>(given)...) {
        this->has_slow_part = true;
        this->is_async = kAsync;
        this->wants_stop_token = StepResult<F, Args...>::kTakesAttempt || kAsync;
        this->may_be_abandoned = !kAsync && (std::is_empty_v<F> || std::is_pointer_v<F>);
    }

    bool run(Attempt& attempt) override {
        if constexpr (kAsync) {
            return false;
        } else if constexpr (std::is_void_v<R>) {
            invoke(attempt);
            return this->settle_and_keep(attempt.number(), Nothing{});
        } else {
            return this->settle_and_keep(attempt.number(), invoke(attempt));
        }
    }

    const std::tuple<Args...>& args() const { return args_; }

    void run_async(std::shared_ptr<Attempt> attempt, boost::asio::io_context& io,
                   Work::Done done) override {
        if constexpr (kAsync) {
            AsyncRunner<std::decay_t<Raw>>::run(
                io, invoke(*attempt), attempt,
                [this, attempt](Kept<R> value) {
                    return this->settle_and_keep(attempt->number(), std::move(value));
                },
                std::move(done));
        }
    }

private:
    Raw invoke(Attempt& attempt) {
        return std::apply(
            [&](const Args&... args) -> Raw {
                if constexpr (StepResult<F, Args...>::kTakesAttempt) {
                    return function_(attempt, args...);
                } else {
                    return function_(args...);
                }
            },
            args_);
    }

    F function_;
    std::tuple<Args...> args_;
};

// ---- undo

// What a step's undo is told of its result.
template <class Fn, class R, class... Args>
struct UndoForm {
    template <class... Told>
    static constexpr bool kTakes =
        std::is_invocable_v<const Fn&, Told..., const Args&...> ||
        std::is_invocable_v<const Fn&, Attempt&, Told..., const Args&...>;
    static constexpr bool takes_result() {
        if constexpr (std::is_void_v<R>) {
            return kTakes<>;
        } else {
            return kTakes<const R&>;
        }
    }
    // Whether it happened, and with what.
    using Perhaps = std::conditional_t<std::is_void_v<R>, bool, std::optional<Kept<R>>>;
    static constexpr bool kOfBegun = kTakes<const Perhaps&>;
    static_assert(
        kOfBegun || takes_result(),
        "belay: an undo is called with what the step returned, if it returns something, and with "
        "the step's arguments: undo(const Result&, const Args&…). To be called also for a step "
        "that was begun and may have happened: undo(std::optional<Result>, const Args&…), or of a "
        "step that returns nothing undo(bool happened, const Args&…). A first parameter of type "
        "belay::Attempt& is filled in for you.");
};

// What an undo's own step runs.
template <class Fn, class R, class Of>
struct UndoBody {
    Fn function;
    std::shared_ptr<Of> of;  // whose arguments it is given
    std::optional<Kept<R>> result;

    auto operator()(Attempt& attempt) const {
        return std::apply(
            [&]<class... Args>(const Args&... args) {
                if constexpr (UndoForm<Fn, R, Args...>::kOfBegun) {
                    if constexpr (std::is_void_v<R>) {
                        return call(attempt, result.has_value(), args...);
                    } else {
                        return call(attempt, result, args...);
                    }
                } else if constexpr (std::is_void_v<R>) {
                    return call(attempt, args...);
                } else {
                    return call(attempt, *result, args...);
                }
            },
            of->args());
    }

private:
    template <class... Told>
    auto call(Attempt& attempt, const Told&... told) const {
        if constexpr (std::is_invocable_v<const Fn&, Attempt&, const Told&...>) {
            return function(attempt, told...);
        } else {
            return function(told...);
        }
    }
};

template <class Fn, class R, class Of>
class UndoBy final : public Undo {
public:
    UndoBy(const std::shared_ptr<Of>& of, Fn function, const StepOptions& options, bool of_begun)
        : Undo(of_begun), function_(std::move(function)), options_(options) {
        step = of;
        options_.cache = {};
        options_.costs_at_most = {};  // what is taken back is not held up by a budget
    }

    std::shared_ptr<Call> call(Context& context, const std::string* record) const override {
        std::optional<Kept<R>> result;
        if (record != nullptr) result.emplace(from_json<Kept<R>>(*record));
        auto of = std::static_pointer_cast<Of>(step.lock());
        const std::string name = "undo/" + of->name;
        using Body = UndoBody<Fn, R, Of>;
        auto made = std::make_shared<FunctionStep<Body>>(
            context, name, options_, Body{function_, std::move(of), std::move(result)});
        made->may_be_abandoned = !made->is_async;  // it refers to nobody's frame
        return made;
    }

private:
    Fn function_;
    StepOptions options_;
};

template <class Of>
struct UndoFormOf;
template <class F, class... Args>
struct UndoFormOf<FunctionStep<F, Args...>> {
    template <class Fn>
    using Form = UndoForm<Fn, StepResultT<F, Args...>, Args...>;
};

template <class F, class... Args>
class TransactionStep final
    : public StepCall<std::decay_t<std::invoke_result_t<F&, Tx&, const Args&...>>> {
    using R = std::decay_t<std::invoke_result_t<F&, Tx&, const Args&...>>;

public:
    template <class... Given>
    TransactionStep(Context& context, std::string_view name, const StepOptions& options, F function,
                    Given&&... given)
        : StepCall<R>(context, CallKind::Transaction, name, options),
          function_(std::move(function)), args_(std::forward<Given>(given)...) {
        this->has_commit_part = true;
    }

    std::string commit(Tx& tx) override {
        std::apply(
            [&](const Args&... args) {
                if constexpr (std::is_void_v<R>) {
                    function_(tx, args...);
                    this->keep(Nothing{});
                } else {
                    this->keep(function_(tx, args...));
                }
            },
            args_);
        return this->found.output;
    }

private:
    F function_;
    std::tuple<Args...> args_;
};

// Of a sleep until a given time, that is in `loop.until`.
class SleepCall final : public CallOf<void> {
public:
    SleepCall(Context& context, std::string_view name, Duration given)
        : CallOf(context, CallKind::Sleep, name), duration(given) {}

    const Duration duration;
};

// Begins the call with the run's engine, starts it if nothing is recorded, and waits.
class StepAwaiter {
public:
    explicit StepAwaiter(const std::shared_ptr<Call>& call) : call_(&call) {}

    bool await_ready();
    void await_suspend(std::coroutine_handle<> waiter);

protected:
    const std::shared_ptr<Call>* call_;  // lives in the Step, which outlives the await
    Begin begun_ = Begin::Start;
};

}  // namespace detail

// A failed optional step gives nothing; `void` steps give whether they succeeded.
template <class R>
using Maybe = std::conditional_t<std::is_void_v<R>, bool, std::optional<R>>;

template <class R>
class [[nodiscard("a step runs when it is awaited: co_await ctx.step(…)")]] OptionalStep {
public:
    explicit OptionalStep(std::shared_ptr<detail::CallOf<R>> call)
        : call_(call), erased_(std::move(call)) {}

    struct Awaiter : detail::StepAwaiter {
        detail::CallOf<R>* call;
        Awaiter(const std::shared_ptr<detail::Call>& erased, detail::CallOf<R>* typed)
            : detail::StepAwaiter(erased), call(typed) {}
        Maybe<R> await_resume() {
            if constexpr (std::is_void_v<R>) {
                return !call->loop.error;
            } else {
                if (call->loop.error) return std::nullopt;
                return std::move(*call->value);
            }
        }
    };
    Awaiter operator co_await()&& { return Awaiter{erased_, call_.get()}; }
    template <class Dependent = R>
    Awaiter operator co_await()& {
        detail::say_await_at_once<detail::Kept<Dependent>>();
        return Awaiter{erased_, call_.get()};
    }

private:
    std::shared_ptr<detail::CallOf<R>> call_;
    std::shared_ptr<detail::Call> erased_;
};

// `kCommits`: whether it may be given a commit part. A transaction is one itself, and a sleep has none.
template <class R, bool kCommits = true>
class [[nodiscard("a step runs when it is awaited: co_await ctx.step(…)")]] Step {
public:
    explicit Step(std::shared_ptr<detail::CallOf<R>> call)
        : typed_(call.get()), call_(std::move(call)) {}

    // After the step's function has returned, runs `save(Tx&, result)` in the very transaction of the
    // checkpoint: the rows it writes and the record of the step commit together, exactly once.
    template <class Save>
    Step commit(Save save)&& {
        static_assert(
            kCommits,
            "belay: only ctx.step(…) takes a commit part. A transaction's own function is one: "
            "write the "
            "SQL there; after a sleep write co_await ctx.transaction(\"name\", function).");
        detail::check_function<Save>();
        auto& step = static_cast<detail::StepCall<R>&>(*typed_);
        step.has_commit_part = true;
        // A closure that refers to the awaiting frame runs inside the commit: the frame must wait for it.
        if constexpr (!std::is_empty_v<Save> && !std::is_pointer_v<Save>)
            step.may_be_abandoned = false;
        if constexpr (std::is_void_v<R> && std::is_invocable_v<Save&, Tx&>) {
            step.save = [save](Tx& tx, const Nothing&) mutable { save(tx); };
        } else {
            static_assert(std::is_invocable_v<Save&, Tx&, const detail::Kept<R>&>,
                          "belay: commit(save) calls save(belay::Tx&, const Result&).");
            step.save = save;
        }
        return std::move(*this);
    }

    template <class... Given>
    Step undo(Given && ...)&& {
        static_assert(
            sizeof...(Given) > 10'000,  // never
            "belay: only ctx.step(…) has an undo, and it is written first: "
            "co_await ctx.step(\"name\", function, args…).undo(take_back).commit(save). What a "
            "transaction, a message or a child did is taken back by a step with an undo beside "
            "it.");
        return std::move(*this);
    }

    // Its failure is recorded and shown, but is no exception: the await gives std::optional<R> (a bool
    // for a step that returns nothing).
    OptionalStep<R> optional()&& {
        return OptionalStep<R>{std::static_pointer_cast<detail::CallOf<R>>(std::move(call_))};
    }

    struct Awaiter : detail::StepAwaiter {
        detail::CallOf<R>* call;
        Awaiter(const std::shared_ptr<detail::Call>& erased, detail::CallOf<R>* typed)
            : detail::StepAwaiter(erased), call(typed) {}
        R await_resume() { return call->take(); }
    };
    Awaiter operator co_await()&& { return Awaiter{call_, typed_}; }
    template <class Dependent = R>
    Awaiter operator co_await()& {
        detail::say_await_at_once<detail::Kept<Dependent>>();
        return Awaiter{call_, typed_};
    }

    // For a fan, which starts it as one of its branches.
    std::shared_ptr<detail::CallOf<R>> branch_call()&& {
        return std::static_pointer_cast<detail::CallOf<R>>(std::move(call_));
    }

private:
    detail::CallOf<R>* typed_;
    std::shared_ptr<detail::Call> call_;
};

// What ctx.step(…) gives: a step that can be given an undo.
template <class R, class Call>
class [[nodiscard("a step runs when it is awaited: co_await ctx.step(…)")]] PlainStep
    : public Step<R> {
public:
    explicit PlainStep(std::shared_ptr<Call> call)
        : Step<R>(call), made_(call.get()), weak_(call) {}

    // Takes the step back if the run does not succeed: when it fails, is canceled or its deadline passes, the undos of
    // its steps run in reverse order, each a step of its own under the name `undo/` and the step's, with its attempts
    // and its record (docs/undo.md). `function` is called with what the step returned and with the step's arguments;
    // only steps that succeeded are undone. One that takes std::optional<R> (a bool for a step that returns nothing) is
    // also called for a step that was begun and has no record of success, because it may have happened: that such a
    // step begins is durable before its function is called, which costs one commit more. A function, or a lambda that
    // captures nothing: what it needs are arguments of the step (a service that outlives the run: std::ref(shop)).
    // An undo that uses up its attempts pauses the run for a person. Throws Error{InvalidArgument} for a cached step.
    template <class Fn>
    Step<R> undo(Fn function)&& {
        return std::move(*this).undo(made_->options, std::move(function));
    }
    template <class Fn>
    Step<R> undo(const StepOptions& options, Fn function)&& {
        static_assert(
            std::is_empty_v<Fn> || std::is_pointer_v<Fn>,
            "belay: an undo runs when the workflow's frame may be gone: it cannot capture "
            "anything. "
            "Pass a function, or a lambda without captures; it is given the step's result and the "
            "step's arguments.");
        using Form = typename detail::UndoFormOf<Call>::template Form<Fn>;
        refuse_cached();
        made_->undo = std::make_unique<detail::UndoBy<Fn, R, Call>>(
            weak_.lock(), std::move(function), options, Form::kOfBegun);
        return std::move(*this);
    }

private:
    void refuse_cached() const {
        if (!made_->cache) return;
        throw Error(ErrorCode::InvalidArgument,
                    "step `" + made_->name +
                        "` is cached and has an undo: its answer may be another run's, which is "
                        "not this run's to undo. Take the one or the other.");
    }

    Call* made_;  // what the Step holds
    std::weak_ptr<Call> weak_;
};

}  // namespace belay

// workflow.hpp — a workflow's function with its types erased, as the engine keeps it.
//
// Internal to the headers; programs use Engine::define.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <belay/codec.hpp>
#include <belay/context.hpp>
#include <belay/detail/run_types.hpp>
#include <belay/options.hpp>
#include <belay/schema.hpp>
#include <belay/task.hpp>
#include <belay/workflow.hpp>

namespace belay::detail {

// One call of a workflow: its outermost coroutine. Dropping it ends the coroutine where it stands.
class Invocation {
public:
    virtual ~Invocation() = default;
    virtual void resume() = 0;
    virtual bool done() const = 0;
    virtual std::string take() = 0;  // the result as JSON; throws what the workflow threw
};

template <class R>
class InvocationOf final : public Invocation {
public:
    explicit InvocationOf(Task<R> task) : task_(std::move(task)) {}

    void resume() override { task_.resume(); }
    bool done() const override { return task_.done(); }
    std::string take() override {
        if constexpr (std::is_void_v<R>) {
            task_.take();
            return "null";
        } else {
            return to_json(task_.take());
        }
    }

private:
    Task<R> task_;
};

class Workflow {
public:
    Workflow(std::string key, WorkflowOptions options)
        : key(std::move(key)), options(std::move(options)) {}
    virtual ~Workflow() = default;

    // Throws Error{BadValue} if `input` does not fit.
    virtual std::unique_ptr<Invocation> call(Context& context, std::string_view input) const = 0;
    // JSON Schemas (schema.hpp) of what it takes and of what it gives.
    virtual std::string input_schema() const = 0;
    virtual std::string output_schema() const = 0;
    virtual const RunTypes& types() const = 0;

    const std::string key;
    const WorkflowOptions options;
};

// The parameter types of a workflow function or of a closure's call operator.
template <class F>
struct NoSignature {
    static_assert(sizeof(F) == 0,
                  "belay: a workflow is a coroutine, belay::Task<Result> name(belay::Context& ctx, "
                  "Input input), or "
                  "a lambda of that form: no plain function, no member function and no `auto` "
                  "parameter. A function that "
                  "is overloaded or a template is named with its types.");
    using Result = void;
    template <template <class...> class To>
    using Into = To<void, void>;
};
template <class F>
struct Signature : NoSignature<F> {};
template <class F>
requires requires { &F::operator(); }
struct Signature<F> : Signature<decltype(&F::operator())> {};
template <class R, class... Params>
struct Signature<Task<R> (*)(Params...)> {
    using Result = R;
    template <template <class...> class To>
    using Into = To<R, Params...>;
};
template <class C, class R, class... Params>
struct Signature<Task<R> (C::*)(Params...) const> : Signature<Task<R> (*)(Params...)> {};
template <class C, class R, class... Params>
struct Signature<Task<R> (C::*)(Params...)> : Signature<Task<R> (*)(Params...)> {};

template <class F, class R, class... Params>
class WorkflowOf {
    static_assert(sizeof...(Params) < 0,
                  "belay: a workflow is belay::Task<Result> name(belay::Context& ctx, Input "
                  "input), or without "
                  "the input. Put several inputs into one struct.");
};

template <class F, class R>
class WorkflowOf<F, R, Context&> final : public Workflow {
public:
    WorkflowOf(std::string key, WorkflowOptions options, F function)
        : Workflow(std::move(key), std::move(options)), function_(std::move(function)) {}

    std::unique_ptr<Invocation> call(Context& context, std::string_view) const override {
        return std::make_unique<InvocationOf<R>>(function_(context));
    }
    std::string input_schema() const override { return belay::schema_of<void>(); }
    std::string output_schema() const override { return belay::schema_of<R>(); }
    const RunTypes& types() const override { return kRunTypes<void, R>; }

private:
    mutable F function_;  // kept here because a coroutine lambda refers to its closure
};

template <class F, class R, class In>
class WorkflowOf<F, R, Context&, In> final : public Workflow {
    static_assert(
        !std::is_reference_v<In>,
        "belay: a workflow takes its input by value: a coroutine outlives the caller's reference.");

public:
    WorkflowOf(std::string key, WorkflowOptions options, F function)
        : Workflow(std::move(key), std::move(options)), function_(std::move(function)) {}

    std::unique_ptr<Invocation> call(Context& context, std::string_view input) const override {
        return std::make_unique<InvocationOf<R>>(
            function_(context, from_json<std::remove_cv_t<In>>(input)));
    }
    std::string input_schema() const override { return belay::schema_of<In>(); }
    std::string output_schema() const override { return belay::schema_of<R>(); }
    const RunTypes& types() const override { return kRunTypes<std::remove_cv_t<In>, R>; }

private:
    mutable F function_;
};

// Whether a function is of the types that a handle says.
template <class R, class... Params>
struct FitsHandle {
    template <class In, class Out>
    static constexpr bool kIs = false;
};
template <class R>
struct FitsHandle<R, Context&> {
    template <class In, class Out>
    static constexpr bool kIs = std::is_void_v<In>&& std::is_same_v<R, Out>;
};
template <class R, class Input>
struct FitsHandle<R, Context&, Input> {
    template <class In, class Out>
    static constexpr bool kIs =
        std::is_same_v<std::remove_cvref_t<Input>, In>&& std::is_same_v<R, Out>;
};

template <class F, class In, class Out>
consteval void check_handle() {
    static_assert(Signature<F>::template Into<FitsHandle>::template kIs<In, Out>,
                  "belay: this function is not what its handle says: a belay::Workflow<In, Out> is "
                  "defined by "
                  "belay::Task<Out> name(belay::Context& ctx, In input), and a "
                  "belay::Workflow<void, Out> by one "
                  "without input.");
}

template <class F>
struct MakeWorkflow {
    static_assert(!std::is_member_pointer_v<F>,
                  "belay: a member function has no object to be called on. Write "
                  "engine.define(\"KEY\", [&shop](belay::Context& ctx, Order order) { return "
                  "shop.sell(ctx, order); })");
    template <class R, class... Params>
    using For = WorkflowOf<F, R, Params...>;
    using type = typename Signature<F>::template Into<For>;
};

}  // namespace belay::detail

// workflow.hpp — a workflow's function with its types erased, as the engine keeps it.
//
// Internal to the headers; programs use Engine::define.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <belay/codec.hpp>
#include <belay/context.hpp>
#include <belay/options.hpp>
#include <belay/schema.hpp>
#include <belay/task.hpp>

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

    const std::string key;
    const WorkflowOptions options;
};

// The parameter types of a workflow function or of a closure's call operator.
template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
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

private:
    mutable F function_;
};

template <class F>
struct MakeWorkflow {
    template <class R, class... Params>
    using For = WorkflowOf<F, R, Params...>;
    using type = typename Signature<F>::template Into<For>;
};

}  // namespace belay::detail

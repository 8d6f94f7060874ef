#include "simulation/interpreter.hpp"

#include <chrono>
#include <optional>

#include <fmt/format.h>

namespace belay::test {

thread_local Outside* Outside::here = nullptr;

namespace {

using namespace std::chrono_literals;
using Value = std::int64_t;

Value give(Value value) { return value; }
std::uint64_t echo(std::uint64_t value) { return value; }

Value fail_first(Attempt& attempt, Value value, int failures) {
    const int tried = ++Outside::here->tries[{attempt.run_id(), std::string(attempt.stage())}];
    // What it is given is what a try before this one has kept.
    const auto kept = attempt.checkpoint<int>();
    if (kept && (*kept < 1 || *kept >= tried))
        throw NonRetryable(fmt::format("try {} was given the checkpoint {}", tried, *kept));
    attempt.checkpoint(tried);
    if (tried <= failures)
        throw std::runtime_error(fmt::format("try {} of {} that fail", tried, failures));
    return value;
}

Value die_first(Attempt& attempt, Value value, int deaths) {
    using Death = Outside::Death;
    const int tried = ++Outside::here->tries[{attempt.run_id(), std::string(attempt.stage())}];
    const Death death = value % 2 == 1 ? Death::Crash : Death::Silent;
    Outside::here->execute(attempt, tried <= deaths ? death : Death::None);
    return value;
}

// The step's name is an argument because the undo has another.
Value take(Attempt& attempt, Value value, const std::string& name, int) {
    Outside::here->taken.emplace(attempt.run_id(), name);
    return value;
}
void give_back(Attempt& attempt, std::optional<Value>, Value, const std::string& name,
               int failures) {
    fail_first(attempt, 0, failures);
    Outside::here->taken.erase({std::string(attempt.run_id()), name});
}

Value pay(Attempt& attempt, Value value) {
    Outside::here->pay(attempt);
    Cost cost;
    cost.pay(Money(kPaidCost, "USD"));
    attempt.cost(cost);
    return value;
}

Value never(Value) { throw NonRetryable("this one never works"); }

Value odd_ones_fail(Value numbered) {
    // A value and its number in one: value * 100 + number.
    if (numbered % 2 == 1) throw NonRetryable("an odd one");
    return numbered / 100 + numbered % 100;
}

struct Row {
    std::string name{};
    Value value = 0;
};
BOOST_DESCRIBE_STRUCT(Row, (), (name, value))

Row make_row(const std::string& name, Value value) { return {name, value}; }
void insert(Tx& tx, const Row& row) {
    tx.exec("INSERT INTO rows VALUES (?, ?, ?)", tx.run_id(), row.name, row.value);
}
Value book(Tx& tx, const std::string& name, Value value) {
    insert(tx, {name, value});
    return value;
}

Task<Value> run_ops(Context& ctx, Program program);

Task<Value> run_fan(Context& ctx, Op op) {
    std::vector<Value> items;
    for (int i = 0; i < op.count; ++i)
        items.push_back(op.kind == OpKind::Map ? op.value + i : op.value * 100 + i);
    Value sum = 0;
    if (op.kind == OpKind::Map) {
        const auto values = co_await ctx.map(op.name, items, give);
        for (const Value value : values) sum += value;
    } else {
        const auto outcomes = co_await ctx.map(op.name, items, odd_ones_fail).collect();
        for (const auto& outcome : outcomes) sum += outcome ? *outcome.value : kNotDone;
    }
    co_return sum;
}

Task<Value> run_family(Context& ctx, Op op) {
    ChildOptions options;
    options.name = op.name;
    std::vector<Step<Value, false>> children;
    for (int i = 0; i < family_size(op); ++i) {
        const Program child{family_child(op, i)};
        children.push_back(ctx.child<Value>(kProgramWorkflow, child, options));
    }
    const auto values = co_await ctx.all(op.name, std::move(children));
    Value sum = 0;
    for (const Value value : values) sum += value;
    co_return sum;
}

Task<Value> run_branches(Context& ctx, Op op) {
    std::vector<Program> branches;
    for (const Op& branch : op.inside) branches.push_back({branch.inside});
    const auto values = co_await ctx.map(op.name, branches, run_ops);
    Value sum = 0;
    for (const Value value : values) sum = join(sum, value);
    co_return sum;
}

Task<Value> run_other(Context& ctx, Op op) {
    const Program inside{op.inside};
    ChildOptions options;
    options.name = op.name;
    if (op.kind == OpKind::Queued) {
        options.queue = kNarrowQueue;
        options.priority = static_cast<int>(op.value % 3);
        options.partition = op.value % 2 == 0 ? "even" : "odd";
    }
    if (op.kind != OpKind::Start)
        co_return co_await ctx.child<Value>(kProgramWorkflow, inside, options);
    co_await ctx.start(kProgramWorkflow, inside, options);
    co_return 0;
}

Task<Value> run_talk(Context& ctx, Op op) {
    const Value second = op.value + 1;
    co_await ctx.send(ctx.run_id(), op.name, op.value);
    co_await ctx.send(ctx.run_id(), op.name, second);
    const Value first = co_await ctx.receive<Value>(op.name);
    const Value then = co_await ctx.receive<Value>(op.name);
    const auto none = co_await ctx.receive<Value>(op.name, 1s);
    co_return none ? -1 : join(first, then);
}

Task<Value> run_op(Context& ctx, Op op) {
    StepOptions options;
    options.retry.first_delay = 1s;
    switch (op.kind) {
        case OpKind::Step:
            co_return co_await ctx.step(op.name, give, op.value);
        case OpKind::Flaky:
            co_return co_await ctx.step(op.name, options, fail_first, op.value, op.count);
        case OpKind::Optional: {
            const auto value = co_await ctx.step(op.name, never, op.value).optional();
            co_return value.value_or(kNotDone);
        }
        case OpKind::Save: {
            const Row row = co_await ctx.step(op.name, make_row, op.name, op.value).commit(insert);
            co_return row.value;
        }
        case OpKind::Book:
            co_return co_await ctx.transaction(op.name, book, op.name, op.value);
        case OpKind::Sleep:
            co_await ctx.sleep(std::chrono::seconds(op.count), op.name);
            co_return 0;
        case OpKind::Map:
        case OpKind::Collect:
            co_return co_await run_fan(ctx, op);
        case OpKind::Race: {
            const auto won = co_await ctx.race(op.name, ctx.step(op.name + "_a", give, op.value),
                                               ctx.step(op.name + "_b", give, op.value));
            co_return won.value.index() == 0 ? std::get<0>(won.value) : std::get<1>(won.value);
        }
        case OpKind::Branches:
            co_return co_await run_branches(ctx, op);
        case OpKind::Scope: {
            const Program inside{op.inside};
            co_return co_await ctx.scope(op.name, run_ops, inside);
        }
        case OpKind::Child:
        case OpKind::Queued:
        case OpKind::Start:
            co_return co_await run_other(ctx, op);
        case OpKind::Receive:
            co_return co_await ctx.receive<Value>(op.name);
        case OpKind::ReceiveFor: {
            const auto value = co_await ctx.receive<Value>(op.name, std::chrono::seconds(op.count));
            co_return value.value_or(kEitherWay);
        }
        case OpKind::Talk:
            co_return co_await run_talk(ctx, op);
        case OpKind::Draw: {
            const std::uint64_t drawn = ctx.random();
            const std::uint64_t seen = co_await ctx.step(op.name, echo, drawn);
            co_return drawn == seen ? 0 : 1;
        }
        case OpKind::Patch:
            co_return ctx.patch(op.name) ? 1 : 0;
        case OpKind::Cached: {
            StepOptions cached;
            cached.timeout = 5s;
            cached.retry.first_delay = 1s;
            cached.cache.key = "k";
            cached.cache.keep_for = 1h;
            auto call = ctx.step(op.name, cached, give, op.value).branch_call();
            Outside::here->cached.emplace(op.name, call);
            co_return co_await Step<Value>{std::move(call)};
        }
        case OpKind::Family:
            co_return co_await run_family(ctx, op);
        case OpKind::Deadly:
            co_return co_await ctx.step(op.name, die_first, op.value, op.count);
        case OpKind::Breaks:
            co_return co_await ctx.step(op.name, never, op.value);
        case OpKind::Undone: {
            const StepOptions undo{.retry = {.attempts_max = 2, .first_delay = 1s}};
            co_return co_await ctx.step(op.name, take, op.value, op.name, op.count)
                .undo(undo, give_back);
        }
        case OpKind::Paid:
            options.costs_at_most = {kPaidAtMost, "USD"};
            co_return co_await ctx.step(op.name, options, pay, op.value);
        case OpKind::Tell: {
            ctx.label(label_name(op), "of " + label_name(op));
            ctx.expose(op.name, op.value);
            const Value value = co_await ctx.step(op.name, give, op.value);
            ctx.expose(op.name, value + 1);
            co_return value;
        }
    }
    co_return 0;
}

Task<Value> run_ops(Context& ctx, Program program) {
    Value result = 0;
    for (const Op& op : program.ops) {
        const Value value = co_await run_op(ctx, op);
        result = join(result, value);
    }
    co_return result;
}

}  // namespace

Task<Value> run_program(Context& ctx, Program program) {
    if (tells(program.ops)) {
        ctx.expose("who", ctx.run_id());
        ctx.answer("who", [&ctx] { return ctx.run_id(); });
    }
    co_return co_await run_ops(ctx, std::move(program));
}

}  // namespace belay::test

// Labels, exposed values and questions: what a run says of itself, durable with its next commit and the same after a
// crash, and what its code answers wherever it is.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

int twice(int n) { return 2 * n; }

Task<int> doubles(Context& ctx, int n) {
    ctx.label("state", "begun");
    ctx.expose("n", n);
    ctx.answer("n", [&] { return n; });
    ctx.answer("plus", [&](int more) { return n + more; });
    ctx.answer("fails", [&](int) -> int { throw std::runtime_error("not on Sundays"); });
    n = co_await ctx.step("twice", twice, n);
    ctx.label("state", "doubled");
    ctx.expose("n", n);
    co_await ctx.sleep(24h);
    n = co_await ctx.step("again", twice, n);
    ctx.expose("n", n);
    co_return n;
}

Task<int> in_scopes(Context& ctx) {
    const auto inner = [](Context& in) -> Task<int> {
        const int seven = 7;
        in.answer("seven", [&] { return seven; });
        co_await in.sleep(1h);
        co_return seven;
    };
    const int n = co_await ctx.scope("inner", inner);
    co_await ctx.receive<std::string>("go");
    co_return n;
}

void define(Engine& engine) {
    engine.define("doubles", doubles);
    engine.define("in_scopes", in_scopes);
    engine.define("parent", [](Context& ctx) -> Task<int> {
        const ChildOptions labeled{.labels = {{"customer", "42"}}};
        co_return co_await ctx.child<int>("twice", 4, labeled);
    });
    engine.define("twice", [](Context& ctx, int n) -> Task<int> {
        co_return co_await ctx.step("twice", twice, n);
    });
    engine.define("too_many", [](Context& ctx) -> Task<void> {
        for (int i = 0; i < 40; ++i) ctx.label("l" + std::to_string(i), "x");
        co_return;
    });
}

std::string why_not(Engine& engine, const std::string& id, std::string_view name) {
    try {
        engine.ask(id, name);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::NoAnswer);
        return error.what();
    }
    return "it was answered";
}

TEST(Labels, runs_are_found_by_what_was_said_of_them) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    auto run = engine.submit<int>("doubles", 3, {.id = "july", .labels = {{"customer", "42"}}});
    engine.submit<int>("twice", 1, {.id = "may", .labels = {{"customer", "43"}}});
    EXPECT_EQ(run.result(), 12);

    const RunList found = engine.list({.labels = {{"customer", "42"}}});

    ASSERT_EQ(found.runs.size(), 1U);
    EXPECT_EQ(found.runs[0].id, "july");
    EXPECT_EQ(found.runs[0].labels, (Labels{{"customer", "42"}, {"state", "doubled"}}));
    EXPECT_EQ(run.labels(), found.runs[0].labels);
    EXPECT_EQ(engine.list({.labels = {{"state", "begun"}}}).runs.size(), 0U);
}

TEST(Labels, a_list_goes_on_where_it_ended) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    for (int i = 0; i < 5; ++i) engine.submit<int>("twice", i, {.labels = {{"customer", "42"}}});
    b.run_until([] { return false; });

    std::size_t seen = 0;
    ListOptions page{.limit = 2};
    do {
        const RunList list = engine.list({.labels = {{"customer", "42"}}}, page);
        seen += list.runs.size();
        page.after = list.next;
    } while (!page.after.empty());

    EXPECT_EQ(seen, 5U);
    EXPECT_EQ(code_of([&] { engine.list({}, {.limit = 0}); }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { engine.list({}, {.after = "x"}); }), ErrorCode::InvalidArgument);
}

TEST(Labels, a_bulk_command_acts_on_those_that_have_them) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    engine.submit<int>("doubles", 3, {.id = "a", .labels = {{"customer", "42"}}});
    engine.submit<int>("doubles", 3, {.id = "b", .labels = {{"customer", "43"}}});

    const BulkReport report = engine.bulk(BulkAction::Cancel, {.labels = {{"customer", "42"}}});

    EXPECT_EQ(report.ids, std::vector<std::string>{"a"});
    EXPECT_TRUE(b.run_until("a", RunStatus::Canceled));
    EXPECT_NE(b.run("b").status, RunStatus::Canceled);
}

TEST(Labels, what_cannot_be_one_is_refused) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    const auto refuses = [&](Labels labels) {
        return code_of([&] { engine.submit<int>("twice", 1, {.labels = std::move(labels)}); }) ==
               ErrorCode::InvalidArgument;
    };

    EXPECT_TRUE(refuses({{"", "x"}}));
    EXPECT_TRUE(refuses({{"a b", "x"}}));
    EXPECT_TRUE(refuses({{std::string(65, 'a'), "x"}}));
    EXPECT_TRUE(refuses({{"a", std::string(201, 'x')}}));
    EXPECT_TRUE(refuses({{"a", "line\nbreak"}}));
    EXPECT_TRUE(refuses({{"a", "\xff"}}));
    Labels many;
    for (int i = 0; i < 33; ++i) many.emplace("l" + std::to_string(i), "x");
    EXPECT_TRUE(refuses(many));
    EXPECT_EQ(code_of([&] { engine.submit<void>("too_many").result(); }), ErrorCode::RunFailed);
}

TEST(Labels, a_child_has_its_own_and_a_fork_those_of_its_origin) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    const SubmitOptions labeled{.id = "july", .labels = {{"tier", "gold"}}};
    engine.submit<int>("parent", labeled).result();

    const belay::Run<int> fork = engine.fork<int>("july", {.from = "twice", .id = "again"});

    EXPECT_EQ(fork.labels(), (Labels{{"tier", "gold"}}));
    const RunList children = engine.list({.labels = {{"customer", "42"}}});
    ASSERT_GE(children.runs.size(), 1U);
    EXPECT_EQ(children.runs.back().labels, (Labels{{"customer", "42"}}));
}

// They are written with the run itself; a run that says nothing while it runs writes nothing more.
TEST(Labels, of_a_submission_cost_no_verb) {
    Bench b;
    b.define = define;
    b.start();
    const auto cost_of = [&](const SubmitOptions& options) {
        const auto before = b.counters().verbs_committed.load();
        b.engine().submit<int>("twice", 1, options).result();
        return b.counters().verbs_committed - before;
    };
    cost_of({});

    const auto plain = cost_of({});

    EXPECT_EQ(cost_of({.labels = {{"customer", "42"}, {"tier", "gold"}}}), plain);
}

TEST(Exposed, a_value_is_durable_with_the_next_commit_and_stays_after_the_end) {
    Bench b;
    b.define = define;
    belay::Run<int> run = b.start().submit<int>("doubles", 3, {.id = "july"});
    EXPECT_EQ(run.exposed<int>("n"), std::nullopt);
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    EXPECT_EQ(run.exposed<int>("n"), 6);

    b.restart();
    EXPECT_EQ(b.engine().exposed<int>("july", "n"), 6);
    EXPECT_EQ(b.engine().find<int>("july").result(), 12);

    EXPECT_EQ(b.engine().exposed<int>("july", "n"), 12);
    EXPECT_EQ(b.engine().exposed<int>("july", "other"), std::nullopt);
    EXPECT_EQ(code_of([&] { b.engine().exposed<std::string>("july", "n"); }), ErrorCode::BadValue);
    EXPECT_EQ(code_of([&] { b.engine().exposed<int>("nobody", "n"); }), ErrorCode::NotFound);
}

TEST(Exposed, watchers_are_told_what_is_committed) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    EventStream events = engine.watch({.run_id = "july"});
    engine.submit<int>("doubles", 3, {.id = "july"}).result();

    std::string told;
    while (const auto event = events.next()) {
        if (event->type == "run_exposed") told += event->data;
        if (event->type == "run_labeled") told += event->data;
    }

    EXPECT_EQ(told, R"({"state":"begun"}{"n":3}{"state":"doubled"}{"n":6}{"n":12})");
}

TEST(Ask, a_run_answers_while_it_sleeps_and_nothing_changes) {
    Bench b;
    b.define = define;
    belay::Run<int> run = b.start().submit<int>("doubles", 3, {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    const std::string before = b.history("july");
    const Time now = b.sim.clock().now();

    EXPECT_EQ(run.ask<int>("n"), 6);
    EXPECT_EQ(run.ask<int>("plus", 4), 10);

    EXPECT_EQ(b.history("july"), before);
    EXPECT_EQ(b.run("july").status, RunStatus::Waiting);
    EXPECT_EQ(b.sim.clock().now(), now);
    EXPECT_EQ(run.result(), 12);
}

TEST(Ask, a_run_that_has_left_memory_is_woken_and_sleeps_on) {
    Bench b;
    b.define = define;
    b.options.waiting_in_memory_max = 0;
    const Time begun = b.sim.clock().now();
    belay::Run<int> run = b.start().submit<int>("doubles", 3, {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    ASSERT_TRUE(b.run_until([&] { return b.counters().runs_parked > 0; }));

    EXPECT_EQ(run.ask<int>("n"), 6);
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    EXPECT_LT(b.sim.clock().now() - begun, 1min);
    EXPECT_EQ(run.ask<int>("plus", 1), 7);

    EXPECT_EQ(run.result(), 12);
    EXPECT_GE(b.sim.clock().now() - begun, 24h);
    EXPECT_EQ(b.ran_again, 0);
}

TEST(Ask, after_a_crash_the_replayed_code_answers) {
    Bench b;
    b.define = define;
    b.start().submit<int>("doubles", 3, {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    b.restart();

    EXPECT_EQ(b.engine().ask<int>("july", "n"), 6);
}

TEST(Ask, after_its_end_what_it_exposed_answers) {
    Bench b;
    b.define = define;
    belay::Run<int> run = b.start().submit<int>("doubles", 3, {.id = "july"});
    run.result();

    EXPECT_EQ(run.ask<int>("n"), 12);
    EXPECT_NE(why_not(b.engine(), "july", "plus").find("has ended as succeeded"),
              std::string::npos);
}

TEST(Ask, a_run_that_cannot_answer_says_why) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    engine.submit<int>("doubles", 3, {.id = "july"});
    engine.submit<int>("doubles", 3, {.id = "later", .delay = 1h});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    EXPECT_NE(why_not(engine, "july", "total").find("it answers: fails, n, plus"),
              std::string::npos);
    EXPECT_NE(why_not(engine, "later", "n").find("queued"), std::string::npos);
    EXPECT_EQ(message_of([&] { engine.ask<int>("july", "fails", 1); }), "not on Sundays");
    EXPECT_EQ(code_of([&] { engine.ask<int>("july", "plus", std::string("x")); }),
              ErrorCode::NoAnswer);
    EXPECT_EQ(code_of([&] { engine.ask<int>("nobody", "n"); }), ErrorCode::NotFound);
    engine.pause("july", "audit");
    ASSERT_TRUE(b.run_until("july", RunStatus::Paused));
    EXPECT_NE(
        why_not(engine, "july", "n").find("paused and answers nothing until it is resumed: audit"),
        std::string::npos);
}

TEST(Ask, a_handler_goes_with_its_scope) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    engine.submit<int>("in_scopes", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    EXPECT_EQ(engine.ask<int>("july", "seven"), 7);

    ASSERT_TRUE(
        b.run_until([&] { return b.history("july").find("go running") != std::string::npos; }));

    EXPECT_NE(why_not(engine, "july", "seven").find("it answers: none"), std::string::npos);
}

TEST(Ask, what_other_processes_ask_is_answered_by_a_request) {
    Bench b;
    b.define = define;
    b.options.waiting_in_memory_max = 0;
    b.start().submit<int>("doubles", 3, {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    const Question asked{"plus", "5", b.sim.clock().now() + 5s};

    const auto request = b.reader.ask(
        {.kind = "ask", .run_id = "july", .payload = asked.as_request(), .created_at = {}});
    b.restart();
    ASSERT_TRUE(b.run_until([&] { return b.reader.answer(request).has_value(); }));

    EXPECT_TRUE(b.reader.answer(request)->ok);
    EXPECT_EQ(b.reader.answer(request)->text, "11");
}

TEST(Result, is_told_to_a_callback_once) {
    Bench b;
    b.define = define;
    belay::Run<int> run = b.start().submit<int>("twice", 4, {.id = "july"});
    int told = 0;
    int value = 0;
    run.result([&](std::exception_ptr error, int result) {
        told += error ? 100 : 1;
        value = result;
    });
    EXPECT_EQ(told, 0);

    b.run_until([] { return false; });
    EXPECT_EQ(value, 8);
    run.result([&](std::exception_ptr, int result) { value += result; });
    b.run_until([] { return false; });

    EXPECT_EQ(told, 1);
    EXPECT_EQ(value, 16);
}

TEST(Result, a_callback_is_told_what_result_would_throw) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    belay::Run<void> run = engine.submit<void>("too_many", {.id = "july"});
    std::string why;
    run.result([&](std::exception_ptr error) {
        why = message_of([&] { std::rethrow_exception(error); });
    });

    b.run_until([] { return false; });

    EXPECT_NE(why.find("at most 32"), std::string::npos);
    EXPECT_EQ(code_of([&] { engine.find<void>("nobody"); }), ErrorCode::NotFound);
}

}  // namespace
}  // namespace belay::engine

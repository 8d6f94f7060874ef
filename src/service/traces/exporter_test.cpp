// exporter_test.cpp — what has ended is told once, whatever becomes of the collector and of the process.
#include "service/traces/exporter.hpp"

#include <gtest/gtest.h>

#include <belay/trace.hpp>

#include "core/engine/engine_bench.hpp"
#include "service/http/curl_client.hpp"
#include "service/traces/collector_bench.hpp"

namespace belay::traces {
namespace {

using namespace std::chrono_literals;
using http::testkit::Reply;

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kSpan = "b7ad6b7169203331";
const std::string kGiven = "00-" + kTrace + "-" + kSpan + "-01";

// An engine without threads, whose clock and disk the test has, and an exporter whose turns it makes.
struct Bench {
    Bench() {
        world.define = [this](Engine& engine) {
            world.core().on_run_end(note_end);
            engine.migrate(std::string(kOutboxOwner), outbox_migrations());
            engine.define("GREET", [this](Context& ctx, std::string name) -> Task<std::string> {
                const std::string said = co_await ctx.step("greet", [&] {
                    sent.push_back(traceparent());
                    return "hello " + name;
                });
                co_return co_await ctx.step("shout", [&] { return said + "!"; });
            });
            engine.define("FLAKY", [this](Context& ctx) -> Task<> {
                static const StepOptions often{.retry = {.attempts_max = 3, .first_delay = 2s}};
                co_await ctx.step("try", often, [&] {
                    sent.push_back(traceparent());
                    if (failures_left-- > 0) throw std::runtime_error("no paper in july.pdf");
                });
            });
            const auto child = [](Context& ctx) -> Task<int> {
                co_return co_await ctx.step("count", [] { return 1; });
            };
            engine.define("CHILD", child);
            engine.define("PARENT", [](Context& ctx) -> Task<> {
                co_await ctx.scope("family",
                                   [](Context& in) -> Task<> { co_await in.child<int>("CHILD"); });
            });
            engine.define("SECRET",
                          [](Context& ctx) -> Task<> {
                              static const StepOptions once{.retry = {.attempts_max = 1}};
                              co_await ctx.step("break", once, [] {
                                  throw std::runtime_error("the password is 7");
                              });
                          },
                          {.redact = true});
        };
        open();
    }
    void open() {
        options.time_max = 200ms;  // one that hangs is given up
        exporter.reset();
        world.start();
        ExporterParts parts{world.reader, world.core(), client, world.sim.clock()};
        parts.options = options;
        parts.options.url = collector.server.url("/v1/traces");
        parts.worker = "w";
        parts.version = "0.2";
        parts.keeps_messages = [](const std::string& key) { return key == "SECRET"; };
        parts.log = [this](std::string_view line) { log.emplace_back(line); };
        exporter = std::make_unique<Exporter>(std::move(parts));
    }
    void crash() {
        exporter.reset();
        world.crash();
    }
    void run(const std::string& workflow, const std::string& id, RunStatus status,
             const std::string& input = "null", SubmitOptions options = {}) {
        options.id = id;
        world.core().submit({{workflow, input, options}});
        ASSERT_TRUE(world.run_until(id, status)) << id;
    }
    // Until nothing is due now.
    Duration turns() {
        Duration wait{0};
        for (int i = 0; i < 100 && wait == Duration{0}; ++i) wait = exporter->turn();
        return wait;
    }

    engine::Bench world;
    http::CurlClient client{{.addresses = http::AddressPolicy::any()}};
    Collector collector;
    TraceOptions options;
    std::unique_ptr<Exporter> exporter;
    std::vector<std::string> sent;
    std::vector<std::string> log;
    int failures_left = 0;
};

using Faults = std::vector<std::string>;

TEST(Traces, a_run_is_a_span_with_one_for_each_stage_and_attempt_below_it) {
    Bench b;
    b.run("GREET", "july", RunStatus::Succeeded, "\"Ada\"");

    b.turns();

    EXPECT_EQ(b.collector.all_faults(), Faults{});
    ASSERT_EQ(b.collector.spans.size(), 5U);
    const auto run = b.collector.named("GREET").at(0);
    const auto stage = b.collector.named("greet").at(0);
    const auto attempt = b.collector.named("greet attempt").at(0);
    EXPECT_EQ(run.parent, "");
    EXPECT_EQ(stage.parent, run.id);
    EXPECT_EQ(attempt.parent, stage.id);
    EXPECT_EQ(run["belay.run.id"], "july");
    EXPECT_EQ(run["belay.organization"], "default");
    EXPECT_EQ(run["belay.run.status"], "succeeded");
    EXPECT_EQ(stage["belay.stage.path"], "1");
    EXPECT_EQ(attempt["belay.attempt"], "1");
    EXPECT_FALSE(run.failed);
    EXPECT_EQ(b.exporter->counts().sent, 5);
    EXPECT_EQ(b.exporter->waiting().runs, 0);
    // Nothing of what it worked on is there.
    for (const auto& request : b.collector.requests)
        EXPECT_EQ(request.body.find("Ada"), std::string::npos);
}

TEST(Traces, a_step_is_given_the_very_span_that_its_attempt_is_told_as) {
    Bench b;
    b.failures_left = 2;
    SubmitOptions given;
    given.labels = traced_by(kGiven, "vendor=1");
    b.run("FLAKY", "july", RunStatus::Succeeded, "null", given);

    b.turns();

    EXPECT_EQ(b.collector.all_faults(), Faults{});
    const auto attempts = b.collector.named("try attempt");
    ASSERT_EQ(attempts.size(), 3U);
    ASSERT_EQ(b.sent.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(b.sent[i], "00-" + kTrace + "-" + attempts[i].id + "-01");
        EXPECT_EQ(attempts[i].failed, i < 2);
        EXPECT_EQ(attempts[i].trace, kTrace);
        EXPECT_EQ(attempts[i].json.at("traceState").as_string(), "vendor=1");
    }
    EXPECT_EQ(attempts[0].message, "no paper in july.pdf");
    EXPECT_EQ(b.collector.named("try").size(), 1U);
    const auto run = b.collector.named("FLAKY").at(0);
    EXPECT_EQ(run.parent, kSpan);
    EXPECT_TRUE(run.remote);
}

TEST(Traces, a_step_of_a_run_without_a_trace_is_given_one_only_while_somebody_takes_traces) {
    Bench b;
    b.run("GREET", "july", RunStatus::Succeeded, "\"Ada\"");
    b.exporter.reset();
    b.run("GREET", "august", RunStatus::Succeeded, "\"Ada\"");
    SubmitOptions given;
    given.labels = traced_by(kGiven);
    b.run("GREET", "september", RunStatus::Succeeded, "\"Ada\"", given);

    ASSERT_EQ(b.sent.size(), 3U);
    EXPECT_EQ(b.sent[0].size(), 55U);
    EXPECT_EQ(b.sent[1], "");
    EXPECT_EQ(b.sent[2].substr(3, 32), kTrace);
}

TEST(Traces, a_child_is_below_the_stage_that_awaits_it_in_the_same_trace) {
    Bench b;
    b.run("PARENT", "july", RunStatus::Succeeded);

    b.turns();

    EXPECT_EQ(b.collector.all_faults(), Faults{});
    const auto parent = b.collector.named("PARENT").at(0);
    const auto family = b.collector.named("family").at(0);
    const auto spans = b.collector.named("CHILD");  // the stage, and the run that it awaits
    ASSERT_EQ(spans.size(), 2U);
    const auto& run = spans[0].kind == 5 ? spans[0] : spans[1];
    const auto& stage = spans[0].kind == 5 ? spans[1] : spans[0];
    EXPECT_EQ(family.parent, parent.id);
    EXPECT_EQ(stage.parent, family.id);
    EXPECT_EQ(run.parent, stage.id);
    EXPECT_EQ(b.collector.named("count").at(0).parent, run.id);
}

TEST(Traces, what_ended_before_a_crash_is_told_after_it_and_once) {
    Bench b;
    b.run("GREET", "july", RunStatus::Succeeded, "\"Ada\"");
    b.turns();
    b.run("GREET", "august", RunStatus::Succeeded, "\"Ada\"");

    b.crash();
    b.open();
    b.turns();
    b.crash();
    b.open();
    b.turns();

    EXPECT_EQ(b.collector.all_faults(), Faults{});
    EXPECT_EQ(b.collector.named("GREET").size(), 2U);
    EXPECT_EQ(b.collector.named("greet attempt").size(), 2U);
}

TEST(Traces, a_run_that_dies_in_a_step_has_one_span_for_it_and_its_deaths_beside) {
    Bench b;
    b.failures_left = 1;
    b.world.core().submit({{"FLAKY", "null", {.id = "july"}}});
    ASSERT_TRUE(b.world.run_until([&] {
        return !b.world.stages("july").empty() &&
               b.world.stage("july", "1").status == StageStatus::Retrying;
    }));

    b.crash();
    b.open();
    ASSERT_TRUE(b.world.run_until("july", RunStatus::Succeeded));
    b.turns();

    EXPECT_EQ(b.collector.all_faults(), Faults{});
    EXPECT_EQ(b.collector.named("FLAKY").size(), 1U);
    EXPECT_EQ(b.collector.named("try").size(), 1U);
    EXPECT_EQ(b.collector.named("try attempt").size(), 2U);
}

TEST(Traces, a_retry_is_another_span_of_the_run_and_tells_only_what_is_new) {
    Bench b;
    b.failures_left = 3;
    b.run("FLAKY", "july", RunStatus::Failed);
    b.turns();
    ASSERT_EQ(b.collector.spans.size(), 5U);  // the run, the stage, three attempts

    b.world.sim.clock().advance(5ms);  // whoever asks for a retry has seen the end
    b.world.core().retry("july");
    ASSERT_TRUE(b.world.run_until("july", RunStatus::Succeeded));
    b.turns();

    EXPECT_EQ(b.collector.all_faults(), Faults{});
    const auto runs = b.collector.named("FLAKY");
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_TRUE(runs[0].failed);
    EXPECT_EQ(runs[0]["error.type"], "StepFailed");
    EXPECT_FALSE(runs[1].failed);
    EXPECT_EQ(runs[1]["belay.run.attempt"], "2");
    EXPECT_EQ(runs[1].json.at("links").at(0).at("spanId").as_string(), runs[0].id);
    EXPECT_EQ(b.collector.named("try attempt").size(), 4U);
    EXPECT_EQ(b.collector.named("try").at(1).parent, runs[1].id);
    EXPECT_GE(runs[1].from, runs[0].to);
}

TEST(Traces, a_run_that_was_retried_before_anybody_was_told_is_told_of_whole) {
    Bench b;
    b.failures_left = 3;
    b.run("FLAKY", "july", RunStatus::Failed);
    b.world.sim.clock().advance(5ms);
    b.world.core().retry("july");
    ASSERT_TRUE(b.world.run_until("july", RunStatus::Succeeded));

    b.turns();

    EXPECT_EQ(b.collector.all_faults(), Faults{});
    EXPECT_EQ(b.collector.named("FLAKY").size(), 1U);
    EXPECT_EQ(b.collector.named("try attempt").size(), 4U);
    EXPECT_EQ(b.exporter->waiting().runs, 0);
}

TEST(Traces, a_fork_tells_what_it_did_itself_and_whose_fork_it_is) {
    Bench b;
    SubmitOptions given;
    given.labels = traced_by(kGiven);
    b.run("GREET", "july", RunStatus::Succeeded, "\"Ada\"", given);
    b.turns();
    ForkOptions options;
    options.id = "august";
    options.from = "2";
    b.world.core().fork("july", options);
    ASSERT_TRUE(b.world.run_until("august", RunStatus::Succeeded));
    b.turns();

    EXPECT_EQ(b.collector.all_faults(), Faults{});
    const auto runs = b.collector.named("GREET");
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[1].trace, kTrace);
    EXPECT_EQ(runs[1].parent, kSpan);
    EXPECT_EQ(runs[1].json.at("links").at(0).at("spanId").as_string(), runs[0].id);
    EXPECT_EQ(b.collector.named("shout").size(), 2U);
}

TEST(Traces, a_workflow_that_keeps_its_messages_has_none_in_its_spans) {
    Bench b;
    b.run("SECRET", "july", RunStatus::Failed);

    b.turns();

    EXPECT_EQ(b.collector.all_faults(), Faults{});
    EXPECT_TRUE(b.collector.named("SECRET").at(0).failed);
    EXPECT_TRUE(b.collector.named("break attempt").at(0).failed);
    for (const auto& request : b.collector.requests)
        EXPECT_EQ(request.body.find("password"), std::string::npos);
}

TEST(Traces, a_trace_that_is_not_sampled_is_not_sent) {
    Bench b;
    SubmitOptions given;
    given.labels = traced_by("00-" + kTrace + "-" + kSpan + "-00");
    b.run("GREET", "july", RunStatus::Succeeded, "\"Ada\"", given);

    b.turns();

    EXPECT_TRUE(b.collector.requests.empty());
    EXPECT_EQ(b.exporter->waiting().runs, 0);
    EXPECT_EQ(b.sent.at(0).substr(52), "-00");  // whoever is asked should not record it either
}

TEST(Traces, a_collector_that_is_away_is_asked_later_and_later_and_gets_all_of_it_once) {
    Bench b;
    b.collector.answers = {Reply{503}, Reply{502}, Reply{200, {}, "", Reply::Manner::Hang}};
    b.run("GREET", "july", RunStatus::Succeeded, "\"Ada\"");

    std::vector<Duration> waits;
    for (int i = 0; i < 3; ++i) {
        waits.push_back(b.turns());
        b.world.sim.clock().advance(waits.back());
    }
    b.turns();

    EXPECT_EQ(waits, (std::vector<Duration>{1s, 2s, 4s}));
    EXPECT_EQ(b.collector.all_faults(), Faults{});
    EXPECT_EQ(b.collector.spans.size(), 5U);
    EXPECT_EQ(b.exporter->counts().failures, 3);
    EXPECT_EQ(b.exporter->counts().trouble, "");
    EXPECT_EQ(b.log.size(), 1U);  // said once
}

TEST(Traces, a_collector_that_says_when_to_come_back_is_asked_then) {
    Bench b;
    b.collector.answers = {Reply{429, {{"Retry-After", "20"}}}};
    b.run("GREET", "july", RunStatus::Succeeded, "\"Ada\"");

    EXPECT_EQ(b.turns(), 20s);
    b.world.sim.clock().advance(19s);
    EXPECT_EQ(b.exporter->turn(), 1s);
    b.world.sim.clock().advance(1s);
    b.turns();

    EXPECT_EQ(b.collector.spans.size(), 5U);
}

TEST(Traces, what_a_collector_will_never_take_is_let_go_and_counted) {
    Bench b;
    b.collector.answers = {Reply{400, {}, "no such thing"}};
    b.run("GREET", "july", RunStatus::Succeeded, "\"Ada\"");
    b.turns();
    b.collector.answers = {
        Reply{200, {}, R"({"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}})"}};
    b.run("GREET", "august", RunStatus::Succeeded, "\"Ada\"");
    b.turns();

    EXPECT_EQ(b.exporter->counts().spans_dropped, 5 + 2);
    EXPECT_EQ(b.exporter->counts().sent, 3);
    EXPECT_EQ(b.exporter->waiting().runs, 0);
    ASSERT_EQ(b.log.size(), 2U);
    EXPECT_NE(b.log[0].find("no such thing"), std::string::npos);
    EXPECT_NE(b.log[1].find("too old"), std::string::npos);
}

TEST(Traces, of_too_many_that_wait_the_oldest_are_let_go) {
    Bench b;
    for (const auto* id : {"july", "august", "september"}) {
        b.run("GREET", id, RunStatus::Succeeded, "\"Ada\"");
        b.world.sim.clock().advance(1s);
    }
    Outbox outbox(b.world.core(), "w", true);

    EXPECT_EQ(outbox.trim(1), 2);
    EXPECT_EQ(outbox.trim(1), 0);
    b.turns();

    ASSERT_EQ(b.collector.named("GREET").size(), 1U);
    EXPECT_EQ(b.collector.named("GREET")[0]["belay.run.id"], "september");
}

TEST(Traces, of_several_that_export_each_takes_its_own_until_it_has_been_gone_for_a_while) {
    Bench b;
    b.run("GREET", "july", RunStatus::Succeeded, "\"Ada\"");
    const Time now = b.world.sim.clock().now();
    Outbox one(b.world.core(), "one", false);
    Outbox two(b.world.core(), "two", false);

    EXPECT_EQ(one.take(10, now, now + 10min).size(), 1U);
    EXPECT_EQ(two.take(10, now, now + 10min).size(), 0U);
    EXPECT_EQ(one.take(10, now, now + 10min).size(), 1U);
    EXPECT_EQ(two.take(10, now + 11min, now + 20min).size(), 1U);
}

TEST(Traces, a_call_of_a_model_is_a_span_below_the_attempt_that_made_it) {
    Bench b;
    b.world.define = [&b](Engine& engine) {
        b.world.core().on_run_end(note_end);
        engine.define("ASK", [](Context& ctx) -> Task<> {
            co_await ctx.step("ask", [] {
                auto call = base::begin_call(Time{Duration{1'735'689'600'000}});
                call->name = "chat gpt-x";
                call->ended_at = call->started_at + 300ms;
                call->attributes = {{"gen_ai.operation.name", std::string("chat")},
                                    {"gen_ai.usage.input_tokens", std::int64_t{12}}};
                base::tell_call(*call);
            });
        });
        engine.migrate(std::string(kOutboxOwner), outbox_migrations());
    };
    b.open();
    b.run("ASK", "july", RunStatus::Succeeded);

    b.turns();

    const auto call = b.collector.named("chat gpt-x").at(0);
    EXPECT_EQ(call.kind, 3);
    EXPECT_EQ(call["gen_ai.usage.input_tokens"], "12");
    EXPECT_EQ(call.to - call.from, 300'000'000);
}

}  // namespace
}  // namespace belay::traces

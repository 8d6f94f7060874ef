// The live feed: what is committed is told, once, in the order of the commits.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

int double_it(int n) { return 2 * n; }

struct Label {
    std::string name{};
    double score = 0;
};
BOOST_DESCRIBE_STRUCT(Label, (), (name, score))

void define(Engine& engine) {
    engine.define("double", [](Context& ctx, int n) -> Task<int> {
        const int twice = co_await ctx.step("twice", double_it, n);
        co_return co_await ctx.step("again", double_it, twice);
    });
    engine.define("nap", [](Context& ctx) -> Task<void> { co_await ctx.sleep(1h); });
    engine.define("parent", [](Context& ctx, int n) -> Task<int> {
        co_return co_await ctx.child<int>("double", n);
    });
    engine.define("label",
                  [](Context& ctx) -> Task<void> {
                      co_await ctx.transaction("save", [](Tx& tx) {
                          tx.publish("labelled", Label{"cat", 0.5});
                          tx.submit("double", 1, {.id = "from_label"});
                      });
                  },
                  {.on_start = [](Tx& tx, const RunInfo&) { tx.publish("label_started", 1); },
                   .on_end = [](Tx& tx, const RunInfo&) { tx.publish("label_ended", 2); }});
    engine.define("secret",
                  [](Context& ctx) -> Task<std::string> {
                      ctx.progress(1, 2, "the account of Ada");
                      const StepOptions once{.retry = {.attempts_max = 1}};
                      co_await ctx
                          .step(
                              "look", once,
                              []() -> std::string { throw std::runtime_error("Ada has 7 crowns"); })
                          .optional();
                      co_return "Ada";
                  },
                  {.redact = true});
    engine.define("fail", [](Context& ctx) -> Task<void> {
        const StepOptions twice{.retry = {.attempts_max = 2}};
        co_await ctx.step("break", twice, []() -> int { throw std::runtime_error("it broke"); });
    });
}

// "run_submitted a queued, stage_ended a twice succeeded, …"
std::string read(EventStream& events) {
    std::string text;
    while (const auto event = events.next()) {
        text += (text.empty() ? "" : ", ") + event->type;
        if (!event->stage_key.empty()) text += " " + event->stage_key;
        if (!event->status.empty()) text += " " + event->status;
    }
    return text;
}

TEST(Feed, tells_what_becomes_of_a_run_in_the_order_of_its_commits) {
    for (const auto seed : kSeeds) {
        Bench b(seed);
        b.define = define;
        Engine& engine = b.start();
        EventStream events = engine.watch();

        EXPECT_EQ(engine.submit<int>("double", 3, {.id = "a"}).result(), 12);

        EXPECT_EQ(read(events),
                  "run_submitted running, run_started running, stage_ended twice succeeded, "
                  "stage_ended again succeeded, run_ended succeeded");
    }
}

TEST(Feed, numbers_events_without_a_hole_and_says_whose_they_are) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    EventStream events = engine.watch();
    engine.submit<int>("double", 3, {.id = "a", .organization_id = "acme"}).result();

    std::int64_t last = 0;
    while (const auto event = events.next()) {
        EXPECT_EQ(event->id, ++last);
        EXPECT_EQ(event->run_id, "a");
        EXPECT_EQ(event->workflow_key, "double");
        EXPECT_EQ(event->organization_id, "acme");
        if (event->type == "run_ended") {
            EXPECT_EQ(event->data, "12");
        }
    }
    EXPECT_EQ(last, 5);
}

TEST(Feed, an_organization_hears_only_of_its_own_runs) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    EventStream acme = engine.watch({.organization_id = "acme"});
    EventStream other = engine.watch({.run_id = "b"});

    engine.submit<int>("double", 1, {.id = "a", .organization_id = "acme"}).result();
    engine.submit<int>("double", 2, {.id = "b", .organization_id = "umbrella"}).result();

    while (const auto event = acme.next()) EXPECT_EQ(event->run_id, "a");
    int of_b = 0;
    while (const auto event = other.next()) of_b += event->run_id == "b" ? 1 : -100;
    EXPECT_EQ(of_b, 5);
}

TEST(Feed, waits_wake_ups_and_children_are_told) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    EventStream events = engine.watch();
    auto nap = engine.submit<void>("nap", {.id = "nap"});
    nap.result();
    EXPECT_EQ(read(events),
              "run_submitted running, run_started running, stage_started sleep running, "
              "run_waiting waiting, "
              "run_resumed running, stage_ended sleep succeeded, run_ended succeeded");

    EventStream children = engine.watch();
    engine.submit<int>("parent", 4, {.id = "p"}).result();
    int submitted = 0;
    while (const auto event = children.next()) submitted += event->type == "run_submitted";
    EXPECT_EQ(submitted, 2);
}

TEST(Feed, what_a_body_publishes_is_told_with_its_commit_and_only_then) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    EventStream events = engine.watch();
    engine.submit<void>("label", {.id = "l", .organization_id = "acme"}).result();

    std::string types;
    while (const auto event = events.next()) {
        if (event->type == "labelled") {
            EXPECT_EQ(event->data, R"({"name":"cat","score":0.5})");
            EXPECT_EQ(event->organization_id, "acme");
            EXPECT_EQ(event->run_id, "l");
        }
        if (event->run_id == "l" || event->type == "run_submitted") types += event->type + " ";
    }
    EXPECT_EQ(types,
              "run_submitted run_started label_started stage_ended labelled run_submitted "
              "run_ended label_ended ");
}

TEST(Feed, a_transaction_that_is_taken_back_tells_nothing) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    EventStream events = engine.watch();

    EXPECT_THROW(engine.transact([](Tx& tx) -> void {
        tx.publish("never", 1);
        throw std::runtime_error("no");
    }),
                 std::runtime_error);
    engine.transact([](Tx& tx) { tx.publish("upload_deleted", 1, {.organization_id = "acme"}); });

    EXPECT_EQ(events.next()->type, "upload_deleted");
    EXPECT_FALSE(events.next());
    EXPECT_EQ(code_of([&] { engine.transact([](Tx& tx) { tx.publish("no spaces", 1); }); }),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] {
                  engine.transact([](Tx& tx) { tx.publish("large", std::string(70'000, 'x')); });
              }),
              ErrorCode::PayloadTooLarge);
}

TEST(Feed, failures_retries_and_control_are_told_with_their_reason) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    EventStream events = engine.watch();
    auto failed = engine.submit<void>("fail", {.id = "f"});
    EXPECT_THROW(failed.result(), Error);
    std::vector<std::string> told;
    while (const auto event = events.next()) {
        if (!event->message.empty()) told.push_back(event->type + ": " + event->message);
    }
    ASSERT_EQ(told.size(), 3u);
    EXPECT_EQ(told[0], "stage_retrying: it broke");
    EXPECT_EQ(told[1], "stage_ended: it broke");
    EXPECT_TRUE(told[2].starts_with("run_ended: ")) << told[2];

    engine.submit<void>("nap", {.id = "n"});
    ASSERT_TRUE(b.run_until("n", RunStatus::Waiting));
    EventStream after = engine.watch({.run_id = "n"});
    engine.pause("n", "lunch");
    engine.resume("n");
    engine.cancel("n");
    EXPECT_NE(read(after).find("run_paused paused, run_queued queued"), std::string::npos);
}

TEST(Feed, a_listener_that_does_not_read_loses_its_oldest_events_and_is_told) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    EventStream small = engine.watch({.buffer_max = 2});
    engine.submit<int>("double", 3, {.id = "a"}).result();

    EXPECT_EQ(small.take_lost(), 3);
    EXPECT_EQ(read(small), "stage_ended again succeeded, run_ended succeeded");
    EXPECT_EQ(small.take_lost(), 0);
    EXPECT_EQ(code_of([&] { engine.watch({.buffer_max = 0}); }), ErrorCode::InvalidArgument);
}

TEST(Feed, texts_of_a_redacted_workflow_stay_inside) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    EventStream events = engine.watch();
    engine.submit<std::string>("secret", {.id = "s"}).result();

    int progress = 0;
    while (const auto event = events.next()) {
        EXPECT_EQ(event->message, "");
        EXPECT_EQ(event->data.find("Ada"), std::string::npos);
        progress += event->type == "run_progress";
    }
    EXPECT_GE(progress, 1);
    for (const std::string& line : b.log) EXPECT_EQ(line.find("Ada"), std::string::npos) << line;
}

TEST(Feed, ends_with_its_engine_and_may_outlive_it) {
    Bench b;
    b.define = define;
    EventStream events = b.start().watch();
    b.engine().submit<int>("double", 3, {.id = "a"}).result();
    b.engine().stop();
    b.close();

    EXPECT_FALSE(events.ended());
    EXPECT_NE(read(events), "");
    EXPECT_TRUE(events.ended());
    EXPECT_FALSE(events.next(1h));
}

TEST(Feed, after_a_commit_of_unknown_outcome_listeners_are_told_to_read_again) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    EventStream events = engine.watch();
    auto run = engine.submit<int>("double", 3, {.id = "a"});
    b.faults().fail_commit(b.faults().commits() + 1, store::Fault::UnknownApplied);
    EXPECT_EQ(run.result(), 12);
    EXPECT_GT(events.take_lost(), 0);
}

}  // namespace
}  // namespace belay::engine

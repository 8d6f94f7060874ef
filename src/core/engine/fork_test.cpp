// Forks, many runs at once, and today's code against a history.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"
#include "core/engine/fork.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

int g_reads = 0;
bool g_broken = false;

std::string read(const std::string& file) {
    ++g_reads;
    return "text of " + file;
}
std::string analyse(const std::string& text) {
    if (g_broken) throw NonRetryable("no total found");
    return "total in " + text;
}

Task<std::string> invoice(Context& ctx, std::string file) {
    const auto text = co_await ctx.step("read", read, file);
    co_return co_await ctx.step("analyse", analyse, text);
}

Task<std::string> changed_invoice(Context& ctx, std::string file) {
    const auto text = co_await ctx.step("read", read, file);
    co_return co_await ctx.step("analyse_better", analyse, text);
}

Task<std::string> patched_invoice(Context& ctx, std::string file) {
    const auto text = co_await ctx.step("read", read, file);
    if (ctx.patch("better")) co_return co_await ctx.step("analyse_better", analyse, text);
    co_return co_await ctx.step("analyse", analyse, text);
}

Task<std::string> longer_invoice(Context& ctx, std::string file) {
    const auto text = co_await ctx.step("read", read, file);
    const auto total = co_await ctx.step("analyse", analyse, text);
    co_return co_await ctx.step("save", analyse, total);
}

Task<std::string> dice(Context& ctx) {
    const auto number = ctx.random();
    co_await ctx.step("even", [&] { return number % 2; });
    if (number % 2 == 0) co_return co_await ctx.step("left", read, "l");
    co_return co_await ctx.step("right", read, "r");
}

Task<int> pages(Context& ctx, int count) {
    std::vector<int> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back(i);
    const auto read_pages = co_await ctx.map("page", numbers, [](int n) { return n; });
    const auto inner = co_await ctx.scope(
        "sum",
        [](Context& in, std::vector<int> all) -> Task<int> {
            int sum = 0;
            for (const int each : all) sum += each;
            co_await in.sleep(1h);
            co_return sum;
        },
        read_pages);
    const auto answer = co_await ctx.receive<int>("more", 1h);
    co_return inner + answer.value_or(0);
}

class ForkTest : public ::testing::Test {
protected:
    void SetUp() override {
        g_reads = 0;
        g_broken = false;
        b.define = [this](Engine& engine) {
            engine.define("INVOICE", code);
            engine.define("DICE", dice);
            engine.define("PAGES", pages);
        };
    }
    Task<std::string> (*code)(Context&, std::string) = invoice;
    Bench b;
};

TEST_F(ForkTest, a_fork_from_the_failed_step_does_not_run_what_succeeded) {
    b.start();
    g_broken = true;
    const auto run = b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"});
    EXPECT_THROW(run.result(), Error);

    g_broken = false;
    const auto fork = b.engine().fork<std::string>("july");

    EXPECT_EQ(fork.result(), "total in text of july");
    EXPECT_EQ(g_reads, 1);
    EXPECT_EQ(b.run(fork.id()).forked_from, "july");
    EXPECT_EQ(b.run("july").status, RunStatus::Failed);
}

TEST_F(ForkTest, an_edited_output_takes_the_place_of_what_a_step_returned) {
    b.start();
    b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"}).result();

    ForkOptions options;
    options.outputs["read"] = R"("another text")";
    options.id = "edited";
    const auto fork = b.engine().fork<std::string>("july", options);

    EXPECT_EQ(fork.id(), "edited");
    EXPECT_EQ(fork.result(), "total in another text");
    EXPECT_EQ(g_reads, 1);
}

TEST_F(ForkTest, another_input_begins_anew_and_a_step_can_be_named) {
    b.start();
    b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"}).result();

    EXPECT_EQ(b.engine().fork<std::string>("july", {.input = R"("august")"}).result(),
              "total in text of august");
    EXPECT_EQ(
        b.engine().fork<std::string>("july", {.from = "analyse", .input = R"("august")"}).result(),
        "total in text of july");
    EXPECT_EQ(code_of([&] { b.engine().fork("july", {.from = "absent"}); }), ErrorCode::NotFound);
    EXPECT_EQ(code_of([&] { b.engine().fork("absent"); }), ErrorCode::NotFound);
}

TEST_F(ForkTest, an_id_that_a_run_has_or_that_nobody_can_type_is_refused) {
    b.start();
    b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"}).result();
    b.engine().fork<std::string>("july", {.from = "analyse", .id = "again"}).result();

    for (const char* taken : {"july", "again"}) {
        EXPECT_EQ(message_of([&] { b.engine().fork("july", {.from = "analyse", .id = taken}); }),
                  "run `" + std::string(taken) +
                      "` exists already, and a fork is a new run: choose another id");
    }
    EXPECT_EQ(code_of([&] { b.engine().fork("july", {.from = "analyse", .id = "bad\nid x/€"}); }),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(b.engine().fork<std::string>("july", {.from = "analyse", .id = "id x/€"}).id(),
              "id x/€");
}

TEST_F(ForkTest, an_input_that_does_not_fit_is_refused_at_once) {
    b.start();
    b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"}).result();

    EXPECT_EQ(message_of([&] { b.engine().fork("july", {.from = "analyse", .input = "5"}); }),
              "the input of INVOICE: expected a string, found a number");
    EXPECT_EQ(code_of([&] { b.engine().fork("july", {.input = "5"}); }), ErrorCode::BadValue);
    EXPECT_EQ(g_reads, 1);
}

class ForkRequests : public ForkTest {
protected:
    std::int64_t ask(const ForkOptions& options, Duration later = 0ms) {
        store::ControlRequest asked;
        asked.created_at = b.sim.clock().now() + later;
        asked.kind = "fork";
        asked.run_id = "july";
        asked.payload = fork_request(options);
        return b.reader.ask(asked);
    }
    store::Store::Answer answer_of(std::int64_t request) {
        b.restart();
        EXPECT_TRUE(b.run_until([&] { return b.reader.answer(request).has_value(); }));
        return *b.reader.answer(request);
    }
};

TEST_F(ForkRequests, what_another_process_asks_is_refused_for_the_same_reasons) {
    b.start();
    b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"}).result();

    EXPECT_EQ(answer_of(ask({.from = "analyse", .id = "july"})).text,
              "run `july` exists already, and a fork is a new run: choose another id");
    EXPECT_EQ(answer_of(ask({.input = "5"})).text,
              "the input of INVOICE: expected a string, found a number");
    const auto made = answer_of(ask({.from = "analyse", .id = "again"}));
    EXPECT_TRUE(made.ok);
    EXPECT_EQ(made.text, "again");
    EXPECT_FALSE(answer_of(ask({.from = "analyse", .id = "again"}, 1ms)).ok);
}

TEST_F(ForkRequests, one_that_is_read_again_after_a_crash_finds_the_fork_it_made) {
    b.start();
    b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"}).result();
    const auto request = ask({.from = "analyse", .id = "again"});
    b.engine().fork<std::string>("july", {.from = "analyse", .id = "again"}).result();

    const auto answer = answer_of(request);

    EXPECT_TRUE(answer.ok) << answer.text;
    EXPECT_EQ(answer.text, "again");
}

TEST_F(ForkTest, a_fork_goes_on_after_a_crash) {
    b.start();
    b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"}).result();
    b.engine().fork<std::string>("july", {.from = "analyse", .id = "fork"});
    b.restart();

    EXPECT_EQ(b.engine().find<std::string>("fork").result(), "total in text of july");
    EXPECT_EQ(g_reads, 1);
}

TEST_F(ForkTest, a_fork_draws_the_random_numbers_of_its_origin) {
    b.start();
    for (int i = 0; i < 8; ++i) {
        const std::string id = "dice" + std::to_string(i);
        const auto first = b.engine().submit<std::string>("DICE", {.id = id}).result();
        ForkOptions options;
        options.from = first == "text of l" ? "left" : "right";
        // Another way would be a divergence, and the fork would be paused.
        EXPECT_EQ(b.engine().fork<std::string>(id, options).result(), first);
    }
}

// ---- many runs at once

TEST_F(ForkTest, a_bulk_retry_is_about_the_runs_that_the_query_names) {
    b.start();
    g_broken = true;
    for (int i = 0; i < 250; ++i) {
        b.engine()
            .submit<std::string>("INVOICE", std::string("f"), {.id = "run-" + std::to_string(i)})
            .wait_for(1h);
    }
    b.engine().submit<std::string>("DICE", {.id = "dice"}).result();
    g_broken = false;
    const RunQuery failed{.status = RunStatus::Failed, .workflow = "INVOICE"};

    const auto counted = b.engine().bulk(BulkAction::Retry, failed, {.dry_run = true});
    EXPECT_EQ(counted.matched, 250);
    EXPECT_EQ(counted.done, 0);
    EXPECT_EQ(b.run("run-7").status, RunStatus::Failed);

    const auto done = b.engine().bulk(BulkAction::Retry, failed);
    EXPECT_EQ(done.matched, 250);
    EXPECT_EQ(done.done, 250);
    EXPECT_EQ(done.refused, 0);
    for (int i = 0; i < 250; ++i) {
        EXPECT_EQ(b.engine().find<std::string>("run-" + std::to_string(i)).result(),
                  "total in text of f");
    }
}

TEST_F(ForkTest, a_bulk_command_without_a_condition_is_refused) {
    b.start();
    EXPECT_EQ(code_of([&] { b.engine().bulk(BulkAction::Cancel, {}); }),
              ErrorCode::InvalidArgument);
}

TEST_F(ForkTest, bulk_pause_resume_cancel_and_fork) {
    b.start();
    for (int i = 0; i < 3; ++i)
        b.engine().submit<int>("PAGES", 2, {.id = "pages-" + std::to_string(i)});
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(b.run_until("pages-" + std::to_string(i), RunStatus::Waiting));
    const RunQuery query{.workflow = "PAGES"};

    EXPECT_EQ(b.engine().bulk(BulkAction::Pause, query).done, 3);
    EXPECT_EQ(b.run("pages-0").status, RunStatus::Paused);
    EXPECT_EQ(b.engine().bulk(BulkAction::Pause, query).matched, 0);
    EXPECT_EQ(b.engine().bulk(BulkAction::Resume, query).done, 3);
    BulkOptions forks;
    forks.fork.from = "page";
    const auto forked = b.engine().bulk(BulkAction::Fork, query, forks);
    EXPECT_EQ(forked.done, 3);
    EXPECT_EQ(forked.ids.size(), 3U);
    EXPECT_EQ(b.engine().bulk(BulkAction::Cancel, query, {.reason = "enough"}).refused, 0);
    ASSERT_TRUE(b.run_until("pages-1", RunStatus::Canceled));
    EXPECT_EQ(b.run("pages-1").failure->message, "enough");
}

// ---- today's code against a history

TEST_F(ForkTest, code_that_did_not_change_agrees_with_every_history) {
    b.start();
    b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"}).result();
    b.engine().submit<int>("PAGES", 3, {.id = "pages"});
    ASSERT_TRUE(b.run_until("pages", RunStatus::Waiting));
    const std::string halfway = b.engine().history("pages");
    b.engine().find<int>("pages").result();
    const int reads = g_reads;

    for (const std::string& history :
         {b.engine().history("july"), halfway, b.engine().history("pages")}) {
        const ReplayReport report = b.engine().replay(history);
        EXPECT_TRUE(report.agrees) << report.sentence;
        EXPECT_GT(report.replayed, 0);
    }
    EXPECT_EQ(g_reads, reads);
}

TEST_F(ForkTest, the_first_divergence_is_shown_with_both_names) {
    b.start();
    b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"}).result();
    const std::string history = b.engine().history("july");
    code = changed_invoice;
    b.stop_and_start();

    const ReplayReport report = b.engine().replay(history);

    EXPECT_FALSE(report.agrees);
    EXPECT_EQ(report.path, "2");
    EXPECT_NE(report.sentence.find("`analyse`"), std::string::npos) << report.sentence;
    EXPECT_NE(report.sentence.find("`analyse_better`"), std::string::npos) << report.sentence;
}

TEST_F(ForkTest, a_patch_makes_changed_code_agree_again) {
    b.start();
    b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"}).result();
    const std::string history = b.engine().history("july");
    code = patched_invoice;
    b.stop_and_start();

    EXPECT_TRUE(b.engine().replay(history).agrees) << b.engine().replay(history).sentence;
}

TEST_F(ForkTest, code_that_goes_on_after_the_end_has_diverged) {
    b.start();
    b.engine().submit<std::string>("INVOICE", std::string("july"), {.id = "july"}).result();
    const std::string history = b.engine().history("july");
    code = longer_invoice;
    b.stop_and_start();

    const ReplayReport report = b.engine().replay(history);

    EXPECT_FALSE(report.agrees);
    EXPECT_EQ(report.stage, "save");
}

TEST_F(ForkTest, a_history_of_an_unknown_workflow_or_none_at_all_is_refused) {
    b.start();
    EXPECT_EQ(code_of([&] { b.engine().replay("{}"); }), ErrorCode::BadValue);
    EXPECT_EQ(code_of([&] { b.engine().history("absent"); }), ErrorCode::NotFound);
}

}  // namespace
}  // namespace belay::engine

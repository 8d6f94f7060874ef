// How far a long step is: kept by one attempt, given to the next, whatever ended the first.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

struct Place {
    int page = 0;
    std::string cursor{};
};
BOOST_DESCRIBE_STRUCT(Place, (), (page, cursor))

// What functions without a closure reach.
Bench* g_bench = nullptr;
std::vector<int> g_begun_at;  // the page that each attempt began from; -1 for none
std::optional<ErrorCode> g_late;

int page_before(const Attempt& attempt) {
    const auto place = attempt.checkpoint<Place>();
    g_begun_at.push_back(place ? place->page : -1);
    return place ? place->page : 0;
}

class Checkpoint : public testing::TestWithParam<std::uint64_t> {
protected:
    void SetUp() override {
        g_bench = &b;
        g_begun_at.clear();
        g_late.reset();
    }
    // A workflow of one step.
    template <class F>
    void define(F function, StepOptions options = {.retry = {.first_delay = 1s, .jitter = 0}}) {
        b.define = [function, options](Engine& engine) {
            engine.define("wf", [function, options](Context& ctx) -> Task<int> {
                co_return co_await ctx.step("import", options, function);
            });
        };
    }
    Bench b{GetParam()};
};

int ten_pages_an_attempt(Attempt& attempt) {
    const int first = page_before(attempt);
    for (int page = first + 1; page <= first + 10; ++page)
        attempt.checkpoint(Place{page, "c" + std::to_string(page)});
    if (first < 20) throw std::runtime_error("the line broke");
    return first + 10;
}

TEST_P(Checkpoint, what_a_failed_attempt_kept_is_where_the_next_one_begins) {
    define(ten_pages_an_attempt);

    EXPECT_EQ(b.start().submit<int>("wf", {.id = "july"}).result(), 30);

    EXPECT_EQ(g_begun_at, (std::vector{-1, 10, 20}));
    EXPECT_EQ(b.stage("july", "1").output, "30") << "the result is in its place";
}

TEST_P(Checkpoint, it_is_shown_with_the_step_that_is_not_over) {
    define(ten_pages_an_attempt, {.retry = {.first_delay = 1h, .jitter = 0}});
    b.start().submit<int>("wf", {.id = "july"});
    b.run_until("july", RunStatus::Waiting);

    const auto stage = b.stage("july", "1");
    EXPECT_EQ(stage.status, StageStatus::Retrying);
    ASSERT_NE(model::checkpoint_of(stage), nullptr);
    EXPECT_EQ(*model::checkpoint_of(stage), R"({"page":10,"cursor":"c10"})");
}

int dies_on_page_three(Attempt& attempt) {
    const int first = page_before(attempt);
    for (int page = first + 1; page <= 5; ++page) {
        attempt.checkpoint_and_wait(Place{page, ""});
        if (page == 3 && g_begun_at.size() == 1) g_bench->die();
        if (g_bench->is_dead()) throw std::runtime_error("unwinds without effect");
    }
    return 5;
}

TEST_P(Checkpoint, it_survives_the_death_of_the_process) {
    define(dies_on_page_three);
    b.start().submit<int>("wf", {.id = "july"});
    b.run_until([&] { return b.is_dead(); });

    EXPECT_EQ(b.restart().find<int>("july").result(), 5);

    EXPECT_EQ(g_begun_at, (std::vector{-1, 3}));
}

TEST_P(Checkpoint, a_retry_of_the_run_goes_on_from_it) {
    define(ten_pages_an_attempt, {.retry = {.attempts_max = 1}});
    auto run = b.start().submit<int>("wf", {.id = "july"});
    EXPECT_THROW(run.result(), Error);
    EXPECT_NE(model::checkpoint_of(b.stage("july", "1")), nullptr);

    for (int i = 0; i < 2; ++i) {
        b.engine().retry("july");
        b.run_until([&] { return is_finished(b.run("july").status); });
    }

    EXPECT_EQ(b.run("july").status, RunStatus::Succeeded);
    EXPECT_EQ(g_begun_at, (std::vector{-1, 10, 20}));
}

// The first attempt goes on after its time is over, until the second has begun.
int keeps_too_late(Attempt& attempt) {
    page_before(attempt);
    if (attempt.number() > 1) return attempt.number();
    attempt.checkpoint_and_wait(Place{1, "in time"});
    g_bench->run_until([] { return g_begun_at.size() == 2; });
    g_late = code_of([&] { attempt.checkpoint(Place{99, "late"}); });
    return 1;
}

TEST_P(Checkpoint, an_attempt_that_was_given_up_keeps_nothing_more) {
    define(keeps_too_late, {.retry = {.first_delay = 1s, .jitter = 0}, .timeout = 10s});

    EXPECT_EQ(b.start().submit<int>("wf", {.id = "july"}).result(), 2);
    while (b.sim.run_one()) {
    }

    EXPECT_EQ(g_begun_at, (std::vector{-1, 1}));
    EXPECT_EQ(g_late, ErrorCode::Stopped);
    EXPECT_EQ(b.stage("july", "1").output, "2");
}

int many(Attempt& attempt) {
    for (int page = 1; page <= 1000; ++page) attempt.checkpoint(Place{page, ""});
    g_bench->run_until([] { return g_bench->stage("july", "1").output.has_value(); });
    return 1;
}

TEST_P(Checkpoint, many_at_once_are_one_write) {
    define(many);
    auto run = b.start().submit<int>("wf", {.id = "july"});
    std::int64_t kept = 0;
    b.faults().before_commit = [&](std::int64_t, const store::Batch& batch) {
        for (const auto& verb : batch.verbs) {
            const auto* record = std::get_if<store::Record>(&verb);
            if (record != nullptr && model::checkpoint_of(record->stage) != nullptr) ++kept;
        }
    };

    EXPECT_EQ(run.result(), 1);

    EXPECT_GE(kept, 1);
    EXPECT_LE(kept, 3) << "each is as new as can be when it is written";
}

TEST_P(Checkpoint, what_is_too_large_or_is_read_as_another_type_is_an_error_of_the_step) {
    std::optional<ErrorCode> large;
    std::optional<ErrorCode> other;
    std::optional<Place> after;
    b.define = [&](Engine& engine) {
        engine.define("wf", [&](Context& ctx) -> Task<int> {
            co_return co_await ctx.step("import", [&](Attempt& attempt) {
                attempt.checkpoint(Place{7, ""});
                large = code_of([&] { attempt.checkpoint(std::string(70'000, 'x')); });
                other = code_of([&] { (void)attempt.checkpoint<int>(); });
                after = attempt.checkpoint<Place>();
                return 1;
            });
        });
    };

    EXPECT_EQ(b.start().submit<int>("wf").result(), 1);

    EXPECT_EQ(large, ErrorCode::PayloadTooLarge);
    EXPECT_EQ(other, ErrorCode::BadValue);
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(after->page, 7) << "what was refused has changed nothing";
}

TEST_P(Checkpoint, a_commit_that_fails_takes_it_along_and_the_step_begins_from_the_one_before) {
    define([](Attempt& attempt) {
        const int first = page_before(attempt);
        for (int page = first + 1; page <= 4; ++page) attempt.checkpoint_and_wait(Place{page, ""});
        return 4;
    });
    auto run = b.start().submit<int>("wf", {.id = "july"});
    bool failed = false;
    b.faults().before_commit = [&](std::int64_t, const store::Batch& batch) {
        for (const auto& verb : batch.verbs) {
            const auto* record = std::get_if<store::Record>(&verb);
            if (record == nullptr || failed || record->stage.output != R"({"page":3,"cursor":""})")
                continue;
            failed = true;
            throw Error(ErrorCode::StoreUnavailable, "disk full");
        }
    };

    EXPECT_EQ(run.result(), 4);

    EXPECT_TRUE(failed);
    ASSERT_EQ(g_begun_at.size(), 2u);
    EXPECT_EQ(g_begun_at[1], 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Checkpoint, testing::ValuesIn(kSeeds));

}  // namespace
}  // namespace belay::engine

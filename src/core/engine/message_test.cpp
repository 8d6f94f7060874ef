// Messages: delivered once, in order, whether they come before or after they are asked for.
#include <gtest/gtest.h>

#include <boost/describe.hpp>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

void define(Engine& engine) {
    engine.define("approval", [](Context& ctx) -> Task<std::string> {
        const auto answer = co_await ctx.receive<std::string>("answer", 24h * 7);
        co_return answer ? *answer : "nobody answered";
    });
    engine.define("late", [](Context& ctx) -> Task<std::string> {
        co_await ctx.sleep(1h);
        co_return co_await ctx.receive<std::string>("word");
    });
    engine.define("three", [](Context& ctx) -> Task<std::string> {
        std::string all;
        for (int i = 0; i < 3; ++i) all += co_await ctx.receive<std::string>("word");
        co_return all;
    });
    engine.define("sender", [](Context& ctx, std::string to) -> Task<void> {
        co_await ctx.send(to, "word", "a");
        co_await ctx.send(to, "word", "b");
        co_await ctx.send(to, "word", "c");
    });
    engine.define("by_body", [](Context& ctx, std::string to) -> Task<void> {
        co_await ctx.transaction(
            "tell",
            [](Tx& tx, const std::string& whom) {
                for (const char* word : {"x", "y", "z"}) tx.send(whom, "word", std::string(word));
            },
            to);
    });
    engine.define("either", [](Context& ctx) -> Task<std::string> {
        const auto won = co_await ctx.race("first", ctx.receive<std::string>("left"),
                                           ctx.receive<std::string>("right"));
        co_return won.index == 0 ? "left " + std::get<0>(won.value)
                                 : "right " + std::get<1>(won.value);
    });
}

TEST(Message, one_that_is_asked_for_before_it_comes_wakes_its_run) {
    for (const auto seed : kSeeds) {
        Bench b(seed);
        b.define = define;
        auto run = b.start().submit<std::string>("approval", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

        b.engine().send("july", "answer", "yes");

        EXPECT_EQ(run.result(), "yes");
        EXPECT_EQ(b.stage("july", "1").kind, model::StageKind::Receive);
    }
}

TEST(Message, one_that_comes_before_it_is_asked_for_is_delivered) {
    Bench b;
    b.define = define;
    auto run = b.start().submit<std::string>("late", {.id = "july"});
    b.engine().send("july", "word", "early");

    EXPECT_EQ(run.result(), "early");
}

TEST(Message, one_for_a_run_that_does_not_exist_yet_waits_for_it) {
    Bench b;
    b.define = define;
    b.start().send("july", "word", "very early");

    EXPECT_EQ(b.engine().submit<std::string>("late", {.id = "july"}).result(), "very early");
}

TEST(Message, a_receive_that_nobody_answers_ends_with_its_timeout_also_after_a_crash) {
    for (const bool crash : {false, true}) {
        Bench b;
        b.define = define;
        const Time begun = b.sim.clock().now();
        b.start().submit<std::string>("approval", {.id = "july"});
        if (crash) {
            ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
            b.restart();
        }

        EXPECT_EQ(b.engine().find<std::string>("july").result(), "nobody answered");
        EXPECT_GE(b.run("july").completed_at.value() - begun, 24h * 7);
        EXPECT_LT(b.run("july").completed_at.value() - begun, 24h * 7 + 1min);
    }
}

// The receive was stopped together with its fan; the retry opens it, and its time begins anew.
TEST(Message, a_receive_that_a_retry_opens_again_still_ends_with_its_timeout) {
    Bench b;
    int tries = 0;
    b.define = [&](Engine& engine) {
        engine.define("both", [&tries](Context& ctx) -> Task<std::string> {
            const auto fail_once = [&tries] {
                if (++tries == 1) throw NonRetryable("not yet");
                return tries;
            };
            const auto both = co_await ctx.all("both", ctx.receive<std::string>("word", 1h),
                                               ctx.step("try", fail_once));
            co_return std::get<0>(both).value_or("nobody answered");
        });
    };
    b.start().submit<std::string>("both", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Failed));

    b.engine().retry("july");

    EXPECT_EQ(b.engine().find<std::string>("july").result(), "nobody answered");
    EXPECT_EQ(tries, 2);
}

TEST(Message, they_come_in_the_order_sent_and_each_once_whatever_crashes) {
    for (const auto seed : kSeeds) {
        for (int after = 0; after <= 40; after += 4) {
            for (const char* sender : {"sender", "by_body"}) {
                SCOPED_TRACE(testing::Message() << "seed " << seed << " after " << after);
                Bench b(seed);
                b.define = define;
                b.start().submit<std::string>("three", {.id = "july"});
                b.engine().submit<void>(sender, "july", {.id = "sender"});
                for (int i = 0; i < after; ++i) b.sim.run_one();

                const std::string all = b.restart().find<std::string>("july").result();

                EXPECT_EQ(all, std::string(sender) == "sender" ? "abc" : "xyz");
            }
        }
    }
}

TEST(Message, the_same_key_is_the_same_message) {
    Bench b;
    b.define = define;
    auto run = b.start().submit<std::string>("three", {.id = "july"});
    const SendOptions once{.dedupe_key = "k"};
    b.engine().send("july", "word", "1", once);
    b.engine().send("july", "word", "2", once);
    b.engine().send("july", "word", "3");
    b.engine().send("july", "word", "4");

    EXPECT_EQ(run.result(), "134");
}

TEST(Message, a_commit_that_nobody_knows_the_outcome_of_does_not_send_twice) {
    for (const bool applied : {false, true}) {
        Bench b;
        b.define = define;
        auto run = b.start().submit<std::string>("three", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        b.faults().fail_commit(b.faults().commits() + 1,
                               applied ? store::Fault::UnknownApplied : store::Fault::UnknownLost);
        b.engine().send("july", "word", "1");
        b.engine().send("july", "word", "2");
        b.engine().send("july", "word", "3");

        EXPECT_EQ(run.result(), "123");
    }
}

TEST(Message, a_race_of_two_topics_is_won_by_the_one_that_comes) {
    for (const auto seed : kSeeds) {
        Bench b(seed);
        b.define = define;
        auto run = b.start().submit<std::string>("either", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

        b.engine().send("july", "right", "wing");

        EXPECT_EQ(run.result(), "right wing");
        EXPECT_EQ(b.stage("july", "1.1").status, StageStatus::Skipped);
    }
}

struct Answer {
    bool approved = false;
    std::string by;
};
BOOST_DESCRIBE_STRUCT(Answer, (), (approved, by))

void define_asker(Engine& engine) {
    engine.define("asker", [](Context& ctx) -> Task<std::string> {
        co_await ctx.sleep(1h);
        const auto answer = co_await ctx.receive<Answer>("answer");
        co_return answer.by;
    });
}

struct NumberAnswer {
    bool approved = false;
    int by = 0;
};
BOOST_DESCRIBE_STRUCT(NumberAnswer, (), (approved, by))

TEST(Message, one_that_does_not_fit_is_kept_aside_and_the_run_goes_on_waiting) {
    for (const auto seed : kSeeds) {
        Bench b(seed);
        b.define = define_asker;
        b.start().submit<std::string>("asker", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        b.engine().send("july", "answer", NumberAnswer{true, 7});
        ASSERT_TRUE(b.run_until([&] { return !b.reader.messages("july", 1)[0].misfit.empty(); }));
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

        const auto kept = b.reader.messages("july", 10);
        b.restart().send("july", "answer", Answer{true, "ada"});

        EXPECT_EQ(b.engine().find<std::string>("july").result(), "ada");
        ASSERT_EQ(kept.size(), 1u);
        EXPECT_NE(kept[0].misfit.find("by"), std::string::npos) << kept[0].misfit;
        EXPECT_EQ(kept[0].payload, R"({"approved":true,"by":7})");
        EXPECT_EQ(b.run("july").attempts, 1);
    }
}

TEST(Message, one_that_does_not_fit_what_a_run_waits_for_is_refused_where_it_is_sent) {
    Bench b;
    b.define = define_asker;
    b.start().submit<std::string>("asker", {.id = "july"});
    ASSERT_TRUE(b.run_until([&] { return b.stage("july", "2").status == StageStatus::Running; }));
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    const std::string why = message_of([&] {
        b.engine().send("july", "answer", NumberAnswer{true, 7});
    });

    EXPECT_NE(why.find("`july`"), std::string::npos) << why;
    EXPECT_NE(why.find("by"), std::string::npos) << why;
    EXPECT_TRUE(b.reader.messages("july", 10).empty());
    b.engine().send("july", "answer", Answer{true, "ada"});
    EXPECT_EQ(b.engine().find<std::string>("july").result(), "ada");
}

TEST(Message, what_a_run_waits_for_is_told_to_nobody_of_another_organization) {
    Bench b;
    b.define = define_asker;
    b.start().submit<std::string>("asker", {.id = "july"});
    ASSERT_TRUE(b.run_until([&] { return b.stage("july", "2").status == StageStatus::Running; }));

    const SendOptions stranger{.organization_id = "another"};
    const std::string why = message_of([&] {
        b.engine().send("july", "answer", NumberAnswer{true, 7}, stranger);
    });

    EXPECT_NE(why.find("there is no run"), std::string::npos) << why;
}

void define_number_asker(Engine& engine) {
    engine.define("asker", [](Context& ctx) -> Task<std::string> {
        co_await ctx.sleep(1h);
        const auto answer = co_await ctx.receive<NumberAnswer>("answer");
        co_await ctx.sleep(1h);
        co_return std::to_string(answer.by);
    });
}

TEST(Message, a_retry_of_a_run_that_cannot_read_its_message_any_more_receives_anew) {
    Bench b;
    b.define = define_number_asker;
    b.start().submit<std::string>("asker", {.id = "july"});
    b.engine().send("july", "answer", NumberAnswer{true, 7});
    ASSERT_TRUE(b.run_until([&] { return b.stage("july", "2").status == StageStatus::Succeeded; }));
    b.define = define_asker;  // the code now wants a text
    b.restart();
    ASSERT_TRUE(b.run_until("july", RunStatus::Failed));
    EXPECT_EQ(b.run("july").failure->code, "BadValue");

    b.engine().retry("july");
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    b.engine().send("july", "answer", Answer{true, "ada"});

    EXPECT_EQ(b.engine().find<std::string>("july").result(), "ada");
}

TEST(Message, a_run_that_has_ended_or_is_anothers_takes_none) {
    Bench b;
    b.define = define;
    b.start().submit<std::string>("approval", {.id = "july"}).wait_for(24h * 8);

    EXPECT_NE(message_of([&] {
                  b.engine().send("july", "answer", "late");
              }).find("has ended as succeeded"),
              std::string::npos);

    b.engine().submit<std::string>("approval", {.id = "august"});
    const SendOptions stranger{.organization_id = "another"};
    EXPECT_NE(message_of([&] {
                  b.engine().send("august", "answer", "psst", stranger);
              }).find("there is no run"),
              std::string::npos);
}

}  // namespace
}  // namespace belay::engine

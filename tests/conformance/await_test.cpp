// await_test.cpp — children, messages and signals: nothing comes between the look and the wait.
#include <algorithm>

#include "conformance/store_test.hpp"

#include "core/base/limits.hpp"

namespace belay::store {
namespace {

class AwaitTest : public StoreTest {
protected:
    static model::Stage waiting_stage(const std::string& path, model::StageKind kind) {
        model::Stage stage = stage_of(path, StageStatus::Running);
        stage.kind = kind;
        return stage;
    }
    Await ask_message(const model::Run& run, const std::string& path, const std::string& topic) {
        Await await;
        await.lease = lease_of(run);
        await.stage = waiting_stage(path, model::StageKind::Receive);
        await.topic = topic;
        return await;
    }
    Await ask_child(const model::Run& run, const std::string& path, const std::string& child) {
        Await await;
        await.lease = lease_of(run);
        await.stage = waiting_stage(path, model::StageKind::Child);
        await.child_id = child;
        await.start = new_run(child);
        await.start->parent = run.no;
        await.start->parent_path = path;
        return await;
    }
    Send message(const std::string& id, const std::string& topic, const std::string& payload,
                 const std::string& key = "") {
        Send send;
        send.message = {id, topic, payload, new_run(id).organization_id, key, std::nullopt};
        return send;
    }
    static Look look_at(const model::Run& run) {
        Look look;
        look.lease = lease_of(run);
        return look;
    }
    static Ids sorted(Ids paths) {
        std::sort(paths.begin(), paths.end());
        return paths;
    }
    model::Run claimed(const std::string& id) {
        apply(claim_of(100));
        return get(id);
    }
};

// ---- messages

TEST_P(AwaitTest, a_message_is_read_once_and_in_the_order_sent) {
    const auto run = running("july");
    apply(message("july", "word", R"("a")"));
    apply(message("july", "other", R"("x")"));
    apply(message("july", "word", R"("b")"));

    const auto first = apply(ask_message(run, "1", "word"));
    const auto second = apply(ask_message(run, "2", "word"));
    const auto third = apply(ask_message(run, "3", "word"));

    EXPECT_TRUE(first.came);
    EXPECT_EQ(stage_at(run, "1")->output, R"(["a"])");
    EXPECT_EQ(stage_at(run, "1")->status, StageStatus::Succeeded);
    EXPECT_EQ(stage_at(run, "2")->output, R"(["b"])");
    EXPECT_TRUE(second.came);
    EXPECT_FALSE(third.came);
    EXPECT_EQ(stage_at(run, "3")->status, StageStatus::Running);
    EXPECT_EQ(third.signals, 3);
}

TEST_P(AwaitTest, the_timeout_wins_only_if_no_message_is_there) {
    const auto run = running("july");
    auto late = ask_message(run, "1", "word");
    late.until = now;
    auto also_late = ask_message(run, "2", "word");
    also_late.until = now;
    apply(message("july", "word", "1"));

    EXPECT_TRUE(apply(late).came);
    EXPECT_TRUE(apply(also_late).came);

    EXPECT_EQ(stage_at(run, "1")->output, "[1]");
    EXPECT_EQ(stage_at(run, "2")->output, "[]");
}

TEST_P(AwaitTest, a_message_for_a_run_to_come_waits_for_it_but_not_for_ever) {
    apply(message("july", "word", "1"));
    auto short_lived = message("july", "brief", "2");
    short_lived.message.expires_at = now + 1s;
    apply(short_lived);
    now += 2s;
    const auto run = running("july");

    EXPECT_TRUE(apply(ask_message(run, "1", "word")).came);
    EXPECT_FALSE(apply(ask_message(run, "2", "brief")).came);

    apply(message("august", "word", "1"));
    now += base::kMessageForNobodyMax + 1s;
    EXPECT_FALSE(apply(ask_message(running("august"), "1", "word")).came);
}

TEST_P(AwaitTest, the_same_key_again_is_a_duplicate_also_after_it_was_read) {
    const auto run = running("july");
    EXPECT_EQ(apply(message("july", "word", "1", "k")).outcome, SendResult::Sent);
    EXPECT_EQ(apply(message("july", "word", "2", "k")).outcome, SendResult::Duplicate);
    EXPECT_TRUE(apply(ask_message(run, "1", "word")).came);

    EXPECT_EQ(apply(message("july", "word", "3", "k")).outcome, SendResult::Duplicate);
    EXPECT_FALSE(apply(ask_message(run, "2", "word")).came);
}

TEST_P(AwaitTest, nobody_is_sent_what_nobody_will_read) {
    ended("july", RunStatus::Succeeded);
    const auto refused = apply(message("july", "word", "1"));
    EXPECT_EQ(refused.outcome, SendResult::Refused);
    EXPECT_NE(refused.why.find("has ended as succeeded"), std::string::npos);

    running("august");
    auto stranger = message("august", "word", "1");
    stranger.message.organization_id = "another";
    EXPECT_EQ(apply(stranger).outcome, SendResult::Refused);
}

TEST_P(AwaitTest, a_message_that_came_before_the_wait_refuses_it_and_one_after_it_wakes_the_run) {
    const auto run = running("july");
    EXPECT_FALSE(apply(ask_message(run, "1", "word")).came);
    apply(message("july", "word", "1"));

    Wait unaware = wait_of(run, model::kNever);
    unaware = apply(unaware);
    EXPECT_TRUE(is<Refused>(unaware.outcome));
    EXPECT_EQ(unaware.signals, 1) << "it says what the next wait must know";
    EXPECT_TRUE(is<Applied>(apply(unaware).outcome));
    EXPECT_TRUE(apply(claim_of()).outcome.claimed.empty());

    apply(message("july", "word", "2"));

    EXPECT_EQ(apply(claim_of()).outcome.claimed.size(), 1u);
}

TEST_P(AwaitTest, a_body_that_fails_has_sent_nothing) {
    const auto run = running("july");
    running("august");
    const auto body = [&](bool fails) {
        return [this, fails](SqlTx& tx) -> std::string {
            std::string why;
            tx.send(message("august", "word", "1").message, why);
            if (fails) throw std::runtime_error("no");
            return "null";
        };
    };

    EXPECT_TRUE(is<BodyFailed>(apply(transaction_of(run, "1", body(true))).outcome));
    EXPECT_EQ(get("august").signals, 0);
    EXPECT_TRUE(is<Applied>(apply(transaction_of(run, "2", body(false))).outcome));
    EXPECT_EQ(get("august").signals, 1);
}

// ---- children

TEST_P(AwaitTest, a_child_is_started_once_and_its_end_wakes_its_parent) {
    const auto parent = running("july");
    EXPECT_FALSE(apply(ask_child(parent, "1", "child")).came);
    EXPECT_FALSE(apply(ask_child(parent, "1", "child")).came);
    EXPECT_EQ(get("child").parent, parent.no);
    EXPECT_TRUE(is<Applied>(apply(wait_of(parent, model::kNever)).outcome));

    const auto child = claimed("child");
    End end = end_of(child, RunStatus::Succeeded);
    end.result = "42";
    apply(end);

    const auto again = claimed("july");
    EXPECT_EQ(again.status, RunStatus::Running);
    EXPECT_EQ(again.signals, 1);
    EXPECT_TRUE(apply(ask_child(again, "1", "child")).came);
    EXPECT_EQ(stage_at(again, "1")->output, "42");
}

TEST_P(AwaitTest, a_failed_and_a_canceled_child_are_failures_of_the_stage) {
    const auto parent = running("july");
    apply(ask_child(parent, "1", "fails"));
    apply(ask_child(parent, "2", "stops"));
    apply(end_of(claimed("fails"), RunStatus::Failed));
    apply(control_of("stops", ControlKind::Cancel));
    apply(end_of(get("stops"), RunStatus::Canceled));

    EXPECT_TRUE(apply(ask_child(parent, "1", "fails")).came);
    EXPECT_TRUE(apply(ask_child(parent, "2", "stops")).came);

    EXPECT_EQ(stage_at(parent, "1")->status, StageStatus::Failed);
    EXPECT_EQ(stage_at(parent, "1")->error_code, "RunFailed");
    EXPECT_EQ(stage_at(parent, "2")->error_code, "RunCanceled");
}

TEST_P(AwaitTest, a_retry_opens_a_failed_child_again) {
    const auto parent = running("july");
    apply(ask_child(parent, "1", "child"));
    apply(end_of(claimed("child"), RunStatus::Failed));
    auto again = ask_child(parent, "1", "child");
    again.retry_failed = true;

    EXPECT_FALSE(apply(again).came);
    EXPECT_EQ(get("child").status, RunStatus::Queued);
}

TEST_P(AwaitTest, a_cancel_is_requested_of_the_whole_tree_in_one_commit) {
    const auto parent = running("july");
    apply(ask_child(parent, "1", "child"));
    const auto child = claimed("child");
    apply(ask_child(child, "1", "grandchild"));
    apply(ask_child(parent, "2", "sleeper"));
    apply(wait_of(claimed("sleeper"), model::kNever));

    apply(control_of("july", ControlKind::Cancel));

    EXPECT_TRUE(get("child").cancel_requested);
    EXPECT_TRUE(get("grandchild").cancel_requested);
    EXPECT_TRUE(get("sleeper").cancel_requested);
    EXPECT_EQ(get("sleeper").wake_at, now);
    EXPECT_TRUE(is<Refused>(apply(ask_child(parent, "3", "too-late")).outcome));
    EXPECT_FALSE(exists("too-late"));
}

TEST_P(AwaitTest, a_fans_outcome_cancels_the_children_inside_it_and_no_others) {
    const auto parent = running("july");
    apply(ask_child(parent, "1.2", "loser"));
    apply(ask_child(parent, "2", "other"));
    Record outcome = record_of(parent, stage_of("1", StageStatus::Succeeded));
    outcome.skip_inside = true;

    apply(outcome);

    EXPECT_TRUE(get("loser").cancel_requested);
    EXPECT_FALSE(get("other").cancel_requested);
}

TEST_P(AwaitTest, what_a_batch_woke_is_told_in_the_order_it_happened) {
    const auto parent = running("july");
    apply(ask_child(parent, "1", "child"));
    const auto child = claimed("child");

    apply_all({message("july", "word", "1"), end_of(child, RunStatus::Succeeded),
               message("nobody", "word", "1")});

    EXPECT_EQ(woken(), (std::vector<Woken>{{parent.no, 1, "", "word", false},
                                           {parent.no, 2, "1", "", false}}));
}

// ---- what came, when it is not known what

TEST_P(AwaitTest, a_look_says_which_of_many_awaited_runs_have_ended_and_says_it_once) {
    const auto parent = running("parent");
    const Ids names{"a", "b", "c", "d"};
    for (std::size_t i = 0; i < names.size(); ++i)
        apply(ask_child(parent, std::to_string(i + 1), names[i]));
    apply(end_of(claimed("b"), RunStatus::Succeeded));
    apply(end_of(get("d"), RunStatus::Failed));

    const auto first = apply(look_at(parent));
    const auto second = apply(look_at(parent));

    EXPECT_TRUE(is<Applied>(first.outcome));
    EXPECT_EQ(sorted(first.ended), (Ids{"2", "4"}));
    EXPECT_EQ(first.signals, 2);
    EXPECT_TRUE(first.open.empty());
    EXPECT_TRUE(second.ended.empty());
    EXPECT_TRUE(apply(ask_child(parent, "2", "b")).came);
    EXPECT_TRUE(apply(ask_child(parent, "4", "d")).came);
}

TEST_P(AwaitTest, a_look_does_not_speak_of_what_is_recorded) {
    const auto parent = running("parent");
    apply(ask_child(parent, "1", "a"));
    apply(end_of(claimed("a"), RunStatus::Succeeded));

    EXPECT_TRUE(apply(ask_child(parent, "1", "a")).came);

    EXPECT_TRUE(apply(look_at(parent)).ended.empty());
}

TEST_P(AwaitTest, a_look_at_all_says_who_is_still_waited_for_and_at_which_path) {
    const auto parent = running("parent");
    apply(ask_child(parent, "1", "a"));
    apply(ask_child(parent, "2", "b"));
    apply(ask_child(parent, "3", "c"));
    apply(end_of(claimed("b"), RunStatus::Succeeded));
    Look all = look_at(parent);
    all.all = true;

    // What was told before the process died is not told again; that nobody is waited for there is.
    apply(look_at(parent));
    auto open = apply(all).open;

    std::sort(open.begin(), open.end());
    EXPECT_EQ(open, (std::vector<std::pair<std::string, std::string>>{{"1", "a"}, {"3", "c"}}));
}

TEST_P(AwaitTest, a_child_that_was_opened_again_is_waited_for_again) {
    const auto parent = running("parent");
    apply(ask_child(parent, "1", "a"));
    apply(end_of(claimed("a"), RunStatus::Failed));
    auto again = ask_child(parent, "1", "a");
    again.retry_failed = true;

    EXPECT_FALSE(apply(again).came);
    EXPECT_TRUE(apply(look_at(parent)).ended.empty());
    apply(end_of(claimed("a"), RunStatus::Succeeded));

    EXPECT_EQ(apply(look_at(parent)).ended, (Ids{"1"}));
}

TEST_P(AwaitTest, a_look_says_of_which_topics_there_are_unread_messages) {
    const auto run = running("july");
    apply(message("july", "word", "1"));
    apply(message("july", "word", "2"));
    apply(message("july", "other", "3"));
    apply(ask_message(run, "1", "other"));

    EXPECT_EQ(apply(look_at(run)).topics, (Ids{"word"}));
}

TEST_P(AwaitTest, a_look_at_an_old_epoch_is_fenced) {
    auto run = running("july");
    run.epoch -= 1;
    EXPECT_TRUE(is<Fenced>(apply(look_at(run)).outcome));
}

TEST_P(AwaitTest, a_message_that_does_not_fit_is_kept_aside_with_the_reason_and_the_next_is_read) {
    const auto run = running("july");
    apply(message("july", "word", R"({"by":7})", "k"));
    apply(message("july", "word", R"("b")"));
    auto ask = ask_message(run, "1", "word");
    ask.misfit = [](std::string_view record) -> std::string {
        return record.starts_with("[{") ? "`by` is a number" : "";
    };

    EXPECT_TRUE(apply(ask).came);

    EXPECT_EQ(stage_at(run, "1")->output, R"(["b"])");
    const auto kept = store->messages("july", 10);
    ASSERT_EQ(kept.size(), 2u);
    EXPECT_EQ(kept[0].misfit, "`by` is a number");
    EXPECT_EQ(kept[0].payload, R"({"by":7})");
    EXPECT_TRUE(kept[1].misfit.empty());
    EXPECT_FALSE(kept[1].payload);
    // It is nobody's any more.
    EXPECT_TRUE(apply(look_at(run)).topics.empty());
    EXPECT_EQ(apply(message("july", "word", "1", "k")).outcome, SendResult::Duplicate);
}

TEST_P(AwaitTest, a_run_waits_on_when_all_that_came_does_not_fit) {
    const auto run = running("july");
    apply(message("july", "word", "7"));
    auto ask = ask_message(run, "1", "word");
    ask.misfit = [](std::string_view) { return std::string("no"); };

    EXPECT_FALSE(apply(ask).came);

    EXPECT_EQ(stage_at(run, "1")->status, StageStatus::Running);
    EXPECT_FALSE(stage_at(run, "1")->output);
    ask.until = now;
    EXPECT_TRUE(apply(ask).came);
    EXPECT_EQ(stage_at(run, "1")->output, "[]");
}

BELAY_ON_EVERY_STORE(AwaitTest);

}  // namespace
}  // namespace belay::store

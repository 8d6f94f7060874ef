// claim_test.cpp — who runs what next: order, limits, what is left behind by the dead, crash loops.
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class ClaimTest : public StoreTest {
protected:
    Claim::Outcome claim(int limit = 10) { return apply(claim_of(limit)).outcome; }

    // The process dies while that run's code executes, and the next one knows it.
    void die_in(const model::Run& run) {
        NoteDeath death;
        death.worker = worker;
        death.executing.push_back({lease_of(run), "ocr"});
        restart();
        apply(death);
    }
    // Dies and recovers until the run has this many charges.
    model::Run recovered(const std::string& id, int times) {
        model::Run run = running(id);
        for (int i = 0; i < times; ++i) {
            die_in(run);
            run = claim().claimed.at(0);
        }
        return run;
    }
};

TEST_P(ClaimTest, a_queued_run_is_claimed_at_a_new_epoch) {
    const auto run = queued("july");
    now += 2s;

    const auto outcome = claim();

    ASSERT_EQ(ids_of(outcome.claimed), Ids{"july"});
    const auto claimed = get("july");
    EXPECT_EQ(claimed.status, RunStatus::Running);
    EXPECT_EQ(claimed.epoch, run.epoch + 1);
    EXPECT_EQ(claimed.worker, worker);
    EXPECT_EQ(claimed.started_at, now);
    EXPECT_EQ(claimed.recoveries, 0);
    EXPECT_EQ(outcome.claimed[0].epoch, claimed.epoch);
    EXPECT_EQ(outcome.claimed[0].input, run.input);
    EXPECT_FALSE(outcome.more_due);
    EXPECT_EQ(outcome.next_due, std::nullopt);
}

TEST_P(ClaimTest, a_run_is_claimed_once) {
    queued("july");

    apply_all({claim_of(), claim_of()});

    EXPECT_EQ(verb_at<Claim>(0).outcome.claimed.size(), 1u);
    EXPECT_EQ(verb_at<Claim>(1).outcome.claimed.size(), 0u);
    EXPECT_TRUE(claim().claimed.empty());
}

TEST_P(ClaimTest, the_longest_due_come_first) {
    const auto waiter = running("waiter");
    queued("first");
    queued("second");
    apply(wait_of(waiter, now + 5s));
    now += 10s;
    queued("third");

    EXPECT_EQ(ids_of(claim().claimed), (Ids{"first", "second", "waiter", "third"}));
}

TEST_P(ClaimTest, the_limit_holds_and_says_that_there_is_more) {
    queued("a");
    queued("b");
    queued("c");

    const auto first = claim(2);
    const auto second = claim(2);

    EXPECT_EQ(ids_of(first.claimed), (Ids{"a", "b"}));
    EXPECT_TRUE(first.more_due);
    EXPECT_EQ(ids_of(second.claimed), Ids{"c"});
    EXPECT_FALSE(second.more_due);
}

TEST_P(ClaimTest, a_limit_of_nothing_takes_nothing_but_tells_what_is_there) {
    queued("a");

    const auto outcome = claim(0);

    EXPECT_TRUE(outcome.claimed.empty());
    EXPECT_TRUE(outcome.more_due);
    EXPECT_EQ(get("a").status, RunStatus::Queued);
}

TEST_P(ClaimTest, only_workflows_that_the_worker_defines_are_taken_or_told_of) {
    Submit other = submit_of("other");
    other.run.workflow_key = "receipt";
    Submit later = submit_of("later");
    later.run.workflow_key = "receipt";
    later.run.available_at = now + 1s;
    apply_all({other, later, submit_of("mine")});

    const auto outcome = claim();

    EXPECT_EQ(ids_of(outcome.claimed), Ids{"mine"});
    EXPECT_FALSE(outcome.more_due);
    EXPECT_EQ(outcome.next_due, std::nullopt);

    Claim both = claim_of();
    both.workflow_keys = {"invoice", "receipt"};
    EXPECT_EQ(ids_of(apply(both).outcome.claimed), Ids{"other"});
    Claim none = claim_of();
    none.workflow_keys = {};
    now += 1h;
    EXPECT_TRUE(apply(none).outcome.claimed.empty());
}

TEST_P(ClaimTest, what_is_due_later_is_left_and_its_time_told) {
    Submit later = submit_of("later");
    later.run.available_at = now + 1min;
    Submit sooner = submit_of("sooner");
    sooner.run.available_at = now + 10s;
    apply_all({later, sooner, submit_of("now")});

    const auto outcome = claim();

    EXPECT_EQ(ids_of(outcome.claimed), Ids{"now"});
    EXPECT_EQ(outcome.next_due, now + 10s);
    EXPECT_FALSE(outcome.more_due);
    now += 10s;
    EXPECT_EQ(ids_of(claim().claimed), Ids{"sooner"});
}

TEST_P(ClaimTest, runs_of_a_worker_that_is_gone_come_before_those_that_never_ran) {
    queued("queued");
    running("orphan");
    restart();

    const auto outcome = claim();

    ASSERT_EQ(ids_of(outcome.claimed), (Ids{"orphan", "queued"}));
    EXPECT_EQ(outcome.claimed[0].recoveries, 1);
    EXPECT_EQ(outcome.claimed[0].epoch, 2);
    EXPECT_EQ(outcome.claimed[0].worker, worker);
    EXPECT_EQ(outcome.claimed[1].recoveries, 0);
    EXPECT_EQ(get("orphan").recoveries, 1);
}

TEST_P(ClaimTest, orphans_come_by_number_and_count_against_the_limit) {
    running("a");
    running("b");
    running("c");
    restart();

    const auto first = claim(2);
    const auto second = claim(2);

    EXPECT_EQ(ids_of(first.claimed), (Ids{"a", "b"}));
    EXPECT_TRUE(first.more_due);
    EXPECT_EQ(ids_of(second.claimed), Ids{"c"});
    EXPECT_FALSE(second.more_due);
}

TEST_P(ClaimTest, an_orphan_of_a_workflow_that_is_not_defined_here_stays) {
    running("july");
    restart();
    Claim other = claim_of();
    other.workflow_keys = {"receipt"};

    EXPECT_TRUE(apply(other).outcome.claimed.empty());
    EXPECT_EQ(get("july").recoveries, 0);
}

TEST_P(ClaimTest, its_own_runs_are_no_orphans) {
    running("july");

    const auto outcome = claim();

    EXPECT_TRUE(outcome.claimed.empty());
    EXPECT_FALSE(outcome.more_due);
    EXPECT_EQ(get("july").recoveries, 0);
}

TEST_P(ClaimTest, a_run_whose_code_killed_too_many_workers_is_paused_as_a_crash_loop) {
    const auto run = recovered("july", 4);
    EXPECT_EQ(run.charges, 4);
    die_in(run);

    const auto outcome = claim();

    EXPECT_TRUE(outcome.claimed.empty());
    ASSERT_EQ(ids_of(outcome.ended), Ids{"july"});
    EXPECT_EQ(outcome.ended[0].status, RunStatus::Paused);
    const auto paused = get("july");
    EXPECT_EQ(paused.status, RunStatus::Paused);
    ASSERT_TRUE(paused.failure.has_value());
    EXPECT_EQ(paused.failure->code, "CrashLoop");
    EXPECT_NE(paused.failure->message.find("crash loop"), std::string::npos);
    EXPECT_FALSE(outcome.more_due);
    EXPECT_TRUE(is<Fenced>(apply(record_of(run, stage_of("1", StageStatus::Running))).outcome));
}

TEST_P(ClaimTest, pausing_a_crash_loop_takes_no_room) {
    const auto run = recovered("july", 4);
    queued("june");
    die_in(run);

    const auto outcome = claim(1);

    EXPECT_EQ(ids_of(outcome.ended), Ids{"july"});
    EXPECT_EQ(ids_of(outcome.claimed), Ids{"june"});
}

TEST_P(ClaimTest, a_crash_loop_that_was_to_be_canceled_is_claimed_for_that_instead_of_paused) {
    const auto run = recovered("july", 4);
    apply(control_of("july", ControlKind::Cancel));
    die_in(run);

    const auto outcome = claim();

    EXPECT_TRUE(outcome.ended.empty());
    ASSERT_EQ(ids_of(outcome.claimed), Ids{"july"});
    EXPECT_TRUE(outcome.claimed[0].cancel_requested);
    EXPECT_TRUE(is<Applied>(apply(end_of(get("july"), RunStatus::Canceled)).outcome));
    EXPECT_EQ(get("july").status, RunStatus::Canceled);
}

TEST_P(ClaimTest, a_crash_loop_that_kills_also_who_cancels_it_is_paused_and_stays_to_be_canceled) {
    auto run = recovered("july", 4);
    apply(control_of("july", ControlKind::Cancel));
    for (int death = 0; death < 5; ++death) {
        die_in(run);
        const auto outcome = claim();
        ASSERT_EQ(ids_of(outcome.claimed), Ids{"july"});
        run = outcome.claimed[0];
    }
    die_in(run);

    EXPECT_EQ(ids_of(claim().ended), Ids{"july"});

    EXPECT_EQ(get("july").status, RunStatus::Paused);
    EXPECT_TRUE(get("july").cancel_requested);
}

TEST_P(ClaimTest, a_new_checkpoint_makes_a_suspect_innocent_again) {
    const auto run = recovered("july", 3);
    Record progress = record_of(run, stage_of("1", StageStatus::Succeeded));
    progress.clear_recoveries = true;

    apply(progress);

    EXPECT_EQ(get("july").recoveries, 0);
    EXPECT_EQ(get("july").charges, 0);
    restart();
    const auto outcome = claim();
    ASSERT_EQ(ids_of(outcome.claimed), Ids{"july"});
    EXPECT_EQ(outcome.claimed[0].recoveries, 1);
}

TEST_P(ClaimTest, someone_who_resumes_a_crash_loop_gives_it_new_chances) {
    die_in(recovered("july", 4));
    claim();

    apply(control_of("july", ControlKind::Resume));

    const auto outcome = claim();
    ASSERT_EQ(ids_of(outcome.claimed), Ids{"july"});
    EXPECT_EQ(outcome.claimed[0].recoveries, 0);
    EXPECT_EQ(outcome.claimed[0].charges, 0);
}

TEST_P(ClaimTest, suspects_are_taken_only_as_many_as_allowed) {
    std::vector<model::Run> both{running("a"), running("b")};
    for (int death = 0; death < 2; ++death) {
        if (death > 0) both = claim().claimed;  // one charge each: no suspects yet
        if (death > 0) running("innocent");
        NoteDeath verb;
        verb.worker = worker;
        for (const model::Run& run : both) verb.executing.push_back({lease_of(run), "ocr"});
        restart();
        apply(verb);
    }
    Claim careful = claim_of();
    careful.suspects_max = 1;

    const auto first = apply(careful).outcome;

    EXPECT_EQ(ids_of(first.claimed), (Ids{"a", "innocent"}));
    EXPECT_TRUE(first.more_due);
    EXPECT_EQ(get("b").charges, 2);

    careful.suspects_max = 0;
    EXPECT_TRUE(apply(careful).outcome.claimed.empty());
    careful.suspects_max = 1;
    EXPECT_EQ(ids_of(apply(careful).outcome.claimed), Ids{"b"});
}

TEST_P(ClaimTest, the_oldest_suspect_comes_first_however_often_it_was_charged) {
    std::vector<model::Run> both{recovered("older", 1), running("newer")};
    for (int death = 0; death < 2; ++death) {
        NoteDeath verb;
        verb.worker = worker;
        for (const model::Run& run : both) verb.executing.push_back({lease_of(run), "ocr"});
        restart();
        apply(verb);
        if (death == 0) both = claim().claimed;
    }
    EXPECT_EQ(get("older").charges, 3);
    EXPECT_EQ(get("newer").charges, 2);
    Claim careful = claim_of();
    careful.suspects_max = 1;

    EXPECT_EQ(ids_of(apply(careful).outcome.claimed), Ids{"older"});
}

TEST_P(ClaimTest, a_suspect_that_was_put_back_is_still_a_suspect) {
    apply(release_of(recovered("july", 2)));
    queued("june");
    Claim careful = claim_of();
    careful.suspects_max = 0;

    const auto outcome = apply(careful).outcome;

    EXPECT_EQ(ids_of(outcome.claimed), Ids{"june"});
    EXPECT_TRUE(outcome.more_due);
    EXPECT_EQ(ids_of(claim().claimed), Ids{"july"});
}

TEST_P(ClaimTest, the_start_hook_runs_when_a_run_starts_and_not_when_it_goes_on) {
    make_notes_table();
    queued("july");
    Claim hooked = claim_of();
    hooked.on_start = [](const model::Run& run) { return write_note(run.id + " started"); };

    const auto first = apply(hooked).outcome.claimed.at(0);
    apply(release_of(first));
    const auto second = apply(hooked).outcome.claimed.at(0);
    apply(wait_of(second, now));
    apply(hooked);
    restart();
    hooked.worker = worker;
    apply(hooked);

    EXPECT_EQ(get("july").status, RunStatus::Running);
    EXPECT_EQ(get("july").epoch, 4);
    EXPECT_EQ(notes(), Ids{"july started"});
}

TEST_P(ClaimTest, the_start_hook_runs_again_when_a_retry_begins) {
    make_notes_table();
    queued("july");
    Claim hooked = claim_of();
    hooked.on_start = [](const model::Run& run) { return write_note(run.id + " started"); };
    const auto first = apply(hooked).outcome.claimed.at(0);
    apply(end_of(first, RunStatus::Failed));
    Control retry = control_of("july", ControlKind::Retry);
    retry.expected_epoch = get("july").epoch;
    apply(retry);

    const auto again = apply(hooked).outcome.claimed.at(0);
    apply(release_of(again));
    apply(hooked);

    EXPECT_EQ(notes(), (Ids{"july started", "july started"}));
}

TEST_P(ClaimTest, a_start_hook_may_be_null) {
    queued("july");
    Claim hooked = claim_of();
    hooked.on_start = [](const model::Run&) { return TxBody{}; };

    EXPECT_EQ(ids_of(apply(hooked).outcome.claimed), Ids{"july"});
}

TEST_P(ClaimTest, a_start_hook_that_throws_fails_that_run_alone) {
    make_notes_table();
    queued("bad");
    queued("good");
    Claim hooked = claim_of(1);
    hooked.on_start = [](const model::Run& run) -> TxBody {
        return [id = run.id](SqlTx& tx) -> std::string {
            write_note(id)(tx);
            tx.submit(new_run(id + "-child"));
            if (id == "bad") throw std::runtime_error("no such organization");
            return "";
        };
    };

    const auto outcome = apply(hooked).outcome;

    EXPECT_EQ(ids_of(outcome.claimed), Ids{"good"});
    ASSERT_EQ(ids_of(outcome.ended), Ids{"bad"});
    const auto failed = get("bad");
    EXPECT_EQ(failed.status, RunStatus::Failed);
    ASSERT_TRUE(failed.failure.has_value());
    EXPECT_EQ(failed.failure->message, "no such organization");
    EXPECT_EQ(failed.completed_at, now);
    EXPECT_EQ(failed.started_at, std::nullopt);
    EXPECT_FALSE(exists("bad-child"));
    EXPECT_TRUE(exists("good-child"));
    EXPECT_EQ(notes(), Ids{"good"});
}

TEST_P(ClaimTest, a_run_whose_start_hook_throws_has_its_end_hook_run_in_the_same_commit) {
    make_notes_table();
    queued("bad");
    Claim hooked = claim_of();
    hooked.on_start = [](const model::Run&) -> TxBody {
        return [](SqlTx&) -> std::string { throw std::runtime_error("no such organization"); };
    };
    hooked.on_end = [](const model::Run& run) {
        return write_note(run.id + " " + std::string(to_string(run.status)) + ": " +
                          run.failure->message);
    };

    apply(hooked);

    EXPECT_EQ(get("bad").status, RunStatus::Failed);
    EXPECT_EQ(notes(), Ids{"bad failed: no such organization"});
}

TEST_P(ClaimTest, a_run_whose_start_and_end_hooks_throw_is_failed_and_says_both) {
    queued("bad");
    Claim hooked = claim_of();
    hooked.on_start = [](const model::Run&) -> TxBody {
        return [](SqlTx&) -> std::string { throw std::runtime_error("first"); };
    };
    hooked.on_end = [](const model::Run&) -> TxBody {
        return [](SqlTx&) -> std::string { throw std::runtime_error("second"); };
    };

    apply(hooked);

    EXPECT_EQ(get("bad").status, RunStatus::Failed);
    EXPECT_EQ(get("bad").failure->message, "first (and its on_end hook failed: second)");
}

TEST_P(ClaimTest, hooks_that_throw_the_same_sentence_say_it_once) {
    queued("bad");
    Claim hooked = claim_of();
    hooked.on_start = hooked.on_end = [](const model::Run&) -> TxBody {
        return [](SqlTx&) -> std::string { throw std::runtime_error("no such file"); };
    };

    apply(hooked);

    EXPECT_EQ(get("bad").failure->message, "no such file (its on_end hook failed the same way)");
}

TEST_P(ClaimTest, a_reclaim_raises_the_epoch_of_what_the_worker_still_holds) {
    const auto mine = running("mine");
    const auto done = ended("done", RunStatus::Succeeded);
    const auto idle = queued("idle");
    Reclaim verb;
    verb.worker = worker;
    verb.runs = {idle.no, mine.no, done.no, RunNo{987654}};

    const auto outcome = apply(verb).outcome;

    ASSERT_EQ(ids_of(outcome), Ids{"mine"});
    EXPECT_EQ(outcome[0].epoch, mine.epoch + 1);
    EXPECT_EQ(outcome[0].recoveries, 0);
    EXPECT_TRUE(is<Fenced>(apply(record_of(mine, stage_of("1", StageStatus::Running))).outcome));
    EXPECT_TRUE(
        is<Applied>(apply(record_of(outcome[0], stage_of("1", StageStatus::Running))).outcome));
}

TEST_P(ClaimTest, a_reclaim_takes_nothing_from_another_worker) {
    const auto run = running("july");
    Reclaim verb;
    verb.worker = "somebody else";
    verb.runs = {run.no};

    EXPECT_TRUE(apply(verb).outcome.empty());
    EXPECT_EQ(get("july").epoch, run.epoch);
}

TEST_P(ClaimTest, a_load_gives_stages_by_position_in_the_order_of_the_runs) {
    const auto a = running("a");
    const auto b = running("b");
    model::Stage tenth = stage_of("10", StageStatus::Succeeded);
    model::Stage second = stage_of("2", StageStatus::Succeeded);
    Load load;
    load.runs = {b.no, RunNo{987654}, a.no};

    apply_all({record_of(a, tenth), record_of(a, second),
               record_of(b, stage_of("1", StageStatus::Running)), load});

    const auto& outcome = verb_at<Load>(3).outcome;
    ASSERT_EQ(outcome.size(), 3u);
    EXPECT_EQ(outcome[0], std::vector{stage_of("1", StageStatus::Running)});
    EXPECT_TRUE(outcome[1].empty());
    EXPECT_EQ(outcome[2], (std::vector{second, tenth}));
}

BELAY_ON_EVERY_STORE(ClaimTest);

}  // namespace
}  // namespace belay::store

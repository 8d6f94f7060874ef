// deaths_test.cpp — who is charged with the death of a worker, and who is not (docs/deaths.md).
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class DeathsTest : public StoreTest {
protected:
    Claim::Outcome claim() { return apply(claim_of()).outcome; }

    // The worker dies while those were executing; its successor says so.
    NoteDeath die_in(const std::vector<model::Run>& executing,
                     model::DeathReason reason = model::DeathReason::Signal) {
        NoteDeath verb;
        verb.worker = worker;
        verb.last_seen = now - 1s;
        verb.reason = reason;
        for (const model::Run& run : executing) verb.executing.push_back({lease_of(run), "ocr"});
        restart();
        return apply(verb);
    }
    // It dies so often in its own code, alone.
    model::Run charged(const std::string& id, int times) {
        model::Run run = running(id);
        for (int i = 0; i < times; ++i) {
            die_in({run});
            run = claim().claimed.at(0);
        }
        return run;
    }
    std::vector<model::Death> deaths(const std::string& id) { return store->deaths(get(id).no); }
};

TEST_P(DeathsTest, only_the_run_whose_code_was_executing_is_charged) {
    const auto guilty = running("guilty");
    running("waiting its turn");
    const std::string dead = worker;

    const NoteDeath said = die_in({guilty});

    EXPECT_EQ(said.charged, std::vector<RunNo>{guilty.no});
    EXPECT_EQ(get("guilty").charges, 1);
    EXPECT_EQ(get("waiting its turn").charges, 0);
    now += 1s;
    claim();
    const model::Death charged{1,   dead,  now - 2s, worker,
                               now, "ocr", true,     model::DeathReason::Signal};
    const model::Death innocent{1,   dead, now - 2s, worker,
                                now, "",   false,    model::DeathReason::Signal};
    EXPECT_EQ(deaths("guilty"), std::vector<model::Death>{charged});
    EXPECT_EQ(deaths("waiting its turn"), std::vector<model::Death>{innocent});
    EXPECT_EQ(get("waiting its turn").recoveries, 1) << "a count for people";
}

TEST_P(DeathsTest, without_a_box_nobody_is_charged_and_the_death_has_a_row_all_the_same) {
    running("july");
    const std::string dead = worker;
    restart();

    claim();

    ASSERT_EQ(deaths("july").size(), 1u);
    EXPECT_EQ(deaths("july")[0].worker, dead);
    EXPECT_EQ(deaths("july")[0].picked_up_by, worker);
    EXPECT_EQ(deaths("july")[0].reason, model::DeathReason::Unknown);
    EXPECT_FALSE(deaths("july")[0].charged);
}

TEST_P(DeathsTest, a_run_that_lives_through_a_hundred_deaths_without_a_charge_is_no_suspect) {
    running("july");
    for (int i = 0; i < 100; ++i) {
        die_in({});
        Claim careful = claim_of();
        careful.suspects_max = 0;
        ASSERT_EQ(ids_of(apply(careful).outcome.claimed), Ids{"july"});
    }
    EXPECT_EQ(deaths("july").size(), 100u);
    EXPECT_EQ(get("july").status, RunStatus::Running);
}

TEST_P(DeathsTest, said_twice_is_said_once) {
    const auto run = running("july");
    NoteDeath verb = die_in({run});

    EXPECT_TRUE(apply(verb).charged.empty());
    EXPECT_EQ(get("july").charges, 1);
    EXPECT_EQ(deaths("july").size(), 1u);
}

TEST_P(DeathsTest, one_that_its_worker_had_taken_anew_is_charged_for_its_old_code) {
    const auto run = running("july");
    // A commit failed: what the worker holds is taken at a new epoch, and a thread still executes at the old one.
    Reclaim reclaim;
    reclaim.worker = worker;
    reclaim.runs = {run.no};
    ASSERT_EQ(apply(reclaim).outcome.at(0).epoch, run.epoch + 1);

    EXPECT_EQ(die_in({run}).charged, std::vector<RunNo>{run.no});

    EXPECT_EQ(get("july").charges, 1);
    ASSERT_EQ(deaths("july").size(), 1u);
    EXPECT_EQ(deaths("july")[0].epoch, run.epoch + 1);
    EXPECT_TRUE(deaths("july")[0].charged);
}

TEST_P(DeathsTest, an_epoch_that_nobody_has_charges_nobody) {
    auto run = running("july");
    run.epoch = 7;

    EXPECT_TRUE(die_in({run}).charged.empty());
    EXPECT_EQ(get("july").charges, 0);
}

TEST_P(DeathsTest, a_run_that_is_over_is_not_charged_any_more) {
    const auto run = running("july");
    apply(end_of(run, RunStatus::Succeeded));

    EXPECT_TRUE(die_in({run}).charged.empty());
}

TEST_P(DeathsTest, one_whose_start_hook_was_executing_is_charged_although_its_claim_died_with_it) {
    const auto run = queued("july");

    EXPECT_EQ(die_in({run}).charged, std::vector<RunNo>{run.no});
    EXPECT_EQ(get("july").charges, 1);

    for (int i = 0; i < 4; ++i) die_in({run});
    const auto outcome = claim();
    EXPECT_TRUE(outcome.claimed.empty());
    EXPECT_EQ(ids_of(outcome.ended), Ids{"july"});
    EXPECT_EQ(get("july").status, RunStatus::Paused);
}

TEST_P(DeathsTest, evidence_that_comes_late_counts_until_the_run_has_made_progress) {
    const auto run = running("july");
    NoteDeath late;
    late.worker = worker;
    late.last_seen = now;
    late.executing.push_back({lease_of(run), "ocr"});
    restart();
    const auto taken = claim().claimed.at(0);

    EXPECT_EQ(apply(late).charged, std::vector<RunNo>{run.no});
    EXPECT_EQ(get("july").charges, 1);
    EXPECT_EQ(deaths("july")[0].reason, model::DeathReason::Killed);

    Record progress = record_of(taken, stage_of("1", StageStatus::Succeeded));
    progress.clear_recoveries = true;
    apply(progress);
    EXPECT_EQ(get("july").charges, 0);
}

TEST_P(DeathsTest, a_new_checkpoint_before_late_evidence_makes_it_worthless) {
    const auto run = running("july");
    NoteDeath late;
    late.worker = worker;
    late.last_seen = now;
    late.executing.push_back({lease_of(run), "ocr"});
    restart();
    Record progress = record_of(claim().claimed.at(0), stage_of("1", StageStatus::Succeeded));
    progress.clear_recoveries = true;
    apply(progress);

    EXPECT_TRUE(apply(late).charged.empty());
    EXPECT_EQ(get("july").charges, 0);
}

TEST_P(DeathsTest, a_suspect_that_sat_a_death_out_is_cleared_and_one_that_did_not_is_not) {
    auto other = running("other");
    auto suspect = running("suspect");
    for (int i = 0; i < 2; ++i) {
        die_in({other, suspect}, model::DeathReason::Killed);
        const auto claimed = claim().claimed;
        other = claimed.at(0);
        suspect = claimed.at(1);
    }
    EXPECT_EQ(get("suspect").charges, 2);
    // The next worker takes one of them, and dies in it.
    die_in({}, model::DeathReason::Killed);
    Claim careful = claim_of();
    careful.suspects_max = 1;
    const auto alone = apply(careful).outcome.claimed;
    ASSERT_EQ(ids_of(alone), Ids{"other"});

    die_in(alone, model::DeathReason::Killed);

    EXPECT_EQ(get("other").charges, 3);
    EXPECT_EQ(get("suspect").charges, 0) << "it was in nobody's hands";
}

TEST_P(DeathsTest, what_was_seen_raising_a_signal_is_not_cleared_by_other_deaths) {
    charged("bomb", 2);
    restart();  // between two claims it is in nobody's hands
    Claim careful = claim_of();
    careful.suspects_max = 0;
    apply(careful);

    die_in({}, model::DeathReason::Killed);

    EXPECT_EQ(get("bomb").charges, 2);
    auto progress = claim().claimed.at(0);
    ASSERT_EQ(progress.id, "bomb");
    die_in({progress}, model::DeathReason::Killed);
    EXPECT_EQ(get("bomb").charges, 3);
}

TEST_P(DeathsTest, the_deaths_of_a_run_go_with_it) {
    const auto run = charged("july", 1);
    apply(end_of(run, RunStatus::Succeeded));
    ASSERT_EQ(deaths("july").size(), 1u);
    const RunNo no = get("july").no;
    Prune prune;
    prune.run_ids = {"july"};

    apply(prune);

    EXPECT_TRUE(store->deaths(no).empty());
}

TEST_P(DeathsTest, resume_and_retry_clear_the_charges_and_keep_the_deaths) {
    apply(end_of(charged("july", 3), RunStatus::Failed));
    Control retry = control_of("july", ControlKind::Retry);
    retry.expected_epoch = get("july").epoch;

    apply(retry);

    EXPECT_EQ(get("july").charges, 0);
    EXPECT_EQ(deaths("july").size(), 3u);
}

BELAY_ON_EVERY_STORE(DeathsTest);

}  // namespace
}  // namespace belay::store

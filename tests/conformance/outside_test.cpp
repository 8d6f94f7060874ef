// outside_test.cpp — forks, new histories, stalls, versions, and who executes.
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class OutsideTest : public StoreTest {
protected:
    Send message(const std::string& id, const std::string& topic, const std::string& payload) {
        Send send;
        send.message = {id, topic, payload, new_run(id).organization_id, "", std::nullopt};
        return send;
    }
    Claim claim_of_version(const std::string& own, std::vector<std::string> compatible) const {
        Claim claim = claim_of();
        claim.versions = {own, std::move(compatible)};
        return claim;
    }
    void submit_version(const std::string& id, const std::string& version) {
        Submit submit = submit_of(id);
        submit.run.code_version = version;
        apply(std::move(submit));
    }
    static model::Stall stall_at(Time at) {
        return {model::StallReason::NoWorker, "nobody defines it", at};
    }
};

// ---- forks

TEST_P(OutsideTest, a_fork_has_its_history_when_it_is_first_claimed) {
    Submit fork = submit_of("fork");
    fork.claim_as = worker;
    fork.run.forked_from = "july";
    fork.run.seed_id = "july";
    fork.stages = {stage_of("1", StageStatus::Succeeded), stage_of("2", StageStatus::Failed)};
    fork.attempts = {attempt_of("2", 1)};

    const auto made = std::get<SubmitOutcome>(apply(fork).outcome);
    EXPECT_EQ(made.kind, SubmitKind::Created);
    EXPECT_EQ(made.run.status, RunStatus::Queued);

    const auto claimed = apply(claim_of()).outcome.claimed;
    ASSERT_EQ(ids_of(claimed), Ids{"fork"});
    EXPECT_GT(claimed[0].epoch, 1);
    EXPECT_EQ(claimed[0].forked_from, "july");
    EXPECT_EQ(claimed[0].seed_id, "july");
    EXPECT_EQ(store->stages(claimed[0].no).size(), 2U);
    EXPECT_EQ(store->attempts(claimed[0].no).size(), 1U);
    EXPECT_EQ(stage_at(claimed[0], "1")->output, stage_of("1", StageStatus::Succeeded).output);
}

TEST_P(OutsideTest, a_fork_whose_id_exists_joins_and_writes_nothing) {
    const auto run = queued("july");
    Submit fork = submit_of("july");
    fork.stages = {stage_of("1", StageStatus::Succeeded)};

    EXPECT_EQ(std::get<SubmitOutcome>(apply(fork).outcome).kind, SubmitKind::Joined);
    EXPECT_TRUE(store->stages(run.no).empty());
}

// ---- new histories

TEST_P(OutsideTest, a_run_that_begins_anew_has_no_history_and_is_due) {
    const auto run = running("july");
    Record failed = record_of(run, stage_of("1", StageStatus::Retrying));
    failed.attempts = {attempt_of("1", 1)};
    apply(failed);
    Release anew = release_of(run);
    anew.anew_with = R"({"next":2})";

    EXPECT_TRUE(is<Applied>(apply(anew).outcome));

    const auto after = get("july");
    EXPECT_EQ(after.status, RunStatus::Queued);
    EXPECT_EQ(after.generation, 1);
    EXPECT_EQ(after.continued_input, R"({"next":2})");
    EXPECT_EQ(after.input, run.input);
    EXPECT_TRUE(store->stages(run.no).empty());
    EXPECT_TRUE(store->attempts(run.no).empty());
    EXPECT_EQ(ids_of(apply(claim_of()).outcome.claimed), Ids{"july"});
    // It is still known by what it was submitted with (P3).
    EXPECT_EQ(std::get<SubmitOutcome>(apply(submit_of("july")).outcome).kind, SubmitKind::Joined);
}

TEST_P(OutsideTest, only_the_newest_epoch_begins_anew) {
    const auto run = running("july");
    Release anew = release_of(run);
    anew.lease.epoch -= 1;
    anew.anew_with = "1";

    EXPECT_TRUE(is<Fenced>(apply(anew).outcome));
    EXPECT_EQ(get("july").generation, 0);
}

// ---- stalls

TEST_P(OutsideTest, a_stall_is_marked_counted_listed_and_taken_away) {
    const auto run = queued("july");
    queued("august");

    apply(MarkStalled{run.no, stall_at(now)});

    EXPECT_EQ(get("july").stall, stall_at(now));
    EXPECT_EQ(get("july").updated_at, run.updated_at);
    EXPECT_EQ(store->count_runs().stalled, 1);
    RunFilter filter;
    filter.stalled = true;
    EXPECT_EQ(ids_of(store->list_runs(filter).runs), Ids{"july"});

    apply(MarkStalled{run.no, std::nullopt});
    EXPECT_EQ(get("july").stall, std::nullopt);
    EXPECT_EQ(store->count_runs().stalled, 0);
}

TEST_P(OutsideTest, a_run_that_has_ended_is_not_marked) {
    const auto run = ended("july", RunStatus::Failed);

    apply(MarkStalled{run.no, stall_at(now)});

    EXPECT_EQ(get("july").stall, std::nullopt);
}

TEST_P(OutsideTest, only_what_no_clock_wakes_is_asleep) {
    waiting("timer");
    apply(wait_of(running("message"), model::kNever));
    running("busy");

    RunFilter filter;
    filter.asleep = true;

    EXPECT_EQ(ids_of(store->list_runs(filter).runs), Ids{"message"});
}

// ---- versions and workers

TEST_P(OutsideTest, a_worker_claims_only_versions_that_it_takes) {
    submit_version("one", "1");
    submit_version("two", "2");
    submit_version("any", "");

    EXPECT_EQ(ids_of(apply(claim_of_version("2", {})).outcome.claimed), (Ids{"two", "any"}));
    EXPECT_EQ(get("one").status, RunStatus::Queued);
    const auto left = apply(claim_of_version("2", {})).outcome;
    EXPECT_TRUE(left.claimed.empty());
    EXPECT_FALSE(left.more_due);
    EXPECT_EQ(ids_of(apply(claim_of_version("2", {"1*"})).outcome.claimed), Ids{"one"});
}

TEST_P(OutsideTest, a_dead_workers_run_is_left_to_its_version) {
    Submit submit = submit_of("one");
    submit.run.code_version = "1";
    submit.claim_as = "dead";
    apply(std::move(submit));

    const auto other = apply(claim_of_version("2", {})).outcome;
    EXPECT_TRUE(other.claimed.empty());
    EXPECT_FALSE(other.more_due);
    EXPECT_EQ(ids_of(apply(claim_of_version("1", {})).outcome.claimed), Ids{"one"});
}

TEST_P(OutsideTest, a_claim_says_who_executes_and_what_it_defines) {
    apply(claim_of_version("2", {"1"}));

    const auto workers = store->workers();

    ASSERT_FALSE(workers.empty());
    EXPECT_EQ(workers.back().name, worker);
    EXPECT_EQ(workers.back().workflow_keys, Ids{"invoice"});
    EXPECT_EQ(workers.back().versions.own, "2");
    EXPECT_EQ(workers.back().versions.compatible, Ids{"1"});
}

TEST_P(OutsideTest, open_workflows_are_those_of_unfinished_runs) {
    Submit other = submit_of("other");
    other.run.workflow_key = "receipt";
    apply(std::move(other));
    running("july");
    Submit over = submit_of("over");
    over.run.workflow_key = "done";
    over.claim_as = worker;
    const auto run = std::get<SubmitOutcome>(apply(std::move(over)).outcome).run;
    apply(end_of(run, RunStatus::Succeeded));

    EXPECT_EQ(store->open_workflows(), (Ids{"invoice", "receipt"}));
}

// ---- messages

TEST_P(OutsideTest, messages_are_listed_in_the_order_sent) {
    apply(message("july", "a", "1"));
    apply(message("july", "b", "2"));
    apply(message("august", "a", "3"));

    const auto listed = store->messages("july", 10);

    ASSERT_EQ(listed.size(), 2U);
    EXPECT_EQ(listed[0].topic, "a");
    EXPECT_EQ(listed[0].payload, "1");
    EXPECT_EQ(listed[0].created_at, now);
    EXPECT_FALSE(listed[0].read_at);
    EXPECT_EQ(store->messages("july", 1).size(), 1U);
    EXPECT_TRUE(store->has_topic("b"));
    EXPECT_FALSE(store->has_topic("c"));
}

TEST_P(OutsideTest, a_message_that_was_read_is_listed_without_its_payload) {
    apply(message("july", "a", "1"));
    const auto run = running("july");
    Await await;
    await.lease = lease_of(run);
    await.stage = stage_of("1", StageStatus::Running);
    await.stage.kind = model::StageKind::Receive;
    await.topic = "a";
    apply(await);

    const auto listed = store->messages("july", 10);

    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].read_at, now);
    EXPECT_EQ(listed[0].payload, std::nullopt);
    EXPECT_TRUE(store->has_topic("a"));
}

TEST_P(OutsideTest, a_child_names_its_parent) {
    const auto parent = running("parent");
    Submit child = submit_of("child");
    child.run.parent = parent.no;
    child.run.parent_path = "1";
    apply(std::move(child));

    EXPECT_EQ(get("child").parent_id, "parent");
}

BELAY_ON_EVERY_STORE(OutsideTest);

}  // namespace
}  // namespace belay::store

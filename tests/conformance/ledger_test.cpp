// ledger_test.cpp — what runs cost and saved, answers kept for other runs, and runs that go.
#include "core/model/ledger.hpp"
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class LedgerTest : public StoreTest {
protected:
    static Prune prune_of(const std::string& id) {
        Prune verb;
        verb.run_ids = {id};
        return verb;
    }
    Prune by_age(Duration keep, Duration keep_failed, int limit = 100) const {
        Prune verb;
        verb.rules = {{"invoice", now - keep, now - keep_failed}};
        verb.limit = limit;
        return verb;
    }
    Record priced(const model::Run& run, const std::string& path, const std::string& cost) const {
        model::Stage stage = stage_of(path, StageStatus::Succeeded);
        stage.started_at = now;
        stage.finished_at = now + 2s;
        stage.cost = cost;
        return record_of(run, stage);
    }
    model::LedgerRow only_row(const model::LedgerFilter& filter = {}) {
        const auto rows = store->ledger(filter);
        EXPECT_EQ(rows.size(), 1u);
        return rows.empty() ? model::LedgerRow{} : rows.front();
    }
};

// ---- answers kept for other runs (rule 11)

TEST_P(LedgerTest, an_answer_is_kept_with_its_record_until_it_expires) {
    const auto run = running("july");
    Record record = priced(run, "1", R"({"tokens_in":7})");
    record.cache = CachePut{"classify:abc", now + 1h};
    EXPECT_TRUE(is<Applied>(apply(record).outcome));

    const auto found = store->find_cached("classify:abc", now);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->output, "\"output of 1\"");
    EXPECT_EQ(found->cost, R"({"tokens_in":7})");
    EXPECT_FALSE(store->find_cached("classify:abc", now + 1h));
    EXPECT_FALSE(store->find_cached("classify:other", now));
    restart();
    EXPECT_TRUE(store->find_cached("classify:abc", now));
}

TEST_P(LedgerTest, a_record_that_is_fenced_or_refused_keeps_no_answer) {
    auto run = running("july");
    Record record = priced(run, "1", "{}");
    record.cache = CachePut{"key", now + 1h};
    record.lease.epoch = 7;
    EXPECT_TRUE(is<Fenced>(apply(record).outcome));
    EXPECT_FALSE(store->find_cached("key", now));
}

TEST_P(LedgerTest, the_answer_of_a_body_is_kept_with_what_the_body_returned) {
    make_notes_table();
    const auto run = running("july");
    Record record = transaction_of(run, "1", write_note("x", "42"));
    record.cache = CachePut{"key", now + 1h};
    apply(record);
    EXPECT_EQ(store->find_cached("key", now)->output, "42");
}

// ---- what checkpoints saved

TEST_P(LedgerTest, what_was_saved_is_noted_by_whoever_holds_the_run) {
    const auto run = running("july");
    EXPECT_EQ(get("july").saved, std::nullopt);
    EXPECT_TRUE(is<Applied>(apply(NoteSaved{lease_of(run), R"({"steps":3})", {}}).outcome));
    EXPECT_EQ(get("july").saved, R"({"steps":3})");
    EXPECT_TRUE(is<Fenced>(apply(NoteSaved{{run.no, run.epoch + 1}, "{}", {}}).outcome));
    EXPECT_EQ(get("july").saved, R"({"steps":3})");
}

// ---- the ledger

TEST_P(LedgerTest, runs_steps_and_costs_are_added_up_by_day_workflow_and_organization) {
    const auto july = running("july");
    apply(priced(july, "1", R"({"money":{"USD":"0.5"},"tokens_in":10})"));
    apply(priced(july, "2", R"({"money":{"USD":"0.25"},"cached":{"tokens_in":5}})"));
    apply(NoteSaved{lease_of(july), R"({"steps":2,"time_ms":4000,"cost":{"tokens_in":10}})", {}});
    apply(end_of(july, RunStatus::Succeeded));
    ended("august", RunStatus::Failed);
    queued("not over");

    const auto row = only_row();
    EXPECT_EQ(row.day, model::day_of(now));
    EXPECT_EQ(row.workflow_key, "invoice");
    EXPECT_EQ(row.succeeded, 1);
    EXPECT_EQ(row.failed, 1);
    EXPECT_EQ(row.canceled, 0);
    EXPECT_EQ(row.steps, 2);
    EXPECT_EQ(row.time, 4s);
    EXPECT_EQ(row.cost.money.at("USD").amount(), "0.75");
    EXPECT_EQ(row.cost.tokens_in, 10);
    EXPECT_EQ(row.saved.steps, 2);
    EXPECT_EQ(row.saved.cost.tokens_in, 10);
    EXPECT_EQ(row.saved_by_cache.steps, 1);
    EXPECT_EQ(row.saved_by_cache.cost.tokens_in, 5);

    model::LedgerFilter other;
    other.workflow_key = "receipt";
    EXPECT_TRUE(store->ledger(other).empty());
    model::LedgerFilter later;
    later.since = now + 24h;
    EXPECT_TRUE(store->ledger(later).empty());
}

TEST_P(LedgerTest, the_sums_are_the_same_when_the_runs_are_gone) {
    const auto july = running("july");
    apply(priced(july, "1", R"({"money":{"USD":"0.5"},"counters":{"fetches":3}})"));
    apply(end_of(july, RunStatus::Succeeded));
    ended("august", RunStatus::Canceled);
    const auto before = only_row();

    apply(prune_of("july"));
    EXPECT_EQ(only_row(), before);
    apply(prune_of("august"));
    EXPECT_EQ(only_row(), before);
    restart();
    EXPECT_EQ(only_row(), before);
}

// ---- runs that go (rule 12)

TEST_P(LedgerTest, a_run_that_is_over_goes_with_everything_that_belongs_to_it) {
    const auto run = running("july");
    Record failed = record_of(run, stage_of("1", StageStatus::Failed));
    failed.attempts = {attempt_of("1", 1)};
    apply(failed);
    apply(end_of(run, RunStatus::Failed));

    const auto gone = apply(prune_of("july"));

    EXPECT_EQ(ids_of(gone.outcome.deleted), Ids{"july"});
    EXPECT_TRUE(gone.outcome.refused.empty());
    EXPECT_FALSE(exists("july"));
    EXPECT_TRUE(store->stages(run.no).empty());
    EXPECT_TRUE(store->attempts(run.no).empty());
    EXPECT_EQ(store->count_runs().failed, 0);
}

TEST_P(LedgerTest, what_is_not_over_or_not_there_is_refused_with_a_reason) {
    for (const auto status :
         {RunStatus::Queued, RunStatus::Running, RunStatus::Waiting, RunStatus::Paused}) {
        const std::string id{to_string(status)};
        in_state(id, status);
        const auto kept = apply(prune_of(id));
        ASSERT_EQ(kept.outcome.refused.size(), 1u) << id;
        EXPECT_NE(kept.outcome.refused[0].second.find("only a run that is over"),
                  std::string::npos);
        EXPECT_TRUE(exists(id));
    }
    EXPECT_EQ(apply(prune_of("nobody")).outcome.refused.size(), 1u);
}

TEST_P(LedgerTest, the_id_of_a_run_that_is_gone_stays_taken) {
    ended("july", RunStatus::Succeeded);
    ended("august", RunStatus::Failed);
    apply(prune_of("july"));
    apply(prune_of("august"));
    restart();

    const auto again = std::get<SubmitOutcome>(apply(submit_of("july")).outcome);
    EXPECT_EQ(again.kind, SubmitKind::Deleted);
    EXPECT_EQ(again.run.status, RunStatus::Succeeded);
    EXPECT_EQ(again.run.workflow_key, "invoice");
    EXPECT_TRUE(again.run.completed_at);
    EXPECT_FALSE(exists("july"));

    Submit other = submit_of("july");
    other.run.input = "1";
    EXPECT_EQ(std::get<SubmitOutcome>(apply(other).outcome).kind, SubmitKind::Mismatch);

    Submit retried = submit_of("august");
    retried.retry_failed = true;
    EXPECT_EQ(std::get<SubmitOutcome>(apply(retried).outcome).kind, SubmitKind::Created);
    EXPECT_EQ(std::get<SubmitOutcome>(apply(submit_of("september")).outcome).kind,
              SubmitKind::Created);
}

TEST_P(LedgerTest, the_number_of_a_run_that_is_gone_is_never_given_again) {
    ended("july", RunStatus::Succeeded);
    const auto last = ended("august", RunStatus::Succeeded);
    apply(prune_of("august"));
    EXPECT_GT(queued("september").no.value, last.no.value);
    apply(prune_of("july"));
    restart();
    EXPECT_GT(queued("october").no.value, last.no.value + 1);
}

TEST_P(LedgerTest, age_decides_for_each_kind_of_end_and_the_rest_stays) {
    ended("old", RunStatus::Succeeded);
    ended("old failure", RunStatus::Failed);
    now += 10h;
    ended("young", RunStatus::Succeeded);
    queued("waits");

    const auto first = apply(by_age(5h, 20h));
    EXPECT_EQ(ids_of(first.outcome.deleted), Ids{"old"});
    EXPECT_FALSE(first.outcome.more);
    now += 15h;
    const auto second = apply(by_age(100h, 20h));
    EXPECT_EQ(ids_of(second.outcome.deleted), Ids{"old failure"});
    EXPECT_TRUE(exists("young"));
    EXPECT_TRUE(exists("waits"));
}

TEST_P(LedgerTest, runs_go_a_few_at_a_time) {
    for (int i = 0; i < 5; ++i) ended("run " + std::to_string(i), RunStatus::Succeeded);
    now += 1h;

    auto batch = apply(by_age(1min, 1min, 2));
    EXPECT_EQ(ids_of(batch.outcome.deleted), (Ids{"run 0", "run 1"}));
    EXPECT_TRUE(batch.outcome.more);
    apply(by_age(1min, 1min, 2));
    batch = apply(by_age(1min, 1min, 2));
    EXPECT_EQ(ids_of(batch.outcome.deleted), Ids{"run 4"});
    EXPECT_FALSE(batch.outcome.more);
}

TEST_P(LedgerTest,
       a_run_with_very_many_stages_goes_over_several_batches_and_is_gone_with_the_first) {
    const auto run = running("large");
    std::vector<Verb> verbs;
    for (int i = 1; i <= 4500; ++i)
        verbs.emplace_back(record_of(run, stage_of(std::to_string(i), StageStatus::Succeeded)));
    apply_all(std::move(verbs));
    apply(end_of(run, RunStatus::Succeeded));
    const auto before = only_row();
    now += 1h;

    bool more = apply(by_age(1min, 1min)).outcome.more;
    EXPECT_FALSE(exists("large"));
    EXPECT_EQ(only_row(), before);
    for (int i = 0; more && i < 10; ++i) more = apply(by_age(1min, 1min)).outcome.more;
    EXPECT_FALSE(more);
    EXPECT_TRUE(store->stages(run.no).empty());
    EXPECT_EQ(only_row(), before);
}

TEST_P(LedgerTest, what_an_unfinished_run_awaits_stays) {
    const auto parent = running("parent");
    Await await;
    await.lease = lease_of(parent);
    await.stage = stage_of("1", StageStatus::Running);
    await.stage.kind = model::StageKind::Child;
    await.stage.output = "\"child\"";
    await.child_id = "child";
    await.start = new_run("child");
    await.start->parent = parent.no;
    await.start->parent_path = "1";
    apply(await);
    const auto joined = running("other");
    Await joins = await;
    joins.lease = lease_of(joined);
    apply(joins);
    const auto claimed = apply(claim_of());
    ASSERT_EQ(ids_of(claimed.outcome.claimed), Ids{"child"});
    apply(end_of(claimed.outcome.claimed[0], RunStatus::Succeeded));
    now += 1h;

    EXPECT_TRUE(apply(by_age(1min, 1min)).outcome.deleted.empty());
    EXPECT_NE(apply(prune_of("child")).outcome.refused.at(0).second.find("needed by"),
              std::string::npos);

    apply(end_of(parent, RunStatus::Succeeded));
    EXPECT_EQ(apply(prune_of("child")).outcome.refused.size(), 1u)
        << "the other one has not heard of its end";
    apply(end_of(joined, RunStatus::Canceled));
    EXPECT_EQ(ids_of(apply(prune_of("child")).outcome.deleted), Ids{"child"});
}

TEST_P(LedgerTest, answers_that_have_expired_go_with_the_old_runs) {
    const auto run = running("july");
    Record record = priced(run, "1", "{}");
    record.cache = CachePut{"key", now + 1min};
    apply(record);
    now += 1h;
    apply(by_age(1h, 1h));
    EXPECT_FALSE(store->find_cached("key", now - 2h)) << "gone, and not only expired";
}

TEST_P(LedgerTest, a_value_of_megabytes_is_the_same_after_a_restart) {
    const std::string large = "\"" + std::string(3 << 20, 'x') + "\"";
    Submit submit = submit_of("july");
    submit.run.input = large;
    submit.claim_as = worker;
    const auto run = std::get<SubmitOutcome>(apply(submit).outcome).run;
    model::Stage stage = stage_of("1", StageStatus::Succeeded);
    stage.output = large;
    apply(record_of(run, stage));
    End end = end_of(run, RunStatus::Succeeded);
    end.result = large;
    apply(end);
    restart();

    EXPECT_EQ(get("july").input, large);
    EXPECT_EQ(get("july").result, large);
    EXPECT_EQ(stage_at(run, "1")->output, large);
    EXPECT_EQ(std::get<SubmitOutcome>(apply(submit).outcome).kind, SubmitKind::Joined);
    store->collect_garbage();  // a store may have kept what the second submission brought apart from the first's
    EXPECT_EQ(get("july").input, large);
    EXPECT_EQ(get("july").result, large);
    apply(prune_of("july"));
    store->collect_garbage();
    EXPECT_FALSE(exists("july"));
}

BELAY_ON_EVERY_STORE(LedgerTest);

}  // namespace
}  // namespace belay::store

#include "core/store/memory/memory_store.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::store {
namespace {

class MemoryStoreTest : public testing::Test {
protected:
    template <class V>
    V apply(Store& store, V verb) {
        Batch batch;
        batch.now = Time{Duration{1'000}};
        batch.verbs.emplace_back(std::move(verb));
        store.commit(batch);
        return std::get<V>(std::move(batch.verbs.front()));
    }
    model::Run start(Store& store, const std::string& id, const std::string& worker) {
        Submit verb;
        verb.run.id = id;
        verb.run.workflow_key = "invoice";
        verb.claim_as = worker;
        return std::get<SubmitOutcome>(apply(store, verb).outcome).run;
    }
    static Record record_of(const model::Run& run) {
        Record verb;
        verb.lease = {run.no, run.epoch};
        verb.stage.path = "1";
        verb.stage.stage_key = "ocr";
        verb.stage.status = StageStatus::Succeeded;
        return verb;
    }
    static Claim claim_of(const std::string& worker) {
        Claim verb;
        verb.worker = worker;
        verb.workflow_keys = {"invoice"};
        verb.limit = 10;
        return verb;
    }

    std::shared_ptr<MemoryDisk> disk = make_memory_disk();
};

TEST_F(MemoryStoreTest, an_older_session_on_the_same_disk_executes_nothing_any_more) {
    MemoryStore old{disk};
    const auto run = start(old, "july", "worker-1");

    MemoryStore young{disk};

    // Even before the younger one has claimed anything.
    EXPECT_TRUE(std::holds_alternative<Fenced>(apply(old, record_of(run)).outcome));
    EXPECT_TRUE(apply(old, claim_of("worker-1b")).outcome.claimed.empty());
    Reclaim reclaim;
    reclaim.worker = "worker-1";
    reclaim.runs = {run.no};
    EXPECT_TRUE(apply(old, reclaim).outcome.empty());
    EXPECT_EQ(start(old, "june", "worker-1").status, RunStatus::Queued);

    EXPECT_EQ(apply(young, claim_of("worker-2")).outcome.claimed.size(), 2u);
}

TEST_F(MemoryStoreTest, a_store_that_only_reads_does_not_commit_and_ends_no_session) {
    MemoryStore executor{disk};
    const auto run = start(executor, "july", "worker-1");
    MemoryStore reader{disk, false};
    Batch batch;

    EXPECT_THROW(reader.commit(batch), Error);
    EXPECT_EQ(reader.find_run("july")->status, RunStatus::Running);
    EXPECT_TRUE(std::holds_alternative<Applied>(apply(executor, record_of(run)).outcome));
}

TEST_F(MemoryStoreTest, disks_are_apart) {
    MemoryStore one{disk};
    MemoryStore other;
    start(one, "july", "worker-1");

    EXPECT_EQ(other.find_run("july"), std::nullopt);
}

TEST_F(MemoryStoreTest, a_body_may_read_through_the_store_while_it_commits) {
    MemoryStore store{disk};
    const auto run = start(store, "july", "worker-1");
    Record verb = record_of(run);
    verb.body = [&](SqlTx&) -> std::string {
        return store.find_run("july") ? "\"found\"" : "\"lost\"";
    };

    EXPECT_EQ(apply(store, verb).stage.output, "\"found\"");
}

TEST_F(MemoryStoreTest, ten_thousand_runs_are_no_trouble) {
    MemoryStore store{disk};
    for (int i = 0; i < 10'000; ++i) {
        const auto run = start(store, "run-" + std::to_string(i), "worker-1");
        apply(store, record_of(run));
    }

    EXPECT_EQ(store.count_runs().running, 10'000);
    EXPECT_TRUE(apply(store, claim_of("worker-1")).outcome.claimed.empty());
}

}  // namespace
}  // namespace belay::store

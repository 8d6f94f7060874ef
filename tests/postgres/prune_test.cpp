// prune_test.cpp — runs that go by their age or by name, while another worker opens them again.
//
// A sweep has two moments at which it can be stopped from outside: when it has listed what is old and waits for the
// ledger, and when it holds its locks and writes the first tombstone.
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "postgres/store_bench.hpp"

namespace belay::store {
namespace {

class PruneTest : public PostgresStoreTest {
protected:
    using Ids = std::vector<std::string>;

    model::Run failed(const std::string& id, RunNo parent = {}) {
        Submit submit = submit_of(id, "one");
        submit.run.parent = parent;
        const auto run = std::get<SubmitOutcome>(apply(*one, submit).outcome).run;
        fail(run);
        return *one->find_run(run.no);
    }
    void fail(const model::Run& run) {
        End end;
        end.lease = {run.no, run.epoch};
        end.status = RunStatus::Failed;
        end.failure = model::Failure{"StepFailed", "it fails", "step", "1"};
        EXPECT_TRUE(std::holds_alternative<Applied>(apply(*one, end).outcome));
    }
    static Control retry_of(const model::Run& run) {
        Control retry;
        retry.run_id = run.id;
        retry.kind = ControlKind::Retry;
        retry.expected_epoch = run.epoch;
        return retry;
    }
    Prune by_age() const {
        Prune prune;
        prune.rules = {{"invoice", now + 1h, now + 1h}};
        return prune;
    }
    static Prune by_name(const std::string& id) {
        Prune prune;
        prune.run_ids = {id};
        return prune;
    }
    static Ids deleted_by(const Prune& prune) {
        Ids ids;
        for (const model::Run& run : prune.outcome.deleted) ids.push_back(run.id);
        return ids;
    }
    bool exists(const std::string& id) { return one->find_run(id).has_value(); }

    // What the second worker's sweep makes of it when `act` happens after it has looked and before it deletes.
    Prune with_between(const Prune& prune, const std::function<void()>& act) {
        return with_held(
            "SELECT pg_advisory_xact_lock(hashtextextended('belay ledger ' || "
            "current_schema()::text, 0))",
            prune, act);
    }
    // The same, with the sweep in the middle of its deletes.
    Prune with_within(const Prune& prune, const std::function<void()>& act) {
        return with_held("LOCK TABLE workflow_tombstones IN SHARE MODE", prune, act);
    }

    std::unique_ptr<Store> one = open();
    std::unique_ptr<Store> two = open();
    std::unique_ptr<postgres::Connection> holder = session();

private:
    Prune with_held(const std::string& lock, const Prune& prune, const std::function<void()>& act) {
        holder->run("BEGIN");
        holder->run(lock);
        auto sweep = std::async(std::launch::async, [&] { return apply(*two, prune); });
        while (waiting() == 0) {
            if (sweep.wait_for(0s) == std::future_status::ready) {
                ADD_FAILURE() << "the sweep did not wait";
                break;
            }
        }
        act();
        holder->run("COMMIT");
        return sweep.get();
    }
};

TEST_F(PruneTest, a_run_whose_retry_was_accepted_stays) {
    const auto run = failed("july");

    const auto swept = with_between(
        by_age(), [&] { ASSERT_EQ(apply(*one, retry_of(run)).outcome, ControlResult::Done); });

    EXPECT_TRUE(deleted_by(swept).empty());
    ASSERT_TRUE(exists("july"));
    EXPECT_EQ(one->find_run("july")->status, RunStatus::Queued);
}

TEST_F(PruneTest, a_run_that_was_submitted_again_to_be_retried_stays) {
    failed("july");

    const auto swept = with_between(by_age(), [&] {
        Submit again = submit_of("july", "");
        again.retry_failed = true;
        ASSERT_EQ(std::get<SubmitOutcome>(apply(*one, again).outcome).kind, SubmitKind::Retried);
    });

    EXPECT_TRUE(deleted_by(swept).empty());
    EXPECT_TRUE(exists("july"));
}

TEST_F(PruneTest, a_run_that_failed_anew_is_kept_for_its_time) {
    const auto run = failed("july");
    const Prune prune = by_age();

    const auto swept = with_between(prune, [&] {
        now += 2h;
        apply(*one, retry_of(run));
        const auto claimed = apply(*one, claim_of("one")).outcome.claimed;
        ASSERT_EQ(claimed.size(), 1u);
        fail(claimed[0]);
    });

    EXPECT_TRUE(deleted_by(swept).empty());
    EXPECT_TRUE(exists("july"));
}

TEST_F(PruneTest, a_child_whose_parent_was_retried_stays) {
    const auto parent = failed("parent");
    failed("child", parent.no);

    const auto swept = with_between(
        by_age(), [&] { ASSERT_EQ(apply(*one, retry_of(parent)).outcome, ControlResult::Done); });

    EXPECT_TRUE(deleted_by(swept).empty());
    EXPECT_TRUE(exists("parent"));
    EXPECT_TRUE(exists("child"));
}

TEST_F(PruneTest, what_opens_nothing_keeps_nothing) {
    const auto run = failed("july");

    const auto swept = with_between(by_age(), [&] {
        Send send;
        send.message.run_id = "july";
        send.message.topic = "hello";
        send.message.payload = "1";
        EXPECT_EQ(apply(*one, send).outcome, SendResult::Refused);
        for (const ControlKind kind :
             {ControlKind::Cancel, ControlKind::Pause, ControlKind::Resume}) {
            Control control;
            control.run_id = "july";
            control.kind = kind;
            EXPECT_EQ(apply(*one, control).outcome, ControlResult::Refused);
        }
        Submit fork = submit_of("fork", "");
        fork.stages = {record_of(run, "1").stage};
        EXPECT_EQ(std::get<SubmitOutcome>(apply(*one, fork).outcome).kind, SubmitKind::Created);
    });

    EXPECT_EQ(deleted_by(swept), Ids{"july"});
    EXPECT_EQ(one->stages(one->find_run("fork")->no).size(), 1u);
}

TEST_F(PruneTest, a_retry_that_comes_while_its_run_goes_finds_no_run) {
    const auto run = failed("july");
    std::future<Control> retry;

    const auto swept = with_within(by_age(), [&] {
        retry = std::async(std::launch::async, [&] { return apply(*one, retry_of(run)); });
        while (waiting() < 2 && retry.wait_for(0s) != std::future_status::ready) {
        }
    });

    EXPECT_EQ(deleted_by(swept), Ids{"july"});
    EXPECT_EQ(retry.get().outcome, ControlResult::NotFound);
}

TEST_F(PruneTest, the_parent_of_a_run_that_goes_is_retried_when_that_is_gone) {
    for (const bool named : {false, true}) {
        const std::string id = named ? "named" : "old";
        const auto parent = failed(id);
        Prune prune = by_name(id + "-child");
        failed(id + "-child", parent.no);
        if (!named) {
            // Younger than its child, so that only that one is old.
            now += 2h;
            prune = Prune{};
            prune.rules = {{"invoice", now - 1h, now - 1h}};
            apply(*one, retry_of(parent));
            fail(apply(*one, claim_of("one")).outcome.claimed.at(0));
        }
        std::future<Control> retry;

        const auto swept = with_within(prune, [&] {
            retry = std::async(std::launch::async,
                               [&] { return apply(*one, retry_of(*one->find_run(id))); });
            while (waiting() < 2 && retry.wait_for(0s) != std::future_status::ready) {
            }
            EXPECT_EQ(retry.wait_for(0s), std::future_status::timeout) << id;
        });

        EXPECT_EQ(deleted_by(swept), Ids{id + "-child"});
        EXPECT_EQ(retry.get().outcome, ControlResult::Done) << id;
    }
}

TEST_F(PruneTest, a_run_in_anothers_hand_is_left_and_the_others_go) {
    const auto busy = failed("busy");
    failed("free");
    holder->run("BEGIN");
    holder->run("SELECT id FROM workflow_runs WHERE public_id = 'busy' FOR NO KEY UPDATE");

    auto sweep = std::async(std::launch::async, [&] { return apply(*two, by_age()); });
    while (waiting() == 0 && sweep.wait_for(0s) != std::future_status::ready) {
    }
    const bool waited = sweep.wait_for(0s) != std::future_status::ready;
    holder->run("COMMIT");

    EXPECT_FALSE(waited);
    EXPECT_EQ(deleted_by(sweep.get()), Ids{"free"});
    EXPECT_EQ(deleted_by(apply(*two, by_age())), Ids{"busy"});
}

TEST_F(PruneTest, an_expired_answer_that_was_put_anew_stays) {
    const auto run = running(*one, "july", "one");
    Record record = record_of(run, "1");
    record.cache = CachePut{"key", now};
    apply(*one, record);
    holder->run("BEGIN");
    postgres::Parameters later;
    later.add(now + 1h);
    holder->run("UPDATE workflow_step_cache SET expires_at = $1", later);

    auto sweep = std::async(std::launch::async, [&] { return apply(*two, by_age()); });
    while (waiting() == 0 && sweep.wait_for(0s) != std::future_status::ready) {
    }
    holder->run("COMMIT");
    sweep.get();

    EXPECT_TRUE(one->find_cached("key", now));
}

}  // namespace
}  // namespace belay::store

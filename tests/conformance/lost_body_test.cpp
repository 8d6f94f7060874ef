// lost_body_test.cpp — a body that meets a failure of the store has not failed: its verb is lost (rule 2).
//
// A full disk is made with SQL alone, so that every store can have one: a table whose numbers are used up
// answers the next row as a disk that is full (on PostgreSQL, a table with a trigger that says so).
#include "conformance/store_test.hpp"

#include "conformance/used_up_table.hpp"
#include "core/base/limits.hpp"

namespace belay::store {
namespace {

class LostBodyTest : public StoreTest {
protected:
    LostBodyTest() {
        make_notes_table();
        store->migrate({"full", {used_up_table(GetParam().name)}});
    }

    static std::string meet_full_disk(SqlTx& tx) {
        write_note("half")(tx);
        tx.run("INSERT INTO used_up VALUES (NULL)", {});
        return "null";
    }
    static TxBody fails(const std::string& why) {
        return [why](SqlTx&) -> std::string { throw std::runtime_error(why); };
    }
};

TEST_P(LostBodyTest, a_record_is_lost_and_its_neighbours_are_not) {
    const auto bad = running("bad");
    const auto good = running("good");

    apply_all({transaction_of(good, "1", write_note("before")),
               transaction_of(bad, "1", meet_full_disk),
               transaction_of(good, "2", write_note("after"))});

    EXPECT_TRUE(is<Applied>(verb_at<Record>(0).outcome));
    ASSERT_TRUE(is<Lost>(verb_at<Record>(1).outcome));
    EXPECT_NE(std::get<Lost>(verb_at<Record>(1).outcome).why.find("full"), std::string::npos);
    EXPECT_TRUE(is<Applied>(verb_at<Record>(2).outcome));
    EXPECT_EQ(notes(), (Ids{"before", "after"}));
    EXPECT_TRUE(store->stages(bad.no).empty());
    EXPECT_TRUE(is<Applied>(apply(transaction_of(bad, "1", write_note("again"))).outcome));
}

TEST_P(LostBodyTest, whatever_the_body_makes_of_it) {
    const auto run = running("july");

    apply_all({transaction_of(run, "1",
                              [](SqlTx& tx) -> std::string {
                                  try {
                                      return meet_full_disk(tx);
                                  } catch (const Error&) {
                                      return "\"all is well\"";
                                  }
                              }),
               transaction_of(run, "2", [](SqlTx& tx) -> std::string {
                   try {
                       return meet_full_disk(tx);
                   } catch (const Error&) {
                       throw std::runtime_error("could not save");
                   }
               })});

    EXPECT_TRUE(is<Lost>(verb_at<Record>(0).outcome));
    EXPECT_TRUE(is<Lost>(verb_at<Record>(1).outcome));
    EXPECT_EQ(notes(), Ids{});
}

TEST_P(LostBodyTest, a_body_that_only_says_so_has_failed) {
    const auto run = running("july");

    const auto outcome = apply(transaction_of(run, "1", [](SqlTx&) -> std::string {
                             throw Error(ErrorCode::StoreUnavailable, "another store of mine");
                         })).outcome;

    EXPECT_TRUE(is<BodyFailed>(outcome));
}

TEST_P(LostBodyTest, an_end_whose_hook_meets_it_is_not_written) {
    End end = end_of(running("july"), RunStatus::Succeeded);
    end.on_end = meet_full_disk;

    EXPECT_TRUE(is<Lost>(apply(end).outcome));

    EXPECT_EQ(get("july").status, RunStatus::Running);
    EXPECT_EQ(notes(), Ids{});
}

TEST_P(LostBodyTest, a_submission_whose_hook_meets_it_makes_no_run) {
    Submit submit = submit_of("july");
    submit.claim_as = worker;
    submit.on_start = meet_full_disk;

    EXPECT_TRUE(is<Lost>(apply(submit).outcome));

    EXPECT_FALSE(exists("july"));
}

TEST_P(LostBodyTest, a_run_whose_start_hook_meets_it_stays_queued_and_is_due_a_little_later) {
    queued("bad");
    queued("good");
    Claim claim = claim_of();
    claim.on_start = [](const model::Run& run) {
        return run.id == "bad" ? TxBody(meet_full_disk) : write_note("good starts");
    };

    const auto first = apply(claim).outcome;

    EXPECT_EQ(ids_of(first.claimed), Ids{"good"});
    EXPECT_TRUE(first.ended.empty());
    ASSERT_TRUE(first.lost.has_value());
    EXPECT_NE(first.lost->why.find("full"), std::string::npos);
    EXPECT_EQ(first.next_due, now + base::kHookRetryAfter);
    EXPECT_EQ(get("bad").status, RunStatus::Queued);
    EXPECT_EQ(get("bad").started_at, std::nullopt);
    EXPECT_EQ(notes(), Ids{"good starts"});

    now += base::kHookRetryAfter;
    claim.on_start = [](const model::Run&) { return write_note("bad starts"); };
    const auto second = apply(claim).outcome;
    EXPECT_EQ(ids_of(second.claimed), Ids{"bad"});
    EXPECT_FALSE(second.lost.has_value());
    EXPECT_EQ(notes(), (Ids{"good starts", "bad starts"}));
}

TEST_P(LostBodyTest, a_run_whose_start_hook_took_too_long_stays_queued_and_the_store_is_well) {
    queued("july");
    Claim claim = claim_of();
    const auto too_slow = [](SqlTx& tx) -> std::string {
        write_note("july starts")(tx);
        throw Error(ErrorCode::Overloaded, "longer than its limit");
    };
    claim.on_start = [&](const model::Run&) { return TxBody(too_slow); };

    const auto first = apply(claim).outcome;

    EXPECT_TRUE(first.claimed.empty());
    EXPECT_TRUE(first.ended.empty());
    EXPECT_FALSE(first.lost.has_value());
    EXPECT_EQ(first.next_due, now + base::kHookRetryAfter);
    EXPECT_EQ(get("july").status, RunStatus::Queued);
    EXPECT_EQ(notes(), Ids{});

    now += base::kHookRetryAfter;
    claim.on_start = [](const model::Run&) { return write_note("july starts"); };
    EXPECT_EQ(ids_of(apply(claim).outcome.claimed), Ids{"july"});
    EXPECT_EQ(notes(), Ids{"july starts"});
}

TEST_P(LostBodyTest, a_run_that_fails_at_its_start_is_not_failed_while_its_end_hook_meets_it) {
    queued("july");
    Claim claim = claim_of();
    claim.on_start = [](const model::Run&) { return fails("no such customer"); };
    claim.on_end = [](const model::Run&) { return TxBody(meet_full_disk); };

    const auto first = apply(claim).outcome;

    EXPECT_TRUE(first.ended.empty());
    EXPECT_TRUE(first.lost.has_value());
    EXPECT_EQ(get("july").status, RunStatus::Queued);
    EXPECT_EQ(get("july").failure, std::nullopt);

    now += base::kHookRetryAfter;
    claim.on_end = [](const model::Run&) { return write_note("ended"); };
    EXPECT_EQ(ids_of(apply(claim).outcome.ended), Ids{"july"});
    EXPECT_EQ(get("july").failure->message, "no such customer");
    EXPECT_EQ(notes(), Ids{"ended"});
}

TEST_P(LostBodyTest, each_hook_answers_for_itself_when_one_cost_the_batch_its_transaction) {
    queued("july");
    Claim claim = claim_of();
    claim.on_start = [](const model::Run&) -> TxBody {
        return [](SqlTx& tx) -> std::string {
            tx.run("INSERT OR ROLLBACK INTO used_up VALUES (9223372036854775807)", {});
            return "";
        };
    };
    claim.on_end = [](const model::Run&) { return write_note("ended"); };

    const auto outcome = apply(claim).outcome;

    ASSERT_EQ(ids_of(outcome.ended), Ids{"july"});
    EXPECT_EQ(outcome.ended[0].failure->message.find("on_end"), std::string::npos)
        << outcome.ended[0].failure->message;
    EXPECT_EQ(notes(), Ids{"ended"});
}

TEST_P(LostBodyTest, a_cancel_whose_hook_meets_it_is_refused_for_now) {
    queued("july");
    Control cancel = control_of("july", ControlKind::Cancel);
    cancel.on_end = [](const model::Run&) { return TxBody(meet_full_disk); };

    const auto answered = apply(cancel);

    EXPECT_EQ(answered.outcome, ControlResult::Refused);
    EXPECT_TRUE(answered.lost.has_value());
    EXPECT_EQ(get("july").status, RunStatus::Queued);
    cancel.on_end = [](const model::Run&) { return write_note("canceled"); };
    EXPECT_EQ(apply(cancel).outcome, ControlResult::Done);
    EXPECT_FALSE(apply(cancel).lost.has_value());
}

BELAY_ON_EVERY_STORE(LostBodyTest);

}  // namespace
}  // namespace belay::store

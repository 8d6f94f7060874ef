// sealed_test.cpp — what a sealed store leaves readable in the store beneath it, on every store. (That it behaves as any
// other is shown by the whole suite, which has a sealed one among its stores.)
#include <belay/seal.hpp>

#include "conformance/store_test.hpp"
#include "core/store/sealed_store.hpp"
#include "core/store/sealed_text.hpp"

#ifdef BELAY_HAS_SEAL
namespace belay::store {
namespace {

const std::string kSecret = "four-thousand-crowns";

class SealedTest : public StoreTest {
protected:
    SealedTest() { seal_with("new"); }

    void seal_with(const std::string& key) {
        store = std::make_unique<SealedStore>(under().open(), test_seal(key));
    }
    void open_plain() { store = under().open(); }

    static std::string secret_json() { return "\"" + kSecret + "\""; }

    SubmitOutcome submit(const std::string& id, const std::string& input) {
        Submit verb = submit_of(id);
        verb.run.input = input;
        return std::get<SubmitOutcome>(apply(std::move(verb)).outcome);
    }
    SubmitKind again(const std::string& id, const std::string& input) {
        return submit(id, input).kind;
    }

    // Every text that a run has in the store beneath.
    std::string all_beneath(const std::string& id) {
        const auto reader = open_reader();
        std::string all;
        const auto run = reader->find_run(id);
        all += run->input + run->result.value_or("") + run->request_reason;
        all += run->undo_plan.value_or("");
        if (run->failure) all += run->failure->message;
        if (run->progress) all += run->progress->text;
        for (const auto& stage : reader->stages(run->no))
            all += stage.message + stage.output.value_or("");
        for (const auto& attempt : reader->attempts(run->no)) all += attempt.message;
        for (const auto& message : reader->messages(id, 100))
            all += message.payload.value_or("") + message.misfit;
        for (const auto& stored : reader->schedules())
            all += stored.schedule.input + stored.declared;
        return all;
    }
};

TEST_P(SealedTest, nothing_of_what_a_run_carries_is_readable_beneath) {
    Submit first = submit_of("july");
    first.run.input = secret_json();
    first.claim_as = worker;
    const auto run = std::get<SubmitOutcome>(apply(std::move(first)).outcome).run;
    EXPECT_EQ(run.input, secret_json());

    Record record = record_of(run, stage_of("1", StageStatus::Succeeded));
    record.stage.output = secret_json();
    record.stage.message = kSecret;
    record.attempts = {attempt_of("1", 1)};
    record.attempts[0].message = kSecret;
    record.progress = model::Progress{1, 2, kSecret};
    EXPECT_TRUE(is<Applied>(apply(std::move(record)).outcome));
    Record kept = record_of(run, stage_of("3", StageStatus::Running));  // a checkpoint
    kept.stage.output = secret_json();
    EXPECT_TRUE(is<Applied>(apply(std::move(kept)).outcome));
    const auto done = apply(transaction_of(run, "2", [](SqlTx&) { return secret_json(); }));
    EXPECT_EQ(done.stage.output, secret_json()) << "the asker is told what the body returned";
    Send send;
    send.message = {"july", "news", secret_json(), run.organization_id, "", std::nullopt};
    EXPECT_EQ(apply(std::move(send)).outcome, SendResult::Sent);
    ChangeSchedule schedule;
    schedule.schedule.name = "nightly";
    schedule.schedule.workflow_key = "invoice";
    schedule.schedule.cron = "@daily";
    schedule.schedule.input = secret_json();
    schedule.declared = "declared " + kSecret;
    EXPECT_EQ(apply(std::move(schedule)).outcome, ChangeResult::Done);
    apply(Undo{lease_of(run), UndoVerb::MayHappen, {}, {}, {}});
    const Undo undo{lease_of(run), UndoVerb::Begin, secret_json(), {}, {}};
    EXPECT_TRUE(is<Applied>(apply(undo).outcome));
    EXPECT_EQ(get("july").undo_plan, secret_json());
    End end = end_of(run, RunStatus::Failed);
    end.failure->message = kSecret;
    EXPECT_TRUE(is<Applied>(apply(std::move(end)).outcome));

    const std::string beneath = all_beneath("july");
    EXPECT_NE(beneath.find(kSealedMark), std::string::npos);
    EXPECT_EQ(beneath.find(kSecret), std::string::npos) << beneath;
    EXPECT_EQ(get("july").failure->message, kSecret);
    EXPECT_EQ(stage_at(run, "1")->output, secret_json());
    EXPECT_EQ(stage_at(run, "2")->output, secret_json());
    EXPECT_EQ(stage_at(run, "3")->output, secret_json());
    EXPECT_EQ(store->attempts(run.no).at(0).message, kSecret);
    EXPECT_EQ(store->schedules().at(0).schedule.input, secret_json());
}

TEST_P(SealedTest, what_a_hook_throws_is_sealed_where_the_store_records_it) {
    queued("july");
    Claim claim = claim_of();
    claim.on_start = [](const model::Run& run) -> TxBody {
        EXPECT_EQ(run.input, new_run("july").input) << "a hook sees what was submitted";
        return [](SqlTx&) -> std::string { throw std::runtime_error("no " + kSecret); };
    };
    const auto ended = apply(std::move(claim)).outcome.ended;

    ASSERT_EQ(ended.size(), 1u);
    EXPECT_EQ(ended[0].failure->message, "no " + kSecret);
    EXPECT_EQ(all_beneath("july").find(kSecret), std::string::npos);
}

TEST_P(SealedTest, a_body_starts_runs_and_sends_messages_that_are_sealed) {
    Transact verb;
    verb.body = [](SqlTx& tx) {
        model::NewRun run = new_run("started");
        run.input = secret_json();
        EXPECT_EQ(tx.submit(run).run.input, secret_json());
        std::string why;
        tx.send({"started", "news", secret_json(), run.organization_id, "", std::nullopt}, why);
        return std::string("null");
    };
    apply(std::move(verb));

    EXPECT_EQ(all_beneath("started").find(kSecret), std::string::npos);
    EXPECT_EQ(get("started").input, secret_json());
    EXPECT_EQ(store->messages("started", 10).at(0).payload, secret_json());
}

TEST_P(SealedTest, an_id_is_known_again_under_every_key_and_after_its_run_is_gone) {
    submit("july", secret_json());
    EXPECT_EQ(again("july", secret_json()), SubmitKind::Joined);
    EXPECT_EQ(again("july", "\"other\""), SubmitKind::Mismatch);

    seal_with("old");
    EXPECT_EQ(again("july", secret_json()), SubmitKind::Joined);
    EXPECT_EQ(again("july", "\"other\""), SubmitKind::Mismatch);
    Submit ended = submit_of("june");
    ended.run.input = secret_json();
    ended.claim_as = worker;
    const auto run = std::get<SubmitOutcome>(apply(std::move(ended)).outcome).run;
    apply(end_of(run, RunStatus::Succeeded));
    now += 1h;
    Prune prune;
    prune.run_ids = {"june"};
    EXPECT_EQ(apply(std::move(prune)).outcome.deleted.size(), 1u);

    seal_with("new");
    EXPECT_EQ(again("june", secret_json()), SubmitKind::Deleted);
    EXPECT_EQ(again("june", "\"other\""), SubmitKind::Mismatch);
}

TEST_P(SealedTest, what_was_plain_before_is_read_and_known_again) {
    open_plain();
    submit("july", secret_json());

    seal_with("new");
    EXPECT_EQ(get("july").input, secret_json());
    EXPECT_EQ(again("july", secret_json()), SubmitKind::Joined);
    EXPECT_EQ(again("july", "\"other\""), SubmitKind::Mismatch);
}

TEST_P(SealedTest, without_its_key_a_run_is_seen_sealed_or_refused_by_name) {
    submit("july", secret_json());

    open_plain();
    EXPECT_TRUE(get("july").input.starts_with("\"belay:sealed:1:new:"));
    SealKeys others{"other", {{"other", std::string(32, 'x')}}, std::string(32, 'f')};
    store = std::make_unique<SealedStore>(under().open(), aes_gcm(others));
    try {
        get("july");
        FAIL() << "it was opened with another key";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("`new`"), std::string::npos) << error.what();
    }
}

TEST(SealedText, an_id_that_looks_like_a_sealed_value_keeps_nobody_from_reading) {
    const auto seal = test_seal();
    for (const std::string text :
         {"child `belay:sealed:1:x` failed", "child `belay:sealed:1:x:00:AAAA;` failed"})
        EXPECT_EQ(opened(*seal, text), text);
    EXPECT_EQ(opened(*seal, "child failed: " + sealed_text(*seal, "no")), "child failed: no");
    EXPECT_THROW(opened(*seal, "\"belay:sealed:1:x:00:AAAA;\""), Error);
}

INSTANTIATE_TEST_SUITE_P(Stores, SealedTest, testing::ValuesIn(plain_stores()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace belay::store
#endif

// A message for a run that was not there yet, and a sender that dies after its commit.
#include "postgres/store_bench.hpp"

namespace belay::store {
namespace {

class LateTest : public PostgresStoreTest {
protected:
    // Asks for a message, finds none, and goes to sleep until one comes.
    void wait_for_word(Store& store, const model::Run& run) {
        Await await;
        await.lease = {run.no, run.epoch};
        await.stage.path = "1";
        await.stage.stage_key = "word";
        await.stage.kind = model::StageKind::Receive;
        await.stage.status = StageStatus::Running;
        await.topic = "word";
        const auto asked = apply(store, await);
        ASSERT_FALSE(asked.came);
        Wait wait;
        wait.lease = await.lease;
        wait.wake_at = model::kNever;
        wait.signals = asked.signals;
        ASSERT_TRUE(std::holds_alternative<Applied>(apply(store, wait).outcome));
    }
};

TEST_F(LateTest, a_run_is_woken_also_when_its_sender_died_between_its_commit_and_the_signal) {
    const auto store = open();
    wait_for_word(*store, running(*store, "july", "w1"));

    // What is left of a sender that did not see the run, and died.
    server.sql("INSERT INTO " + table("workflow_messages") +
               " (run_id, topic, payload, created_at, late) VALUES ('july', 'word', '1', 1, true)");

    const auto taken = take_over(*store, "w1");
    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken[0].id, "july");
    EXPECT_EQ(server.sql("SELECT count(*) FROM " + table("workflow_messages") + " WHERE late"),
              "0");
}

TEST_F(LateTest, a_sender_that_lives_leaves_nothing_to_do) {
    const auto store = open();
    running(*store, "july", "w1");
    Send send;
    send.message.run_id = "august";
    send.message.topic = "word";
    send.message.payload = "1";

    EXPECT_EQ(apply(*store, send).outcome, SendResult::Sent);

    EXPECT_EQ(server.sql("SELECT count(*) FROM " + table("workflow_messages") + " WHERE late"),
              "0");
}

}  // namespace
}  // namespace belay::store

// requests_test.cpp — what other processes ask of the executor, and what it answers.
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class RequestsTest : public StoreTest {
protected:
    ControlRequest request_of(const std::string& run_id) const {
        ControlRequest request;
        request.kind = "cancel";
        request.run_id = run_id;
        request.payload = R"({"reason":"it's \"wrong\""})";
        request.created_at = now;
        return request;
    }
    std::vector<ControlRequest> take(int limit = 100) {
        TakeRequests verb;
        verb.limit = limit;
        return apply(verb).outcome;
    }
    AnswerRequest answer_of(std::int64_t id, bool ok, const std::string& text) const {
        AnswerRequest verb;
        verb.id = id;
        verb.ok = ok;
        verb.answer = text;
        return verb;
    }
};

TEST_P(RequestsTest, what_another_process_asks_is_read_by_the_executor) {
    const auto asker = open_reader();

    const auto id = asker->ask(request_of("july"));

    const auto requests = take();
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_EQ(requests[0].id, id);
    EXPECT_EQ(requests[0].kind, "cancel");
    EXPECT_EQ(requests[0].run_id, "july");
    EXPECT_EQ(requests[0].payload, request_of("july").payload);
    EXPECT_EQ(requests[0].created_at, now);
    EXPECT_EQ(asker->answer(id), std::nullopt);
}

TEST_P(RequestsTest, requests_come_oldest_first_and_stay_until_they_are_answered) {
    const auto first = store->ask(request_of("a"));
    const auto second = store->ask(request_of("b"));
    const auto third = store->ask(request_of("c"));
    ASSERT_LT(first, second);
    ASSERT_LT(second, third);

    EXPECT_EQ(take(2).size(), 2u);
    EXPECT_EQ(take(2).at(0).id, first);
    apply(answer_of(first, true, "done"));

    const auto left = take();
    ASSERT_EQ(left.size(), 2u);
    EXPECT_EQ(left[0].id, second);
    EXPECT_EQ(left[1].id, third);
}

TEST_P(RequestsTest, the_process_that_asked_reads_the_answer) {
    const auto asker = open_reader();
    const auto good = asker->ask(request_of("a"));
    const auto bad = asker->ask(request_of("b"));

    apply_all({answer_of(good, true, "canceled"), answer_of(bad, false, "no run b")});

    ASSERT_TRUE(asker->answer(good).has_value());
    EXPECT_TRUE(asker->answer(good)->ok);
    EXPECT_EQ(asker->answer(good)->text, "canceled");
    EXPECT_FALSE(asker->answer(bad)->ok);
    EXPECT_EQ(asker->answer(bad)->text, "no run b");
}

TEST_P(RequestsTest, the_first_answer_stays) {
    const auto id = store->ask(request_of("a"));

    apply(answer_of(id, true, "first"));
    apply(answer_of(id, false, "second"));

    EXPECT_TRUE(store->answer(id)->ok);
    EXPECT_EQ(store->answer(id)->text, "first");
}

TEST_P(RequestsTest, an_answer_to_nothing_is_ignored) {
    apply(answer_of(987654, true, "hello?"));

    EXPECT_EQ(store->answer(987654), std::nullopt);
    EXPECT_TRUE(take().empty());
}

TEST_P(RequestsTest, the_executor_notices_that_something_was_asked) {
    const auto asker = open_reader();
    store->changed_outside();

    asker->ask(request_of("a"));

    EXPECT_TRUE(store->changed_outside());
    EXPECT_FALSE(store->changed_outside());
}

TEST_P(RequestsTest, requests_and_answers_survive_a_restart) {
    const auto open = store->ask(request_of("a"));
    const auto answered = store->ask(request_of("b"));
    apply(answer_of(answered, true, "done"));

    restart();

    ASSERT_EQ(take().size(), 1u);
    EXPECT_EQ(take()[0].id, open);
    EXPECT_EQ(store->answer(answered)->text, "done");
}

TEST_P(RequestsTest, what_a_run_asks_and_what_it_is_told_commit_together) {
    queued("july");
    const auto id = store->ask(request_of("july"));

    apply_all({control_of("july", ControlKind::Cancel), answer_of(id, true, "canceled")});
    restart();

    EXPECT_EQ(get("july").status, RunStatus::Canceled);
    EXPECT_TRUE(store->answer(id)->ok);
}

BELAY_ON_EVERY_STORE(RequestsTest);

}  // namespace
}  // namespace belay::store

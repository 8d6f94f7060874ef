// approval_test.cpp — a request is listed, answered once, and its answer is the run's result.
#include "service/approvals/approval.hpp"

#include <thread>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <belay/belay.hpp>

#include "core/env/clock.hpp"
#include "core/library/host.hpp"

namespace belay::approvals {
namespace {

struct Bench {
    Bench() : engine(library::make_core(memory(), quiet(), &clock)) {
        define_approval(engine);
        engine.start();
    }
    std::string ask(const std::string& title) {
        ApprovalRequest asked;
        asked.verb = "request";
        asked.organization_id = "acme";
        asked.title = title;
        return send(asked);
    }
    std::string answer(const std::string& verb, const std::string& id, const std::string& comment,
                       const std::string& organization = "acme") {
        ApprovalRequest asked;
        asked.verb = verb;
        asked.organization_id = organization;
        asked.workflow_run_id = id;
        asked.comment = comment;
        return send(asked);
    }
    std::string send(const ApprovalRequest& asked) {
        const std::string text = to_json(asked);
        return engine.transact([&](Tx& tx) { return approval_request(tx, text); });
    }
    std::string status(const std::string& id) {
        return find_approval(ask_engine(engine), "acme", id)->status;
    }
    static EngineOptions quiet() {
        EngineOptions options;
        options.log_to_stderr = false;
        return options;
    }

    env::ManualClock clock;
    Engine engine;
};

TEST(Approval, an_approved_request_ends_with_its_comment) {
    Bench b;
    const std::string id = b.ask("Pay invoice 12");
    EXPECT_EQ(b.status(id), "pending");

    b.answer("approve", id, "fine");

    const auto result = b.engine.find<ApprovalResult>(id).result();
    EXPECT_EQ(result.decision, "approved");
    EXPECT_TRUE(result.approved);
    EXPECT_EQ(result.comment, "fine");
    EXPECT_EQ(b.status(id), "approved");
}

TEST(Approval, a_rejection_is_a_result_and_not_an_error) {
    Bench b;
    const std::string id = b.ask("Pay invoice 12");

    b.answer("reject", id, "too much");

    const auto run = b.engine.find<ApprovalResult>(id);
    EXPECT_EQ(run.result().decision, "rejected");
    EXPECT_EQ(run.status(), RunStatus::Succeeded);
    EXPECT_EQ(b.status(id), "rejected");
}

TEST(Approval, a_request_is_answered_once_and_by_its_own_organization) {
    Bench b;
    const std::string id = b.ask("Pay invoice 12");

    EXPECT_THROW(b.answer("approve", id, "", "other"), Error);
    b.answer("approve", id, "");
    EXPECT_THROW(b.answer("reject", id, ""), Error);
    EXPECT_EQ(b.engine.find<ApprovalResult>(id).result().decision, "approved");
    EXPECT_THROW(b.answer("approve", "none", ""), Error);
    EXPECT_THROW(b.ask(""), Error);
    EXPECT_THROW(b.ask(std::string(201, 'x')), Error);
}

TEST(Approval, nobody_answering_for_seven_days_is_a_result_too) {
    Bench b;
    const std::string id = b.ask("Pay invoice 12");
    const auto run = b.engine.find<ApprovalResult>(id);
    while (run.status() != RunStatus::Waiting) std::this_thread::yield();

    b.clock.advance(kWaitAtMost + Duration{1});

    EXPECT_EQ(run.result().decision, "expired");
    EXPECT_EQ(b.status(id), "expired");
}

TEST(Approval, a_message_that_says_neither_yes_nor_no_is_no_answer) {
    Bench b;
    const std::string id = b.ask("Pay invoice 12");
    SendOptions options;
    options.organization_id = "acme";

    for (const char* nonsense : {R"({"foo": 1})", R"({"approved": null})", R"({"approved": "no"})",
                                 "5", "null", R"({"approved": false, "comment": 7})"})
        b.engine.send(id, kDecisionTopic, boost::json::parse(nonsense), options);
    const auto run = b.engine.find<ApprovalResult>(id);
    while (run.status() != RunStatus::Waiting) std::this_thread::yield();
    EXPECT_EQ(b.status(id), "pending");
    b.answer("approve", id, "fine");

    EXPECT_EQ(run.result().decision, "approved");
    EXPECT_EQ(run.result().comment, "fine");
}

TEST(Approval, a_message_that_is_no_answer_does_not_prolong_the_seven_days) {
    Bench b;
    const std::string id = b.ask("Pay invoice 12");
    const auto run = b.engine.find<ApprovalResult>(id);
    while (run.status() != RunStatus::Waiting) std::this_thread::yield();
    b.clock.advance(kWaitAtMost - std::chrono::hours{1});
    SendOptions options;
    options.organization_id = "acme";
    b.engine.send(id, kDecisionTopic, boost::json::parse(R"({"foo": 1})"), options);
    const auto stages = [&] {
        const auto history = boost::json::parse(b.engine.history(id));
        return history.at("stages").as_array().size();
    };
    while (stages() < 3) std::this_thread::yield();
    while (run.status() != RunStatus::Waiting) std::this_thread::yield();

    b.clock.advance(std::chrono::hours{1} + Duration{1});

    EXPECT_EQ(run.result().decision, "expired");
}

TEST(Approval, a_canceled_request_is_listed_as_canceled) {
    Bench b;
    const std::string id = b.ask("Pay invoice 12");

    b.engine.cancel(id, "not needed");

    EXPECT_THROW(b.engine.find<ApprovalResult>(id).result(), Error);
    EXPECT_EQ(b.status(id), "canceled");
    EXPECT_TRUE(list_approvals(ask_engine(b.engine), "acme", "pending", 10).empty());
    EXPECT_EQ(list_approvals(ask_engine(b.engine), "acme", "", 10).size(), 1u);
    EXPECT_TRUE(list_approvals(ask_engine(b.engine), "other", "", 10).empty());
}

}  // namespace
}  // namespace belay::approvals

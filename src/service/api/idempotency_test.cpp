// idempotency_test.cpp — a key is one effect and one answer, whatever dies between them.
#include "service/api/idempotency.hpp"

#include <gtest/gtest.h>

#include "service/api/api_bench.hpp"

namespace belay::api {
namespace {

Headers key(std::string text) { return {{"Idempotency-Key", std::move(text)}}; }

std::int64_t runs_of(ApiBench& b, const std::string& workflow) {
    store::RunFilter filter;
    filter.workflow_key = workflow;
    return static_cast<std::int64_t>(b.world.reader.list_runs(filter).runs.size());
}

// A POST that starts a run, in the transaction of its claim, and says how many there are.
struct CountingBench : ApiBench {
    CountingBench() {
        Route route;
        route.path = "/count";
        route.summary = "counts";
        route.takes = Takes::Json;
        route.body_optional = true;
        route.on<Method::Post>(Once{[this](const Request& request, const Claim& claim) {
            ++calls;
            if (before) before();
            return claim.transact(engine_, [&](Tx& tx) {
                tx.submit_json("WAIT", "null", {.organization_id = request.caller.organization_id});
                return json_response(202, {{"n", runs()}});
            });
        }});
        api.routes().add(std::move(route));
    }
    std::int64_t runs() { return runs_of(*this, "WAIT"); }
    static std::int64_t n(const Response& response) { return json_of(response).at("n").as_int64(); }

    int calls = 0;
    std::function<void()> before{};
};

TEST(Idempotency, the_same_key_gives_the_same_answer_and_does_it_once) {
    CountingBench b;

    EXPECT_EQ(b.n(b.post("/count", "{}", key("k1"))), 1);
    const Response again = b.post("/count", "{}", key("k1"));
    EXPECT_EQ(again.status, 202);
    EXPECT_EQ(b.n(again), 1);
    EXPECT_EQ(again.headers.get("Idempotent-Replayed"), "true");
    EXPECT_EQ(b.calls, 1);
    EXPECT_EQ(code_of(b.post("/count", R"({"x":1})", key("k1"))), "idempotency_mismatch");
    EXPECT_EQ(b.n(b.post("/count", "{}")), 2);
    EXPECT_EQ(code_of(b.post("/count", "{}", key(std::string(300, 'k')))), "invalid_parameter");
    EXPECT_EQ(code_of(b.post("/count", "{}", key(""))), "invalid_parameter");
}

TEST(Idempotency, a_key_is_free_again_when_its_answer_is_not_kept_any_more) {
    CountingBench b;
    Idempotency forgetful(b.tables, b.world.sim.clock(), Duration{0});
    const Claim claim = forgetful.claim(b.request(Method::Post, "/count", key("k")));
    const auto answer = [&] {
        return claim.transact(b.engine_, [](Tx&) { return json_response(200, {}); }).response();
    };

    EXPECT_EQ(answer().status, 200);
    EXPECT_FALSE(forgetful.answer_of(claim));
    EXPECT_EQ(answer().status, 200);
}

TEST(Idempotency, of_two_at_once_the_second_is_taken_back_and_gets_the_first_ones_answer) {
    CountingBench b;
    Response inner;
    // The second comes when the first has looked for its key and not begun: it overtakes.
    b.before = [&] {
        b.before = {};
        inner = b.post("/count", "{}", key("k"));
    };

    const Response outer = b.post("/count", "{}", key("k"));

    EXPECT_EQ(b.calls, 2);
    EXPECT_EQ(inner.status, 202);
    EXPECT_EQ(outer.status, 202);
    EXPECT_EQ(std::get<std::string>(outer.body), std::get<std::string>(inner.body));
    EXPECT_EQ(b.runs(), 1);
}

TEST(Idempotency, what_is_refused_because_of_the_first_ones_effect_gets_the_first_ones_answer) {
    CountingBench b;
    // Overtaken as above, and then it finds that it cannot be done any more.
    b.before = [&] {
        b.before = {};
        b.post("/count", "{}", key("k"));
        throw ApiError(Problem::Conflict, "it was counted already");
    };

    const Response response = b.post("/count", "{}", key("k"));

    EXPECT_EQ(response.status, 202);
    EXPECT_EQ(b.runs(), 1);
}

TEST(Idempotency, an_answer_that_says_not_now_is_not_kept_and_a_refusal_is) {
    CountingBench b;
    b.before = [&] {
        if (b.calls == 1) throw Error(ErrorCode::StoreUnavailable, "the disk is full");
        if (b.calls == 2) throw ApiError(Problem::Conflict, "no");
    };

    EXPECT_EQ(b.post("/count", "{}", key("k")).status, 503);
    EXPECT_EQ(b.post("/count", "{}", key("k")).status, 409);
    EXPECT_EQ(b.post("/count", "{}", key("k")).status, 409);
    EXPECT_EQ(b.calls, 2);
    EXPECT_EQ(b.runs(), 0);
}

TEST(Idempotency, a_key_belongs_to_its_organization) {
    CountingBench b;
    const std::string acme = b.make_token_for("acme");
    const std::string umbrella = b.make_token_for("umbrella");

    b.bearer = acme;
    EXPECT_EQ(b.n(b.post("/count", "{}", key("k"))), 1);
    b.bearer = umbrella;
    EXPECT_EQ(b.n(b.post("/count", "{}", key("k"))), 2);
}

// ---- killed at every commit, on every route

struct Doer {
    std::string path;
    std::string body;
    std::function<void(ApiBench&)> prepare;
    std::function<std::int64_t(ApiBench&)> done;  // how often
};

std::vector<Doer> doers() {
    const auto waiting = [](ApiBench& b) {
        b.engine_.submit("ASK", {.id = "july"});
        b.world.run_until("july", RunStatus::Waiting);
    };
    const auto failed = [](ApiBench& b) {
        b.engine_.submit("FAIL", {.id = "july"});
        b.world.run_until("july", RunStatus::Failed);
    };
    const auto paused = [=](ApiBench& b) {
        waiting(b);
        b.engine_.pause("july");
    };
    const auto schedule = [](ApiBench& b) {
        b.engine_.schedule("nightly", "WAIT", {.cron = "0 3 * * *"});
    };
    const auto status = [](RunStatus is) {
        return [is](ApiBench& b) { return b.world.run("july").status == is ? 1 : 0; };
    };
    const auto attempts = [](ApiBench& b) { return b.world.run("july").attempts - 1; };
    const auto cause = [=] {
        ApiBench b;
        failed(b);
        return cause_of(b.world.run("july"));
    }();
    return {
        {"/api/runs/july/cancel", "", waiting, status(RunStatus::Canceled)},
        {"/api/runs/july/pause", "", waiting, status(RunStatus::Paused)},
        {"/api/runs/july/resume", "", paused,
         [](ApiBench& b) { return b.world.run("july").status != RunStatus::Paused ? 1 : 0; }},
        {"/api/runs/july/retry", "", failed, attempts},
        {"/api/runs/july/fork", R"({"from":"answer"})", waiting,
         [](ApiBench& b) { return runs_of(b, "ASK") - 1; }},
        {"/api/runs/july/messages/later", "\"yes\"", waiting,
         [](ApiBench& b) {
             return static_cast<std::int64_t>(b.world.reader.messages("july", 10).size());
         }},
        {"/api/queues/uploads/pause", R"({"reason":"why"})",
         [](ApiBench& b) { b.engine_.queue("uploads"); },
         [](ApiBench& b) { return b.engine_.queues().at(0).paused ? 1 : 0; }},
        {"/api/schedules/nightly/pause", "", schedule,
         [](ApiBench& b) { return b.engine_.schedules().at(0).paused ? 1 : 0; }},
        {"/api/schedules/nightly/trigger", "", schedule,
         [](ApiBench& b) { return runs_of(b, "WAIT"); }},
        {"/api/schedules/nightly/backfill",
         R"({"from":"2024-12-01T00:00:00Z","to":"2024-12-02T00:00:00Z"})", schedule,
         [](ApiBench& b) { return runs_of(b, "WAIT"); }},
        {"/api/failures/" + cause + "/retry", "", failed, attempts},
    };
}

// What the first process told before it was killed, what the next two were told, and how often it was done.
void kill_and_retry(const Doer& doer, int commit, bool before) {
    SCOPED_TRACE(doer.path + (before ? ", killed before" : ", killed after") + " its commit " +
                 std::to_string(commit));
    const auto disk = store::make_memory_disk();
    {
        ApiBench b({}, {}, disk);
        doer.prepare(b);
        int left = commit;
        const auto kill = [&](std::int64_t, const store::Batch&) {
            if (--left != 0) return;
            b.world.executor().kill();
            if (before) throw Error(ErrorCode::StoreUnavailable, "the process is gone");
        };
        (before ? b.world.faults().before_commit : b.world.faults().after_commit) = kill;
        b.post(doer.path, doer.body, key("k"));
        EXPECT_LE(left, 0) << "it was not killed";
    }
    ApiBench b({}, {}, disk);
    // Nothing of the next process is to happen before its answer: only then is one retry one retry.
    const Response first = b.post(doer.path, doer.body, key("k"));
    const Response second = b.post(doer.path, doer.body, key("k"));
    EXPECT_LT(first.status, 300) << std::get<std::string>(first.body);
    EXPECT_EQ(second.status, first.status);
    EXPECT_EQ(std::get<std::string>(second.body), std::get<std::string>(first.body));
    EXPECT_EQ(second.headers.get("Idempotent-Replayed"), "true");
    EXPECT_EQ(doer.done(b), 1);
}

TEST(Idempotency,
     killed_before_or_after_the_commit_a_retry_gets_the_first_answer_and_does_nothing_twice) {
    for (const Doer& doer : doers()) {
        kill_and_retry(doer, 1, true);
        kill_and_retry(doer, 1, false);
    }
}

}  // namespace
}  // namespace belay::api

// observe_test.cpp — `serve --observe`: a store that others execute on is shown, and they are asked; nothing is
// executed, nothing migrated.
#include <atomic>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <belay/error.hpp>
#include <belay/server.hpp>

#include "core/env/clock.hpp"
#include "core/library/host.hpp"
#include "core/store/store.hpp"
#include "service/api/tokens.hpp"
#include "service/app/engine_server.hpp"
#include "service/app/program.hpp"
#include "service/app/serve.hpp"
#include "service/app/store_feed.hpp"
#include "service/cli/cli_test.hpp"
#include "service/http/curl_client.hpp"
#include "service/server/socket_bench.hpp"

namespace observe_shop {

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

}  // namespace observe_shop

namespace belay::app {
namespace {

namespace json = boost::json;
using observe_shop::Order;

std::atomic<int> charged{0};

int charge(const Order& order) {
    ++charged;
    if (order.item == "nothing") throw NonRetryable("there is nothing to charge");
    return order.pieces * 250;
}

Task<int> sell(Context& ctx, Order order) {
    const int price = co_await ctx.step("charge", charge, order);
    if (order.item == "later")
        static_cast<void>(co_await ctx.receive<bool>("packed", std::chrono::hours{1}));
    co_return price;
}

WorkflowOptions selling() {
    WorkflowOptions options;
    options.summary = "Sells a thing";
    options.admit = [](std::string_view, const Order& order) {
        if (order.pieces > 100) throw NonRetryable("pieces: at most 100");
    };
    return options;
}

class Observed : public ::testing::Test {
protected:
    Observed() {
        std::string name = testing::TempDir() + "belay-observe-XXXXXX";
        folder_ = ::mkdtemp(name.data());
        place.file = folder_ / "shop.db";
        program.name = "watcher";
        charged = 0;
    }
    ~Observed() override { std::filesystem::remove_all(folder_); }

    std::unique_ptr<Engine> executor() {
        EngineOptions options;
        options.log_to_stderr = false;
        auto engine = std::make_unique<Engine>(sqlite(place.file.string()), options);
        engine->define("SELL", sell, selling());
        engine->define("SWEEP", [](Context&) -> Task<int> { co_return 7; }, {.exposed = false});
        engine->schedule("sweeping", "SWEEP", {.cron = "0 4 * * *"});
        engine->queue("tills");
        engine->schedule("daily", "SELL", Order{"paper", 1}, {.cron = "0 3 * * *"});
        return engine;
    }

    template <class F>
    void observe(F during) {
        const auto nothing = [](const std::string&) { return std::nullopt; };
        const cli::ServeOptions options = cli::serve_options(cli::gather_settings(
            settings_of(program), {{"listen", "127.0.0.1:0"}, {"observe", "yes"}}, nothing, ""));
        serve(program, place, options,
              {out, errors, [&](const std::string& url) {
                   port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
                   during();
               }});
    }

    json::value get(const std::string& path) {
        return json::parse(server::Client(port_).get(path).body);
    }
    server::Answer post(const std::string& path, const std::string& body,
                        const std::string& more = "") {
        return server::Client(port_).post(path, "application/json", body, more);
    }
    std::string started(const std::string& body, const std::string& more = "") {
        const auto answer = post("/api/workflows/SELL/runs", body, more);
        EXPECT_EQ(answer.status, 202) << answer.body;
        return answer.status == 202 ? std::string(json::parse(answer.body).at("id").as_string())
                                    : "";
    }
    void until(const std::string& run, const std::string& status) {
        while (get("/api/runs/" + run).at("status").as_string() != status) ::usleep(1000);
    }
    std::string tables() {
        const auto store = cli::open_to_read(place);
        std::string all;
        for (const SqlRow row :
             SqlRows{store->query("SELECT name FROM sqlite_master ORDER BY name", {})})
            all += row.get<std::string>(0) + "\n";
        return all;
    }

    std::filesystem::path folder_;
    cli::Place place;
    Program program;
    std::uint16_t port_ = 0;
    std::ostringstream out, errors;
};

TEST_F(Observed, a_program_without_a_server_is_looked_at_and_asked) {
    const auto engine = executor();
    engine->start();
    engine->submit<int>("SELL", Order{"rope", 2}, {.id = "first"}).result();
    const std::string before = tables();
    observe([&] {
        EXPECT_EQ(get("/api/runs/first").at("result"), 500);
        EXPECT_EQ(get("/api/workflows/SELL").at("summary"), "Sells a thing");
        EXPECT_EQ(get("/api/program").at("observes"), true);
        EXPECT_EQ(get("/api/queues").at("queues").as_array().size(), 1u);
        EXPECT_EQ(get("/api/schedules").at("schedules").as_array().size(), 2u);
        EXPECT_TRUE(get("/api/approvals").at("approvals").as_array().empty());

        const std::string id = started(R"({"input": {"item": "later", "pieces": 3}, "id": "o-1"})");
        EXPECT_EQ(id, "o-1");
        until(id, "waiting");
        EXPECT_NE(json::serialize(get("/api/runs/o-1/why")).find("packed"), std::string::npos);
        EXPECT_EQ(post("/api/runs/o-1/messages/packed", "true").status, 202);
        EXPECT_EQ(engine->find<int>("o-1").result(), 750);

        const std::string other = started(R"({"input": {"item": "later"}})");
        until(other, "waiting");
        EXPECT_EQ(json::parse(post("/api/runs/" + other + "/pause", "").body).at("status"),
                  "paused");
        EXPECT_EQ(post("/api/runs/" + other + "/resume", "").status, 200);
        EXPECT_EQ(post("/api/runs/" + other + "/cancel", R"({"reason": "why not"})").status, 200);
        until(other, "canceled");
        EXPECT_EQ(post("/api/runs/" + other + "/cancel", "").status, 409);
        EXPECT_EQ(post("/api/runs/" + other + "/retry", "").status, 200);
        EXPECT_EQ(post("/api/runs/none/retry", "").status, 404);
        const auto fork =
            post("/api/runs/first/fork", R"({"input": {"item": "rope", "pieces": 5}})");
        EXPECT_EQ(fork.status, 202) << fork.body;
        const std::string forked(json::parse(fork.body).at("id").as_string());
        EXPECT_EQ(engine->find<int>(forked).result(), 1250);

        EXPECT_EQ(json::parse(post("/api/queues/tills/pause", "").body).at("paused"), true);
        EXPECT_EQ(post("/api/queues/tills/limits", R"({"concurrency": 7})").status, 200);
        EXPECT_EQ(engine->queues().at(0).limits.concurrency, 7);
        EXPECT_EQ(post("/api/schedules/daily/pause", "").status, 200);
        EXPECT_TRUE(engine->schedules().at(0).paused);
        const auto ticked = post("/api/schedules/daily/trigger", "");
        EXPECT_EQ(ticked.status, 202) << ticked.body;
        const std::string tick(json::parse(ticked.body).at("workflow_run_id").as_string());
        until(tick, "succeeded");
        EXPECT_EQ(get("/api/runs/" + tick).at("result"), 250);
        // The program's own schedule, though nobody from outside may start what it runs.
        EXPECT_EQ(post("/api/workflows/SWEEP/runs", "{}").status, 404);
        const auto swept = post("/api/schedules/sweeping/trigger", "");
        EXPECT_EQ(swept.status, 202) << swept.body;
        until(std::string(json::parse(swept.body).at("workflow_run_id").as_string()), "succeeded");
        const auto past = post("/api/schedules/daily/backfill",
                               R"({"from": "2025-03-01T00:00:00Z", "to": "2025-03-03T00:00:00Z"})");
        EXPECT_EQ(json::parse(past.body).at("started"), 2) << past.body;
        until("sched_daily_2025-03-02T03:00:00Z", "succeeded");
    });
    EXPECT_EQ(tables(), before);
    EXPECT_NE(out.str().find("watcher observes"), std::string::npos) << out.str();
}

TEST_F(Observed, what_is_not_let_in_is_refused_by_whoever_executes) {
    const auto engine = executor();
    engine->start();
    observe([&] {
        const auto refused = post("/api/workflows/SELL/runs", R"({"input": {"pieces": 101}})");
        EXPECT_EQ(refused.status, 400);
        EXPECT_NE(refused.body.find("pieces: at most 100"), std::string::npos) << refused.body;
        EXPECT_EQ(post("/api/workflows/SELL/runs", R"({"input": {"peices": 1}})").status, 400);
        EXPECT_EQ(post("/api/workflows/NONE/runs", "{}").status, 404);
        // What needs the executor's own tables is not for a program that has none.
        EXPECT_EQ(post("/api/approvals", R"({"title": "may I?"})").status, 503);
        EXPECT_TRUE(get("/api/runs").at("runs").as_array().empty());
    });
}

TEST_F(Observed, a_key_makes_a_request_once_only) {
    const auto engine = executor();
    engine->start();
    observe([&] {
        const std::string body = R"({"input": {"item": "rope", "pieces": 2}})";
        const std::string once = started(body, "Idempotency-Key: k-1\r\n");
        EXPECT_EQ(started(body, "Idempotency-Key: k-1\r\n"), once);
        EXPECT_NE(started(body, "Idempotency-Key: k-2\r\n"), once);
        EXPECT_EQ(post("/api/workflows/SELL/runs", R"({"input": {"item": "nut"}})",
                       "Idempotency-Key: k-1\r\n")
                      .status,
                  409);
        EXPECT_EQ(get("/api/runs").at("runs").as_array().size(), 2u);
    });
}

TEST_F(Observed, a_program_with_a_server_does_what_its_observer_is_asked_once) {
    int sold = 0;
    program.routes.push_back({"POST", "/api/sales", "Sells at the counter"});
    program.routes.back().handler = [](HttpRequest&) -> HttpAnswer {
        throw Error(ErrorCode::InvalidArgument, "the observer's own");
    };
    const auto engine = executor();
    Program executing;
    executing.routes.push_back({"POST", "/api/sales", "Sells at the counter"});
    executing.routes.back().once = [&](HttpRequest& request, Tx&) -> HttpAnswer {
        ++sold;
        return {json::serialize(json::object{{"sold", request.body}}), 201};
    };
    env::SystemClock clock;
    http::CurlClient client;
    std::vector<std::unique_ptr<ServedBundle>> services;
    const auto nothing = [](const std::string&) { return std::nullopt; };
    EngineServer server({executing,
                         *engine,
                         clock,
                         client,
                         errors,
                         {},
                         cli::serve_options(cli::gather_settings(
                             cli::server_settings(),
                             {{"listen", "127.0.0.1:0"}, {"access-log", "off"}}, nothing, ""))},
                        services);
    server.start_engine();
    observe([&] {
        const auto asked = post("/api/approvals", R"({"title": "may I?"})");
        EXPECT_EQ(asked.status, 202) << asked.body;
        const std::string id(json::parse(asked.body).at("id").as_string());
        EXPECT_EQ(post("/api/approvals/" + id + "/approve", R"({"comment": "yes"})").status, 200);
        until(id, "succeeded");

        const auto sale = post("/api/sales", R"("rope")", "Idempotency-Key: s-1\r\n");
        EXPECT_EQ(sale.status, 201) << sale.body;
        EXPECT_EQ(post("/api/sales", R"("rope")", "Idempotency-Key: s-1\r\n").body, sale.body);
        EXPECT_EQ(post("/api/sales", R"("nut")", "Idempotency-Key: s-1\r\n").status, 422);
        EXPECT_EQ(sold, 1);

        const std::string run = started(R"({"input": {"item": "nothing"}})");
        until(run, "failed");
        EXPECT_EQ(post("/api/workflows/SELL/runs", R"({"input": {"pieces": "x"}})").status, 400);
        const auto wrong = post("/api/workflows/SELL/runs", R"({"input": {"pieces": "x"}})");
        EXPECT_EQ(json::parse(wrong.body).at("error").at("field"), "$.pieces");
        const std::string cause(get("/api/failures").at("causes").at(0).at("cause").as_string());
        EXPECT_EQ(json::parse(post("/api/failures/" + cause + "/retry", "").body).at("retried"), 1);
    });
    server.stop(Duration{0});
    engine->stop();
}

// On a store with tokens: its page is signed in to with one of them, and nothing of that is written anywhere.
TEST_F(Observed, a_token_of_the_store_opens_a_session_that_only_the_observer_knows) {
    const auto engine = executor();
    engine->migrate(api::kTokensOwner, api::token_migrations());
    engine->start();
    const api::NewToken token = api::make_token("default", "page");
    const auto change_tokens = [&](const std::string& request) {
        library::core_of(*engine).transact([&](Tx& tx) { return api::token_request(tx, request); });
    };
    change_tokens(token.request);
    const std::string before = tables();
    observe([&] {
        const auto sign_in = [&](const std::string& secret) {
            return post("/api/session", json::serialize(json::object{{"token", secret}}));
        };
        EXPECT_EQ(server::Client(port_).get("/api/runs").status, 401);
        EXPECT_EQ(sign_in("belay_wrong").status, 401);
        const auto opened = sign_in(token.secret);
        ASSERT_EQ(opened.status, 200) << opened.body;
        const std::string cookie(opened.headers.get("Set-Cookie"));
        const std::string name = "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n";
        const std::string csrf =
            "X-CSRF-Token: " + std::string(json::parse(opened.body).at("csrf").as_string()) +
            "\r\n";
        const auto status_of = [&](const std::string& path) {
            server::Client client(port_);
            client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + name + "\r\n");
            return client.receive().status;
        };

        EXPECT_EQ(status_of("/api/runs"), 200);
        const std::string run = R"({"input": {"item": "rope"}, "id": "o-1"})";
        EXPECT_EQ(post("/api/workflows/SELL/runs", run, name).status, 403) << "without its word";
        EXPECT_EQ(post("/api/workflows/SELL/runs", run, name + csrf).status, 202);
        EXPECT_EQ(engine->find<int>("o-1").result(), 250);
        // A token is made where it executes: its secret would become a row of a request.
        EXPECT_EQ(post("/api/tokens", R"({"name": "more"})", name + csrf).status, 503);

        change_tokens(api::revoke_request(token.id));
        EXPECT_EQ(status_of("/api/runs"), 401);
    });
    EXPECT_EQ(tables(), before);
}

TEST_F(Observed, where_nobody_executes_there_is_nobody_to_ask) {
    {
        const auto engine = executor();
        engine->start();
        engine->submit<int>("SELL", Order{"rope", 2}, {.id = "first"}).result();
    }
    observe([&] {
        EXPECT_EQ(get("/api/runs/first").at("status"), "succeeded");
        const auto refused = post("/api/workflows/SELL/runs", R"({"input": {"item": "rope"}})");
        EXPECT_EQ(refused.status, 503);
        EXPECT_NE(refused.body.find("nobody executes on"), std::string::npos) << refused.body;
        // It is a question of the moment.
        const auto engine = executor();
        engine->start();
        EXPECT_EQ(engine->find<int>(started(R"({"input": {"item": "nut"}})")).result(), 250);
    });
    EXPECT_EQ(charged, 2);
}

TEST_F(Observed, a_lock_that_is_held_is_no_reason_to_observe) {
    const auto engine = executor();
    const auto nothing = [](const std::string&) { return std::nullopt; };
    const auto options = cli::serve_options(
        cli::gather_settings(settings_of(program), {{"listen", "127.0.0.1:0"}}, nothing, ""));
    try {
        serve(program, place, options,
              {out, errors, [](const std::string&) { ADD_FAILURE() << "it serves"; }});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::StoreLocked);
    }
    place.file = folder_ / "none.db";
    EXPECT_THROW(observe([] { FAIL(); }), Error);
    EXPECT_FALSE(std::filesystem::exists(place.file));
}

// ---- the feed

TEST(StoreFeed, tells_what_changes_on_the_store_to_whom_it_belongs) {
    cli::CliBench b;
    cli::Tail tail(b.outside, std::nullopt);
    tail.look();
    const auto lease = b.submit("july", "worker-1");
    auto lines = tail.look();
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(event_of(lines[0]).type, "run_started");
    EXPECT_EQ(event_of(lines[0]).run_id, "july");
    EXPECT_EQ(event_of(lines[0]).organization_id, b.run("july").organization_id);

    b.record(lease, b.stage("1", "ocr", StageStatus::Succeeded));
    b.end(lease, RunStatus::Succeeded);
    lines = tail.look();
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(event_of(lines[0]).type, "stage_ended");
    EXPECT_EQ(event_of(lines[0]).stage_key, "ocr");
    EXPECT_EQ(event_of(lines[0]).path, "1");
    EXPECT_EQ(event_of(lines[1]).type, "run_ended");
    EXPECT_FALSE(tail.missed_some());
    EXPECT_TRUE(tail.look().empty());
}

TEST(StoreFeed, more_than_a_look_reads_is_known_to_be_missed) {
    cli::CliBench b;
    b.submit("first");
    cli::Tail tail(b.outside, std::nullopt);
    tail.look();
    for (int i = 0; i < cli::kTailRunsMax + 1; ++i)
        b.end(b.submit(fmt::format("run-{}", i), "worker-1"), RunStatus::Succeeded);
    tail.look();
    EXPECT_TRUE(tail.missed_some());
    tail.look();
    EXPECT_FALSE(tail.missed_some());
}

}  // namespace
}  // namespace belay::app

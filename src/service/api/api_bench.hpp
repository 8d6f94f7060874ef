// api_bench.hpp — an Api on a simulated engine, for the tests of this room: a request is a function call.
#pragma once

#include <string>
#include <utility>

#include <boost/json.hpp>

#include "core/engine/engine_bench.hpp"
#include "service/api/account.hpp"
#include "service/api/api.hpp"
#include "service/api/operations.hpp"
#include "service/api/ops.hpp"
#include "service/api/runs.hpp"
#include "service/api/tokens.hpp"

namespace belay::api {

struct ApiBench {
    // `on`: of a process before.
    explicit ApiBench(AuthOptions auth_options = {}, RateLimit limit = {},
                      std::shared_ptr<store::MemoryDisk> on = store::make_memory_disk())
        : world(1, std::move(on)), engine_(open(world)), tables(world.core()),
          tokens(tables, world.sim.clock()), limiter(world.sim.clock(), limit),
          guesses(world.sim.clock(), kGuesses), sessions(tables, world.sim.clock()),
          auth(tokens, limiter, guesses, std::move(auth_options), &sessions),
          idempotency(tables, world.sim.clock()), feed(world.sim.clock(), 100),
          api(ApiParts{
              auth,
              idempotency,
              metrics,
              {},
              nullptr,
              nullptr,
              &feed,
              [this](std::string_view, std::string_view what) { faults.emplace_back(what); }}) {
        add_run_routes(api.routes(),
                       {world.reader, world.core(), world.sim.clock(), {"belay serve", {}}});
        OperationsParts operations{world.reader, world.core(), world.sim.clock(), "default"};
        operations.is_declared = [this](const std::string& name) {
            for (const auto& one : world.reader.schedules())
                if (one.schedule.name == name) return !one.declared.empty();
            return false;
        };
        add_operations_routes(api.routes(), operations);
        add_ops_routes(api.routes(), {world.reader, metrics, "0.1", {}, true, "default"});
        add_account_routes(api.routes(), {auth, tokens, sessions, tables, {1'000'000, 100, 10}});
        metrics.collect([this](MetricsText& out) { collect_run_counts(world.reader, out); });
    }

    Request request(Method method, std::string target, Headers headers = {}) {
        Request request;
        request.method = method;
        set_target(request, std::move(target));
        request.headers = std::move(headers);
        request.headers.add("Host", "localhost:8080");
        if (!bearer.empty()) request.headers.set("Authorization", "Bearer " + bearer);
        if (!cookie.empty()) request.headers.set("Cookie", cookie);
        if (!csrf.empty()) request.headers.set("X-CSRF-Token", csrf);
        request.request_id = "req-1";
        return request;
    }
    Response send(Request request) {
        auto admitted = api.admit(request);
        if (auto* answer = std::get_if<Response>(&admitted)) return std::move(*answer);
        return api.call(*std::get<const Route*>(admitted), request);
    }
    Response get(std::string target, Headers headers = {}) {
        return send(request(Method::Get, std::move(target), std::move(headers)));
    }
    Response post(std::string target, std::string body = "", Headers headers = {}) {
        Request made = request(Method::Post, std::move(target), std::move(headers));
        made.body = std::move(body);
        if (!made.body.empty()) made.headers.set("Content-Type", "application/json");
        return send(std::move(made));
    }

    // Makes a token and gives its secret.
    std::string make_token_for(const std::string& organization, const std::string& name = "test") {
        const NewToken token = make_token(organization, name);
        tables.transact([&](Tx& tx) { token_request(tx, token.request); });
        last_token_id = token.id;
        return token.secret;
    }

    engine::Bench world;
    Engine& engine_;
    EngineTables tables;
    Tokens tokens;
    RateLimiter limiter;
    RateLimiter guesses;
    Sessions sessions;
    Auth auth;
    Idempotency idempotency;
    EventRing feed;
    Metrics metrics;
    std::vector<std::string> faults;
    Api api;
    std::string bearer;  // sent with every request, if there is one
    std::string last_token_id;
    std::string cookie;  // likewise, as a browser sends it
    std::string csrf;

private:
    static Engine& open(engine::Bench& world) {
        world.define = [](Engine& engine) {
            WorkflowOptions greeting;
            greeting.admit = [](std::string_view, const std::string& name) {
                if (name == "nobody") throw NonRetryable("name: somebody is greeted");
            };
            engine.define(
                "GREET",
                [](Context& ctx, std::string name) -> Task<std::string> {
                    const std::string said =
                        co_await ctx.step("greet", [&] { return "hello " + name; });
                    co_return said;
                },
                greeting);
            engine.define("FAIL", [](Context& ctx) -> Task<> {
                static const StepOptions once{.retry = {.attempts_max = 1}};
                co_await ctx.step("break", once,
                                  [] { throw std::runtime_error("no text on the page"); });
            });
            engine.define("PARENT",
                          [](Context& ctx) -> Task<> { co_await ctx.child<void>("FAIL"); });
            engine.define("ASK", [](Context& ctx) -> Task<std::string> {
                const std::string said = co_await ctx.receive<std::string>("answer");
                co_return said;
            });
            engine.define("PAY", [](Context& ctx) -> Task<> {
                static const StepOptions paid{.costs_at_most = {"30", "USD"}};
                co_await ctx.step("ask", paid, [] {});
            });
            engine.define(
                "WAIT", [](Context& ctx) -> Task<> { co_await ctx.sleep(std::chrono::hours{1}); });
        };
        Engine& engine = world.open();
        engine.migrate(kTokensOwner, token_migrations());
        engine.migrate(kIdempotencyOwner, idempotency_migrations());
        engine.migrate(kSessionsOwner, session_migrations());
        engine.migrate(kAuditOwner, audit_migrations());
        engine.migrate(kSettingsOwner, settings_migrations());
        engine.start();
        return engine;
    }
};

inline boost::json::value json_of(const Response& response) {
    return boost::json::parse(std::get<std::string>(response.body));
}

// The code of a refusal; "" if it is none.
inline std::string code_of(const Response& response) {
    if (response.status < 400) return "";
    return std::string(json_of(response).at("error").at("code").as_string());
}
inline std::string message_of(const Response& response) {
    return std::string(json_of(response).at("error").at("message").as_string());
}

}  // namespace belay::api

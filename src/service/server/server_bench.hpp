// server_bench.hpp — a server on a free port with a real engine in memory, for the tests of this room.
#pragma once

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include <belay/belay.hpp>

#include "core/base/hash.hpp"
#include "core/library/host.hpp"
#include "service/api/ops.hpp"
#include "service/api/runs.hpp"
#include "service/api/tokens.hpp"
#include "service/server/server.hpp"
#include "service/server/socket_bench.hpp"

namespace belay::server {

// Keeps nothing but what it can say about the bytes.
class HashingSink final : public api::UploadSink {
public:
    std::unique_ptr<api::Upload> begin(const api::PartHead& head) override {
        if (head.file_name == "refused.exe")
            throw api::ApiError(api::Problem::UnsupportedMediaType, "no programs");
        ++begun;
        return std::make_unique<One>(*this);
    }
    std::atomic<int> begun{0};
    std::atomic<int> finished{0};
    std::atomic<int> given_up{0};
    std::atomic<std::uint64_t> bytes{0};  // of all uploads

    class One final : public api::Upload {
    public:
        explicit One(HashingSink& sink) : sink_(sink) {}
        ~One() override {
            if (!finished_) ++sink_.given_up;
        }
        std::string finish() {
            finished_ = true;
            ++sink_.finished;
            return hash_.finish_hex();
        }
        void write(std::span<const std::byte> bytes) override {
            hash_.update(bytes);
            sink_.bytes += bytes.size();
        }

    private:
        HashingSink& sink_;
        base::Sha256 hash_;
        bool finished_ = false;
    };
};

// A download that does not end by itself.
class Zeros final : public api::ByteSource {
public:
    std::size_t read(std::span<std::byte> space) override {
        std::fill(space.begin(), space.end(), std::byte{});
        return space.size();
    }
};

struct ServerBench {
    explicit ServerBench(ServerLimits limits = {}, ServerOptions options = {})
        : core(library::make_core(memory(), quiet(), &clock)), engine(prepare()), tables(*core),
          tokens(tables, clock), limiter(clock, {}), guesses(clock, api::kGuesses),
          auth(tokens, limiter, guesses, {}), idempotency(tables, clock), feed(clock, 100'000),
          api(api::ApiParts{auth, idempotency, metrics, {}, nullptr, &sink, &feed, {}}) {
        add_run_routes(api.routes(), {core->store(), *core, clock, {"test", {}}});
        add_ops_routes(api.routes(), {core->store(), metrics, "0.1", {}, true});
        add_test_routes();
        options.host = "127.0.0.1";
        options.port = 0;
        options.access_log = [this](std::string_view line) {
            const std::lock_guard lock(log_mutex);
            log.emplace_back(line);
        };
        server = std::make_unique<Server>(api, clock, random, std::move(options), limits);
        server->start();
    }

    Client client() { return Client(server->port()); }

    env::ManualClock clock;
    env::SystemRandom random;
    std::shared_ptr<engine::Core> core;
    Engine engine;
    api::EngineTables tables;
    api::Tokens tokens;
    api::RateLimiter limiter;
    api::RateLimiter guesses;
    api::Auth auth;
    api::Idempotency idempotency;
    api::EventRing feed;
    api::Metrics metrics;
    HashingSink sink;
    api::Api api;
    // Of the requests to /later that nobody has answered.
    std::mutex waiting_mutex;
    std::vector<api::Reply> waiting;
    std::atomic<int> later_begun{0};
    std::atomic<int> later_gone{0};
    std::promise<void> slow_began;
    std::promise<void> slow_may_end;
    std::mutex log_mutex;
    std::vector<std::string> log;
    std::string big = std::string(3'000'000, 'x');
    std::unique_ptr<Server> server;

private:
    static EngineOptions quiet() {
        EngineOptions options;
        options.log_to_stderr = false;
        return options;
    }
    std::shared_ptr<belay::detail::EnginePort> prepare() {
        core->migrate(api::kTokensOwner, api::token_migrations());
        core->migrate(api::kIdempotencyOwner, api::idempotency_migrations());
        core->migrate(api::kAuditOwner, api::audit_migrations());
        return core;
    }
    void add_test_routes() {
        engine.define("GREET", [](Context& ctx, std::string name) -> Task<std::string> {
            const std::string said = co_await ctx.step("greet", [&] { return "hello " + name; });
            co_return said;
        });
        engine.start();
        engine.submit<std::string>("GREET", "july", {.id = "july"}).result();
        const auto route_of = [](std::string path, api::Takes takes) {
            api::Route route;
            route.path = std::move(path);
            route.summary = "for tests";
            route.takes = takes;
            route.body_max = 1000;
            if (route.path == "/big" || route.path == "/endless")
                route.response_type = "text/plain";
            return route;
        };
        const auto add = [&](std::string path, api::Handler handler) {
            api::Route route = route_of(std::move(path), api::Takes::Nothing);
            route.handler = std::move(handler);
            api.routes().add(std::move(route));
        };
        api::Route upload = route_of("/ingest/upload", api::Takes::Form);
        upload.on<api::Method::Post>(api::Once{[this](api::Request& request,
                                                      const api::Claim& claim) {
            boost::json::array files;
            for (const auto& file : request.form.files) {
                const std::string sha256 = dynamic_cast<HashingSink::One&>(*file.upload).finish();
                files.push_back(
                    {{"name", file.file_name}, {"size", file.size}, {"sha256", sha256}});
            }
            return claim.transact(engine, [&](Tx&) {
                return api::json_response(
                    202,
                    {{"uploads", files}, {"workflow_type", request.form.field("workflow_type")}});
            });
        }});
        api.routes().add(std::move(upload));
        api::Route echo = route_of("/echo", api::Takes::Json);
        echo.on<api::Method::Post>(
            api::Repeatable{"it changes nothing", [](const api::Request& request) {
                                return api::json_response(200, {{"body", request.body}});
                            }});
        api.routes().add(std::move(echo));
        add("/slow", [this](const api::Request&) {
            slow_began.set_value();
            slow_may_end.get_future().wait();
            return api::json_response(200, {{"slow", true}});
        });
        api::Route later = route_of("/later", api::Takes::Json);
        later.on<api::Method::Post>(api::RepeatableLater{
            "it changes nothing", [this](const api::Request& request, const api::Reply& reply) {
                if (request.body == "refuse")
                    throw api::ApiError(api::Problem::Conflict, "not now");
                if (request.body == "at once") {
                    reply.answer(api::json_response(200, {{"at_once", true}}));
                    return;
                }
                reply.on_gone([this] { ++later_gone; });
                if (request.body != "drop") {
                    const std::lock_guard lock(waiting_mutex);
                    waiting.push_back(reply);
                }
                ++later_begun;
            }});
        api.routes().add(std::move(later));
        add("/endless", [](const api::Request&) {
            api::Response response = api::text_response(200, "text/plain", "");
            response.body = api::StreamBody{std::make_unique<Zeros>(), std::uint64_t{1} << 40U};
            return response;
        });
        add("/big",
            [this](const api::Request&) { return api::text_response(200, "text/plain", big); });
    }
};

// A multipart body with one file.
inline std::string form_with(std::string_view content, std::string_view file_name = "photo.jpg") {
    return "--XyZ\r\nContent-Disposition: form-data; name=\"workflow_type\"\r\n\r\nimage\r\n"
           "--XyZ\r\nContent-Disposition: form-data; name=\"files\"; filename=\"" +
           std::string(file_name) + "\"\r\nContent-Type: image/jpeg\r\n\r\n" +
           std::string(content) + "\r\n--XyZ--\r\n";
}
inline constexpr std::string_view kFormType = "multipart/form-data; boundary=XyZ";

inline std::string error_code_of(const Answer& answer) {
    return std::string(boost::json::parse(answer.body).at("error").at("code").as_string());
}

}  // namespace belay::server

// server.cpp — belay::Server: a server for an engine that a main() of its own made.
#include <belay/server.hpp>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include <belay/error.hpp>

#include "core/env/clock.hpp"
#include "service/app/engine_server.hpp"
#include "service/http/curl_client.hpp"

namespace belay {

namespace app {

// What an EngineServer stands on, when no command made it.
class OwnServer {
public:
    OwnServer(Engine& engine, const ServerOptions& options)
        : program_{.name = options.name}, server_({program_,
                                                   engine,
                                                   clock_,
                                                   client_,
                                                   std::cerr,
                                                   {},
                                                   serve_options(options),
                                                   {options.name, std::nullopt}},
                                                  services_) {}

    EngineServer& server() { return server_; }

private:
    static cli::ServeOptions serve_options(const ServerOptions& options) {
        // A program sets its server by ServerOptions; where traces go is said to every program in one way.
        const auto only_standard = [](const std::string& name) -> std::optional<std::string> {
            const char* value = name.starts_with("OTEL_") ? std::getenv(name.c_str()) : nullptr;
            return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
        };
        return cli::serve_options(
            cli::gather_settings(cli::server_settings(),
                                 {{"listen", options.listen},
                                  {"organization", options.organization},
                                  {"http-threads", std::to_string(options.http_threads)},
                                  {"tls-cert", options.tls_certificate},
                                  {"tls-key", options.tls_key},
                                  {"access-log", options.access_log}},
                                 only_standard, ""));
    }

    env::SystemClock clock_;
    http::CurlClient client_;
    Program program_;
    std::vector<std::unique_ptr<ServedBundle>> services_;
    EngineServer server_;
};

}  // namespace app

Server::Server(Engine& engine, ServerOptions options)
    : inside_(std::make_unique<app::OwnServer>(engine, options)) {}
Server::~Server() = default;

void Server::start() {
    try {
        inside_->server().listen();
    } catch (const server::ListenFailed& error) {
        throw Error(ErrorCode::InvalidArgument, error.what());
    }
    inside_->server().start_engine();
}

void Server::stop() { inside_->server().stop(std::chrono::seconds{10}); }
std::uint16_t Server::port() const { return inside_->server().server().port(); }
std::string Server::url() const { return inside_->server().server().url(); }

}  // namespace belay

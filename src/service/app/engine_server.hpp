// engine_server.hpp — everything that serves one engine: routes, tokens, page, live feed, metrics, webhooks.
//
// What `serve` and belay::Server have in common. It belongs to an engine that has not started yet.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <belay/engine.hpp>

#include "core/library/host.hpp"
#include "service/app/observer.hpp"
#include "service/app/program.hpp"
#include "service/cli/settings.hpp"
#include "service/http/client.hpp"
#include "service/server/server.hpp"

namespace belay::app {

struct EngineServerParts {
    const Program& program;  // outlives it, as do the next four
    Engine& engine;          // an Observer's, if there is one
    const env::Clock& clock;
    http::Client& client;
    std::ostream& errors;
    cli::Place place{};  // what it is called, and where files belong; may be empty
    cli::ServeOptions options{};
    // Who executes here, as `why` names it.
    model::Executor executor{};
    Observer* observer = nullptr;  // null: this process executes
};

class EngineServer {
public:
    // Defines what a server needs on the engine, and what bundles serve; `services` takes those, because their owner
    // decides that they outlive the engine.
    EngineServer(EngineServerParts parts, std::vector<std::unique_ptr<ServedBundle>>& services);
    ~EngineServer();  // stops

    // Throws server::ListenFailed; Error{InvalidArgument} if others could reach it and no token was made.
    void listen();
    // Watches the engine, and starts it: what the start itself does is told, too. An observer's store is watched.
    void start_engine();
    // Lets requests under way finish, for at most `grace`. The engine goes on.
    void stop(Duration grace);

    const server::Server& server() const;
    bool any_token();

private:
    class Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace belay::app

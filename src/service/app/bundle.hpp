// bundle.hpp — what a bundle of this repository may add in the server's own terms, beside the public ones of
// belay/server.hpp: commands with commands below them that also ask a server, routes whose answers are streams.
//
// A bundle, or what it serves, that is one of these as well is asked.
#pragma once

#include <set>
#include <string>

namespace CLI {
class App;
}
namespace belay::cli {
struct Session;
}
namespace belay::api {
class Routes;
}

namespace belay::app {

class CommandAdder {
public:
    virtual ~CommandAdder() = default;
    virtual void add_commands(CLI::App& app, cli::Session& session) = 0;
};

class RouteAdder {
public:
    virtual ~RouteAdder() = default;
    virtual void add_routes(api::Routes& routes) = 0;
};

// Deals something out in turns of its own: a step that has begun may wait there, without a thread. That is not work.
class WaitTeller {
public:
    virtual ~WaitTeller() = default;
    // The ids of that organization's runs of which everything that has come here waits. From any thread.
    virtual std::set<std::string> waiting_runs(const std::string& organization) = 0;
};

}  // namespace belay::app

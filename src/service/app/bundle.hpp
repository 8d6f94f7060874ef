// bundle.hpp — what an application adds to a server: workflows, settings, commands, routes, uploads.
//
// One object for the program, and one Service for each server that runs. `belay` is an App with the ingestion's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <belay/engine.hpp>

#include "core/env/clock.hpp"
#include "service/api/metrics.hpp"
#include "service/api/route.hpp"
#include "service/api/upload.hpp"
#include "service/cli/command.hpp"
#include "service/cli/settings.hpp"
#include "service/http/client.hpp"

namespace belay::app {

// A request of another process that is handled in a transaction of this engine: `belay inbox retry`.
using OnRequest = std::function<void(
    std::string kind, std::function<std::string(Tx&, const std::string& payload)> body)>;

// What there is to build on. All of it outlives the service, but the engine: its steps have ended when the service
// is destroyed, and nothing may use it any more.
struct ServiceParts {
    const cli::Place&
        place;  // data_folder is where files belong; empty if only a database was named
    const cli::ServeOptions& options;
    const env::Clock& clock;
    http::Client& client;  // for addresses that the owner of this machine configured
    Engine& engine;
    OnRequest on_request;
};

// What an application has going on one server. Made before the engine starts, with its workflows and tables.
class Service {
public:
    virtual ~Service() = default;

    // Where uploaded files go; null: nowhere. Lives as long as the service.
    virtual api::UploadSink* uploads() { return nullptr; }
    virtual void add_routes(api::Routes&) {}
    // The engine runs, the server answers. What goes wrong later is told to `log`, one line each.
    virtual void started(std::function<void(std::string_view line)> log) { (void)log; }
    virtual void stopping() {}                  // before the engine stops
    virtual void collect(api::MetricsText&) {}  // numbers for whoever scrapes
    // What strangers are not shown of this machine and behind it, with what they read instead.
    virtual std::vector<std::pair<std::string, std::string>> hidden() const { return {}; }
    // Lines of what to try first; and what will not work, if that is known.
    virtual std::string try_first(const std::string& url) const { return (void)url, ""; }
    virtual std::optional<std::string> warning() const { return std::nullopt; }
};

class Bundle {
public:
    virtual ~Bundle() = default;

    virtual void add_commands(CLI::App&, cli::Session&) {}
    virtual cli::Settings settings() const { return {}; }
    virtual std::vector<std::string> views() const {
        return {};
    }  // of the page: "papers", "documents"
    // Null: nothing for such a place.
    virtual std::unique_ptr<Service> serve(const ServiceParts&) { return nullptr; }
};

}  // namespace belay::app

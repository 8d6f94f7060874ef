#include "service/app/serve.hpp"

#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <belay/error.hpp>

#include "core/env/clock.hpp"
#include "core/env/heap.hpp"
#include "core/env/signals.hpp"
#include "core/library/host.hpp"
#include "service/app/engine_server.hpp"
#include "service/cli/command.hpp"
#include "service/cli/data_folder.hpp"
#include "service/cli/names.hpp"
#include "service/cli/server_note.hpp"
#include "service/cli/version.hpp"
#include "service/http/curl_client.hpp"
#include "service/page/page.hpp"
#include "service/server/stop_deadline.hpp"

namespace belay::app {

using cli::ExitCode;
using cli::Place;
using cli::ServeOptions;

namespace {

EngineOptions engine_options(const Program& program, const Place& place,
                             const ServeOptions& options) {
    EngineOptions engine;
    engine.pool_threads_max = options.workers;
    engine.organization_id = options.organization;
    engine.code_version = code_version_of(program);
    engine.log_format = options.log_format;
    engine.seal = place.seal;
    return engine;
}

http::CurlOptions configured_addresses() {
    http::CurlOptions options;
    options.addresses = http::AddressPolicy::any();
    return options;
}

std::string goes_on(const store::RunCounts& found) {
    const std::int64_t open = found.queued + found.running + found.waiting;
    if (open == 0) return "";
    if (open == 1) return "One run was not over: it goes on from where it stopped.\n";
    return fmt::format("{} runs were not over: they go on from where they stopped.\n", open);
}

// The parts of a server on an engine, made and destroyed in the right order.
class ServeRun {
public:
    ServeRun(const Program& program, const Place& place, const ServeOptions& options,
             const ServeWorld& world)
        : program_(program), place_(place), options_(options), world_(world),
          core_(library::make_core(config_of(place), engine_options(program, place, options))),
          engine_(core_),
          server_(
              {program, engine_, clock_, client_, world.errors, place, options,
               executor_of(place).value_or(model::Executor{program.name + " serve", std::nullopt})},
              services_) {}

    ExitCode run() {
        // Before the engine: a port that is taken must not cost the time of a recovery.
        try {
            server_.listen();
        } catch (const server::ListenFailed& error) {
            world_.errors << program_.name << ": " << error.what() << '\n';
            return ExitCode::Failed;
        }
        const store::RunCounts found = core_->store().count_runs();
        server_.start_engine();
        const std::string url = server_.server().url();
        const cli::ServerNote note{place_, url};
        tell_ready(url, found);
        world_.wait(url);
        world_.out << "Stopping: requests and steps under way are finished first. Ctrl-C again "
                      "ends it now.\n"
                   << std::flush;
        // Requests under way need the engine, and then its steps have what is left.
        const server::StopDeadline deadline(std::chrono::seconds{options_.stop_seconds},
                                            world_.errors);
        server_.stop(deadline.left() / 2);
        core_->set_stop_grace(deadline.left());
        engine_.stop();
        return ExitCode::Ok;
    }

private:
    std::string title() const {
        if (program_.name == "belay") return fmt::format("Belay {}", cli::version());
        return program_.version.empty() ? program_.name
                                        : fmt::format("{} {}", program_.name, program_.version);
    }

    void tell_ready(const std::string& url, const store::RunCounts& found) {
        std::string try_first;
        for (const auto& service : services_) try_first += service->try_first(url);
        world_.out << fmt::format(
            "{} is ready at {}  (data: {}; Ctrl-C stops it)\n{}{}"
            "Try first:\n  curl {}/api/runs{}\n  {}/openapi.json describes the rest\n{}",
            title(), url, shown(place_), goes_on(found), page_hint(url, !try_first.empty()), url,
            server_.any_token() ? " -H 'Authorization: Bearer belay_…'" : "", url, try_first);
        world_.out << std::flush;
        for (const auto& service : services_) {
            if (const auto problem = service->warning())
                world_.errors << program_.name << ": warning: " << *problem << '\n' << std::flush;
        }
    }

    static std::string page_hint(const std::string& url, bool takes_files) {
        if (page::files() == nullptr) return "";
        return takes_files ? fmt::format(
                                 "Open {}/ in a browser: drop a file there and watch what becomes "
                                 "of it.\n",
                                 url)
                           : fmt::format(
                                 "Open {}/workflows in a browser: start a run there and watch it."
                                 "\n",
                                 url);
    }

    const Program& program_;
    const Place place_;
    const ServeOptions& options_;
    const ServeWorld& world_;
    env::SystemClock clock_;
    http::CurlClient client_{configured_addresses()};  // outlives the engine, too
    std::vector<std::unique_ptr<ServedBundle>>
        services_;  // outlive the engine, whose steps use them
    std::shared_ptr<engine::Core> core_;
    Engine engine_;
    EngineServer server_;
};

// The same where others execute: it needs no lock, no folder and no engine.
class ObserveRun {
public:
    ObserveRun(const Program& program, const Place& place, const ServeOptions& options,
               const ServeWorld& world)
        : program_(program), place_(place), options_(options), world_(world),
          observer_(std::make_shared<Observer>(place, clock_, options.organization)),
          engine_(observer_), server_({program,
                                       engine_,
                                       clock_,
                                       client_,
                                       world.errors,
                                       place,
                                       options,
                                       {},
                                       observer_.get()},
                                      services_) {}

    ExitCode run() {
        try {
            server_.listen();
        } catch (const server::ListenFailed& error) {
            world_.errors << program_.name << ": " << error.what() << '\n';
            return ExitCode::Failed;
        }
        server_.start_engine();
        const std::string url = server_.server().url();
        world_.out << fmt::format("{} observes {} at {}  (Ctrl-C stops it)\n{}", program_.name,
                                  shown(place_), url, who_executes())
                   << std::flush;
        world_.wait(url);
        server_.stop(std::chrono::seconds{options_.stop_seconds});
        return ExitCode::Ok;
    }

private:
    std::string who_executes() const {
        if (!place_.address.empty()) return "";
        const auto executor = observer_->executor();
        if (!executor) return "Nobody executes on it now: it can be looked at, and nobody asked.\n";
        return fmt::format("Executed by {}: what is asked here is asked there.\n",
                           cli::plain(executor->who));
    }

    const Program& program_;
    const Place place_;
    const ServeOptions& options_;
    const ServeWorld& world_;
    env::SystemClock clock_;
    http::CurlClient client_{configured_addresses()};
    std::vector<std::unique_ptr<ServedBundle>> services_;
    std::shared_ptr<Observer> observer_;
    Engine engine_;
    EngineServer server_;
};

// Every command has these.
bool is_global(std::string_view setting) {
    return setting == "data" || setting == "store" || setting == "objects";
}

struct Typed {
    std::map<std::string, std::string> flags;
    std::string config;
    bool print_config = false;
};

ExitCode serve_as_typed(const Typed& typed, cli::Session& session, const Program& program) {
    const cli::Settings settings = settings_of(program);
    if (typed.print_config) {
        session.world.screen.out << cli::with_name(cli::sample_config(settings), program.name);
        return ExitCode::Ok;
    }
    const std::string config = typed.config.empty()
                                   ? session.world.environment("BELAY_CONFIG").value_or("")
                                   : typed.config;
    const cli::GivenSettings given =
        cli::gather_settings(settings, typed.flags, session.world.environment, config);
    const ServeOptions chosen = cli::serve_options(given);
    if (!session.remote_options.server.empty()) session.refuse_server();
    const Place place = serve_place(session.place_options, session.world.environment, chosen);
    env::return_memory_early();
    env::StopSignals signals;
    try {
        return serve(program, place, chosen,
                     {session.world.screen.out, session.world.errors,
                      [&](const std::string&) { signals.wait(); }});
    } catch (const Error& error) {
        if (error.code() == ErrorCode::StoreLocked) {
            throw Error(
                error.code(),
                fmt::format("{} So does `belay serve --observe`, with a page.", error.what()));
        }
        if (error.code() != ErrorCode::InvalidArgument) throw;
        throw Error(error.code(), cli::in_given_words(error.what(), given));
    }
}

}  // namespace

Place serve_place(const cli::PlaceOptions& flags, const cli::Environment& environment,
                  const ServeOptions& options) {
    const bool named = !flags.store.empty() || !flags.data.empty() || environment("BELAY_STORE");
    if (named || (options.data.empty() && options.store.empty()))
        return find_place(flags, environment);
    return cli::find_place(
        {.data = options.data, .store = options.store, .objects = options.objects}, environment);
}

ExitCode serve(const Program& program, const Place& place, const ServeOptions& options,
               const ServeWorld& world) {
    if (options.observe) return ObserveRun(program, place, options, world).run();
    make_data_folder(place);
    return ServeRun(program, place, options, world).run();
}

void add_serve(CLI::App& app, cli::Session& session, const Program& program) {
    const auto typed = std::make_shared<Typed>();
    CLI::App* command =
        cli::add_command(app, "serve", "Run the server: HTTP API, live feed, workflows",
                         "belay serve --data ./belay-data --listen 127.0.0.1:8080");
    command->add_option("--config", typed->config,
                        "a file of `key = value` lines (or BELAY_CONFIG)");
    command->add_flag("--print-config", typed->print_config,
                      "print such a file with every default, and end");
    for (const cli::Setting& setting : settings_of(program)) {
        if (is_global(setting.name)) continue;
        std::string meaning{setting.meaning};
        if (!setting.otherwise.empty()) meaning += fmt::format(" [{}]", setting.otherwise);
        if (setting.placeholder == cli::kYesOrNo) {
            command->add_flag_callback(
                "--" + std::string(setting.name),
                [typed, name = std::string(setting.name)] { typed->flags[name] = "yes"; },
                std::string(setting.meaning));
            continue;
        }
        command->add_option_function<std::string>(
            "--" + std::string(setting.name),
            [typed, name = std::string(setting.name)](const std::string& value) {
                typed->flags[name] = value;
            },
            meaning);
    }
    cli::choose(*command, session,
                [typed, &session, &program] { return serve_as_typed(*typed, session, program); });
}

}  // namespace belay::app

#include "ingestion/cli/serve.hpp"

#include <fstream>
#include <memory>
#include <mutex>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <belay/error.hpp>

#include "core/base/events.hpp"
#include "core/base/limits.hpp"
#include "core/env/heap.hpp"
#include "core/env/program.hpp"
#include "core/env/random.hpp"
#include "core/env/signals.hpp"
#include "core/library/host.hpp"
#include "ingestion/cli/commands.hpp"
#include "ingestion/cli/serving.hpp"
#include "service/api/operations.hpp"
#include "service/api/ops.hpp"
#include "service/api/runs.hpp"
#include "service/api/tokens.hpp"
#include "service/cli/command.hpp"
#include "service/cli/data_folder.hpp"
#include "service/cli/engine_metrics.hpp"
#include "service/cli/live_feed.hpp"
#include "service/cli/server_note.hpp"
#include "service/cli/version.hpp"
#include "service/http/curl_client.hpp"
#include "service/server/server.hpp"
#include "service/server/stop_deadline.hpp"

namespace belay::cli {

namespace {

// Lines of several threads, one after another.
class LineLog {
public:
    LineLog(const std::string& where, std::ostream& errors) {
        if (where == "off") return;
        if (where == "-") {
            out_ = &errors;
            return;
        }
        file_.open(where, std::ios::app);
        if (!file_)
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("access-log: {} cannot be written", where));
        out_ = &file_;
    }
    void write(std::string_view line) {
        if (out_ == nullptr) return;
        const std::lock_guard lock(mutex_);
        *out_ << line << '\n' << std::flush;
    }

private:
    std::mutex mutex_;
    std::ofstream file_;
    std::ostream* out_ = nullptr;
};

EngineOptions engine_options(const ServeOptions& options) {
    EngineOptions engine;
    engine.pool_threads_max = options.workers;
    engine.organization_id = options.organization;
    engine.code_version = std::string(version());
    engine.log_format = options.log_format;
    return engine;
}

server::ServerOptions server_options(const ServeOptions& options, LineLog& log) {
    server::ServerOptions out;
    out.host = options.host;
    out.port = options.port;
    out.tls = {options.tls_cert, options.tls_key};
    out.pool_threads = options.http_threads;
    out.access_log = [&log](std::string_view line) { log.write(line); };
    return out;
}

IngestingOptions ingesting_options(const Place& place, const ServeOptions& options) {
    IngestingOptions out;
    out.objects = place.objects.empty() ? options.objects : place.objects;
    if (!place.address.empty()) out.shared_store = shown(place);
    out.classifier = options.classifier;
    out.workers_ai_account = options.workers_ai_account;
    out.workers_ai_token = options.workers_ai_token;
    out.workers_ai_url = options.workers_ai_url;
    out.paper = [paper = options.paper](const std::string& name) -> std::optional<std::string> {
        const auto found = paper.find(name);
        // What is no setting of ours, such as TESSDATA_PREFIX, is still in the environment.
        return found == paper.end() ? process_environment(name) : std::optional(found->second);
    };
    return out;
}

http::CurlOptions configured_addresses() {
    http::CurlOptions options;
    options.addresses = http::AddressPolicy::any();
    return options;
}

server::ServerLimits server_limits(const ServeOptions& options) {
    server::ServerLimits limits;
    limits.upload_bytes_max = options.max_upload_bytes;
    limits.file_bytes_max = options.max_upload_bytes;
    limits.connections_max = options.max_connections;
    limits.header_time = options.header_time;
    limits.body_time = options.body_time;
    limits.idle_time = options.idle_time;
    return limits;
}

void refuse_if_open_to_all(api::Tokens& tokens, bool loopback, const Place& place,
                           const std::string& host) {
    if (loopback || tokens.any()) return;
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format(
            "{} can be reached by others, and no token was made yet: whoever finds it could "
            "use it. Make one first:\n    belay tokens create --organization acme --name "
            "first{}",
            host, place.option));
}

// The parts of a server on an engine, made and destroyed in the right order.
class ServeRun {
public:
    ServeRun(const Place& place, const ServeOptions& options, const ServeWorld& world)
        : options_(options), place_(place), world_(world),
          loopback_(server::is_loopback(options.host)), log_(options.access_log, world.errors),
          core_(library::make_core(config_of(place), engine_options(options))), engine_(core_),
          tables_(*core_), tokens_(tables_, clock_),
          limiter_(clock_, {options.rate_limit, options.rate_limit * 2}),
          guesses_(clock_, api::kGuesses),
          auth_(tokens_, limiter_, guesses_, {options.organization, loopback_}),
          idempotency_(tables_, clock_),
          events_(clock_, base::kFeedEventsMax), serving_{
                                                     place,
                                                     clock_,
                                                     *core_,
                                                     engine_,
                                                     tables_,
                                                     events_,
                                                     options.max_upload_bytes,
                                                     ingesting_options(place, options),
                                                     {options.webhook_url, options.webhook_secret},
                                                     client_,
                                                     ingesting_,
                                                     web_,
                                                     options.web} {}

    ExitCode run() {
        prepare_engine();
        refuse_if_open_to_all(tokens_, loopback_, place_, options_.host);
        uploads_ = make_upload_sink(serving_);
        api::Api api(api::ApiParts{
            auth_,
            idempotency_,
            metrics_,
            {loopback_, options_.allow_hosts, options_.cors_origins},
            web_files(),
            uploads_.get(),
            &events_,
            [this](std::string_view request, std::string_view what) { log_fault(request, what); },
            hidden_names()});
        add_routes(api);
        server::Server server(api, clock_, random_, server_options(options_, log_),
                              server_limits(options_));
        metrics_.collect([&](api::MetricsText& out) { collect_server(server, out); });
        // Before the engine: a port that is taken must not cost the time of a recovery.
        try {
            server.start();
        } catch (const server::ListenFailed& error) {
            world_.errors << "belay: " << error.what() << '\n';
            return ExitCode::Failed;
        }
        // Before the first claim: what the start itself does is told, too.
        LiveFeed live(engine_, events_);
        const store::RunCounts found = core_->store().count_runs();
        engine_.start();
        if (ingesting_) ingesting_->start_inbox([this](std::string_view line) { log_line(line); });
        const ServerNote note{place_, server.url()};
        tell_ready(server.url(), found);
        world_.wait(server.url());
        world_.out << "Stopping: requests and steps under way are finished first. Ctrl-C again "
                      "ends it now.\n"
                   << std::flush;
        // Requests under way need the engine, and then its steps have what is left.
        const server::StopDeadline deadline(std::chrono::seconds{options_.stop_seconds},
                                            world_.errors);
        server.stop(deadline.left() / 2);
        if (ingesting_) ingesting_->stop_inbox();
        core_->set_stop_grace(deadline.left());
        engine_.stop();
        return ExitCode::Ok;
    }

private:
    void prepare_engine() {
        engine_.migrate(api::kTokensOwner, api::token_migrations());
        engine_.migrate(api::kIdempotencyOwner, api::idempotency_migrations());
        core_->on_request(std::string(api::kTokensRequest), api::token_request);
        register_workflows(serving_);
    }

    void add_routes(api::Api& api) {
        api::add_run_routes(api.routes(),
                            {core_->store(), *core_, clock_, executor(), options_.organization});
        api::add_operations_routes(api.routes(),
                                   {core_->store(), *core_, clock_, options_.organization});
        api::OpsParts ops{core_->store(),
                          metrics_,
                          std::string(version()),
                          [this] { return core_->not_ready(); },
                          true,
                          options_.organization};
        api::add_ops_routes(api.routes(), std::move(ops));
        register_routes(serving_, api);
        metrics_.collect([this](api::MetricsText& out) {
            api::collect_run_counts(core_->store(), out);
            collect_engine(*core_, out);
            collect_helper(serving_, out);
        });
    }

    // Where things are on this machine and behind it: nothing for organizations that are guests here.
    std::vector<std::pair<std::string, std::string>> hidden_names() const {
        std::vector<std::pair<std::string, std::string>> hidden{
            {place_.file.string(), "(the store)"},
            {place_.file.parent_path().string(), "(the server's folder)"},
            {place_.data_folder.string(), "(the server's folder)"},
            {shown(place_), "(the store)"},
            {place_.address, "(the store)"},
            {place_.objects, "(the object store)"},
            {options_.objects, "(the object store)"},
            {options_.webhook_url, "(the webhook)"},
            {options_.workers_ai_url, "(the model's server)"},
            {std::filesystem::path(env::this_program()).parent_path().string(), "(the program)"}};
        // As the system calls them when they were given relative to where it was started.
        for (const auto& path : {place_.file, place_.data_folder}) {
            std::error_code none;
            if (const auto whole = std::filesystem::absolute(path, none); !path.empty() && !none)
                hidden.emplace_back(whole.string(), "(the server's folder)");
        }
        return hidden;
    }

    static void collect_server(const server::Server& server, api::MetricsText& out) {
        const auto heap = env::heap_use();
        out.gauge("belay_heap_used_bytes", "Heap that is in use: a leak would show here.",
                  static_cast<double>(heap.used));
        out.gauge("belay_heap_free_bytes", "Heap that the C library keeps for later.",
                  static_cast<double>(heap.free));
        const auto counts = server.counts();
        out.gauge("belay_http_connections", "Connections open now.",
                  static_cast<double>(counts.connections));
        out.counter("belay_http_timeouts_total",
                    "Connections that were too slow, or idle too long.",
                    static_cast<double>(counts.timed_out));
        out.gauge("belay_live_listeners", "Watchers of /api/live now.",
                  static_cast<double>(counts.listeners));
    }

    model::Executor executor() const {
        return executor_of(place_).value_or(model::Executor{"belay serve", std::nullopt});
    }

    static std::string goes_on(const store::RunCounts& found) {
        const std::int64_t open = found.queued + found.running + found.waiting;
        if (open == 0) return "";
        if (open == 1) return "One run was not over: it goes on from where it stopped.\n";
        return fmt::format("{} runs were not over: they go on from where they stopped.\n", open);
    }

    void tell_ready(const std::string& url, const store::RunCounts& found) {
        world_.out << fmt::format(
            "Belay {} is ready at {}  (data: {}; Ctrl-C stops it)\n{}{}"
            "Try first:\n  curl {}/api/runs{}\n  {}/openapi.json describes the rest\n",
            version(), url, shown(place_), goes_on(found),
            web_files() != nullptr
                ? fmt::format(
                      "Open {}/ in a browser: drop a file there and watch what becomes of it.\n",
                      url)
                : "",
            url, tokens_.any() ? " -H 'Authorization: Bearer belay_…'" : "", url);
        if (uploads_) {
            world_.out << fmt::format(
                "  curl -F files=@photo.jpg -F workflow_type=image {}/ingest/upload\n"
                "  curl {}/api/uploads\n",
                url, url);
        }
        if (web_) {
            world_.out << fmt::format(
                "  curl {}/api/documents -d '{{\"url\": \"https://example.org/\"}}' "
                "-H 'Content-Type: application/json'\n  curl '{}/api/search?q=example'\n",
                url, url);
        }
        if (ingesting_) {
            if (const auto problem = ingesting_->helper_problem())
                world_.errors << "belay: warning: " << *problem << '\n' << std::flush;
        }
        world_.out << std::flush;
    }

    void log_line(std::string_view line) { say("inbox_failed", line); }

    void log_fault(std::string_view request, std::string_view what) {
        say("request_failed", fmt::format("request {}: {}", request, what));
    }

    void say(std::string_view event, std::string_view sentence) {
        LogEntry entry;
        entry.time = clock_.now();
        entry.level = LogLevel::Failure;
        entry.event = event;
        entry.message = sentence;
        const bool as_json = options_.log_format == LogFormat::Json;
        world_.errors << (as_json ? base::log_json(entry) : base::log_line(entry)) << '\n'
                      << std::flush;
    }

    const ServeOptions& options_;
    const Place place_;
    const ServeWorld& world_;
    const bool loopback_;
    LineLog log_;
    env::SystemClock clock_;
    env::SystemRandom random_;
    http::CurlClient client_{configured_addresses()};  // outlives the engine too
    std::unique_ptr<Ingesting> ingesting_;             // outlives the engine, whose steps use it
    std::unique_ptr<WebDocuments> web_;                // the same
    std::shared_ptr<engine::Core> core_;
    Engine engine_;
    api::EngineTables tables_;
    api::Tokens tokens_;
    api::RateLimiter limiter_;
    api::RateLimiter guesses_;
    api::Auth auth_;
    api::Idempotency idempotency_;
    api::EventRing events_;
    api::Metrics metrics_;
    Serving serving_;
    std::unique_ptr<api::UploadSink> uploads_;
};

// Every command has these.
bool is_global(std::string_view setting) {
    return setting == "data" || setting == "store" || setting == "objects";
}

}  // namespace

Place serve_place(const PlaceOptions& flags, const Environment& environment,
                  const ServeOptions& options) {
    const bool named = !flags.store.empty() || !flags.data.empty() || environment("BELAY_STORE");
    if (named || (options.data.empty() && options.store.empty()))
        return find_place(flags, environment);
    return find_place({.data = options.data, .store = options.store, .objects = options.objects},
                      environment);
}

ExitCode serve(const Place& place, const ServeOptions& options, const ServeWorld& world) {
    make_data_folder(place);
    return ServeRun(place, options, world).run();
}

void add_serve(CLI::App& app, Session& session) {
    struct Options {
        std::map<std::string, std::string> flags;
        std::string config;
        bool print_config = false;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command = add_command(app, "serve", "Run the server: HTTP API, live feed, workflows",
                                    "belay serve --data ./belay-data --listen 127.0.0.1:8080");
    command->add_option("--config", options->config,
                        "a file of `key = value` lines (or BELAY_CONFIG)");
    command->add_flag("--print-config", options->print_config,
                      "print such a file with every default, and end");
    for (const Setting& setting : serve_settings()) {
        if (is_global(setting.name)) continue;
        std::string meaning{setting.meaning};
        if (!setting.otherwise.empty()) meaning += fmt::format(" [{}]", setting.otherwise);
        command->add_option_function<std::string>(
            "--" + std::string(setting.name),
            [options, name = std::string(setting.name)](const std::string& value) {
                options->flags[name] = value;
            },
            meaning);
    }
    choose(*command, session, [options, &session] {
        if (options->print_config) {
            session.world.screen.out << sample_config();
            return ExitCode::Ok;
        }
        const std::string config = options->config.empty()
                                       ? session.world.environment("BELAY_CONFIG").value_or("")
                                       : options->config;
        const GivenSettings given =
            gather_settings(options->flags, session.world.environment, config);
        const ServeOptions chosen = serve_options(given);
        if (!session.remote_options.server.empty()) session.refuse_server();
        const Place place = serve_place(session.place_options, session.world.environment, chosen);
        env::return_memory_early();
        env::StopSignals signals;
        try {
            return serve(place, chosen,
                         {session.world.screen.out, session.world.errors,
                          [&](const std::string&) { signals.wait(); }});
        } catch (const Error& error) {
            if (error.code() != ErrorCode::InvalidArgument) throw;
            throw Error(error.code(), in_given_words(error.what(), given));
        }
    });
}

}  // namespace belay::cli

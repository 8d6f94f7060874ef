#include "service/app/engine_server.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <ostream>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/events.hpp"
#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/env/heap.hpp"
#include "core/env/program.hpp"
#include "core/env/random.hpp"
#include "service/api/account.hpp"
#include "service/api/audit.hpp"
#include "service/api/operations.hpp"
#include "service/api/ops.hpp"
#include "service/api/runs.hpp"
#include "service/api/tokens.hpp"
#include "service/api/workflows.hpp"
#include "service/app/bundle.hpp"
#include "service/app/forwarding.hpp"
#include "service/app/observer_sessions.hpp"
#include "service/app/own_routes.hpp"
#include "service/app/store_feed.hpp"
#include "service/approvals/api/routes.hpp"
#include "service/approvals/approval.hpp"
#include "service/cli/engine_metrics.hpp"
#include "service/cli/live_feed.hpp"
#include "service/cli/names.hpp"
#include "service/cli/version.hpp"
#include "service/http/curl_client.hpp"
#include "service/page/page.hpp"
#include "service/traces/exporter.hpp"
#include "service/webhooks/webhook.hpp"

namespace belay::app {

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

server::ServerOptions server_options(const cli::ServeOptions& options, LineLog& log) {
    server::ServerOptions out;
    out.host = options.host;
    out.port = options.port;
    out.tls = {options.tls_cert, options.tls_key};
    out.pool_threads = options.http_threads;
    out.access_log = [&log](std::string_view line) { log.write(line); };
    return out;
}

server::ServerLimits server_limits(const cli::ServeOptions& options) {
    server::ServerLimits limits;
    limits.upload_bytes_max = options.max_upload_bytes;
    limits.file_bytes_max = options.max_upload_bytes;
    limits.connections_max = options.max_connections;
    limits.header_time = options.header_time;
    limits.body_time = options.body_time;
    limits.idle_time = options.idle_time;
    return limits;
}

// Who is told of ends: as it was given at the start, else as the server's owner has set it. Shared with the engine, which
// may outlive the server.
class Webhook {
public:
    Webhook(belay::detail::EnginePort& engine, const cli::ServeOptions& options,
            const env::Clock& clock)
        : tables_(engine), given_{options.webhook_url, options.webhook_secret},
          owner_(options.organization), clock_(clock) {
        if (!given_.url.empty()) webhooks::check_webhook(given_);
    }

    webhooks::WebhookOptions now() {
        if (!given_.url.empty()) return given_;
        const auto kept = api::webhook_setting(tables_, owner_);
        return kept ? webhooks::WebhookOptions{kept->url, kept->secret}
                    : webhooks::WebhookOptions{};
    }

    // Asked at the end of every run, in its transaction; looked up every few seconds, because another server on the
    // database may have set it.
    bool wanted(Tx& tx) {
        constexpr Duration kLookEvery{3000};
        if (!given_.url.empty()) return true;
        const Time now = clock_.now();
        if (now - looked_.load() >= kLookEvery) {
            is_set_ =
                tx.value<int>("SELECT 1 FROM api_settings WHERE organization_id = ? AND name = ?",
                              owner_, api::kWebhookSetting)
                    .has_value();
            looked_ = now;
        }
        return is_set_;
    }

    void look_again() { looked_ = Time{}; }

private:
    api::EngineTables tables_;
    const webhooks::WebhookOptions given_;
    const std::string owner_;
    const env::Clock& clock_;
    std::atomic<Time> looked_{Time{}};
    std::atomic<bool> is_set_{false};
};

void collect_server(const server::Server& server, api::MetricsText& out) {
    const auto heap = env::heap_use();
    out.gauge("belay_heap_used_bytes", "Heap that is in use: a leak would show here.",
              static_cast<double>(heap.used));
    out.gauge("belay_heap_free_bytes", "Heap that the C library keeps for later.",
              static_cast<double>(heap.free));
    const auto counts = server.counts();
    out.gauge("belay_http_connections", "Connections open now.",
              static_cast<double>(counts.connections));
    out.counter("belay_http_timeouts_total", "Connections that were too slow, or idle too long.",
                static_cast<double>(counts.timed_out));
    out.gauge("belay_live_listeners", "Watchers of /api/live now.",
              static_cast<double>(counts.listeners));
}

// A collector is where whoever runs the server says, mostly on this machine.
http::CurlOptions to_any_address() {
    http::CurlOptions options;
    options.addresses = http::AddressPolicy::any();
    return options;
}

// A stop waits so long for the collector to take what is ready.
constexpr Duration kFlushMost{2000};

void collect_traces(traces::Exporter& exporter, api::MetricsText& out) {
    const traces::ExportCounts counts = exporter.counts();
    out.counter("belay_traces_spans_sent_total", "Spans that the collector of traces has taken.",
                static_cast<double>(counts.sent));
    out.counter("belay_traces_failures_total", "Requests that it did not take.",
                static_cast<double>(counts.failures));
    out.family("belay_traces_dropped_total", "counter",
               "What it will never have: spans that it refused or that found no room, and ends of "
               "runs that waited too long for it.");
    out.sample("belay_traces_dropped_total", {{"what", "spans"}},
               static_cast<double>(counts.spans_dropped));
    out.sample("belay_traces_dropped_total", {{"what", "runs"}},
               static_cast<double>(counts.runs_dropped));
    try {
        const double waiting = static_cast<double>(exporter.waiting().runs);
        out.gauge("belay_traces_runs_waiting", "Runs that have ended and whose spans wait for it.",
                  waiting);
    } catch (const Error&) {
        // Without its table the rest is told all the same.
    }
}

}  // namespace

class EngineServer::Inside {
public:
    Inside(EngineServerParts parts, std::vector<std::unique_ptr<ServedBundle>>& services)
        : parts_(std::move(parts)),
          core_(parts_.observer != nullptr ? nullptr : &library::core_of(parts_.engine)),
          store_(core_ != nullptr ? core_->store() : parts_.observer->store()),
          port_(core_ != nullptr ? static_cast<belay::detail::RidingPort&>(*core_)
                                 : *parts_.observer),
          services_(services), loopback_(server::is_loopback(parts_.options.host)),
          log_(parts_.options.access_log, parts_.errors), tables_(port_),
          tokens_(tables_, parts_.clock),
          limiter_(parts_.clock, {parts_.options.rate_limit, parts_.options.rate_limit * 2}),
          guesses_(parts_.clock, api::kGuesses),
          own_sessions_(core_ != nullptr
                            ? nullptr
                            : std::make_unique<ObserverSessions>(tables_, parts_.clock)),
          sessions_(own_sessions_ ? static_cast<api::Tables&>(*own_sessions_) : tables_,
                    parts_.clock),
          auth_(tokens_, limiter_, guesses_, {parts_.options.organization, loopback_}, &sessions_),
          idempotency_(
              tables_, parts_.clock, std::chrono::hours{24},
              core_ != nullptr ? api::Idempotency::Keys::Here : api::Idempotency::Keys::Asked),
          events_(parts_.clock, base::kFeedEventsMax) {
        if (core_ != nullptr) {
            define_all();
        } else {
            forwarder_.emplace(*parts_.observer);
            serve_bundles();
        }
        api_ = std::make_unique<api::Api>(api_parts());
        add_routes(api_->routes());
        if (forwarded_) forwarded_->handle_by(*api_);
        server_ = std::make_unique<server::Server>(*api_, parts_.clock, random_,
                                                   server_options(parts_.options, log_),
                                                   server_limits(parts_.options));
        metrics_.collect([this](api::MetricsText& out) {
            api::collect_run_counts(store_, out);
            if (core_ != nullptr) cli::collect_engine(*core_, out);
            collect_server(*server_, out);
            if (traces_) collect_traces(traces_->exporter(), out);
            collect_own(parts_.program.gauges, out);
            for (const auto& service : services_)
                for (const Metric& metric : service->metrics()) collect_own(metric, out);
        });
    }

    void listen() {
        if (!loopback_ && !tokens_.any()) {
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format("{} can be reached by others, and no token was made yet: whoever finds "
                            "it could use it. Make one first:\n    belay tokens create "
                            "--organization acme --name first{}",
                            parts_.options.host, parts_.place.option));
        }
        server_->start();
    }

    void start_engine() {
        if (core_ == nullptr) {
            store_feed_ = std::make_unique<StoreFeed>(store_, events_);
            return;
        }
        // Before the first claim: what the start itself does is told, too.
        live_ = std::make_unique<cli::LiveFeed>(parts_.engine, events_);
        parts_.engine.start();
        if (traces_) traces_->begin();
        for (const auto& service : services_)
            service->started([this](std::string_view line) {
                say(line.starts_with("watch: ") ? "watch_folder" : "inbox_failed", line);
            });
        serving_ = true;
    }

    void stop(Duration grace) {
        server_->stop(grace);
        if (std::exchange(serving_, false)) {
            for (const auto& service : services_) service->stopping();
        }
        if (forwarded_) forwarded_->stop();
        live_.reset();
        store_feed_.reset();
        // What ends while the engine stops is sent by its next start.
        if (traces_) traces_->stop(std::min(grace, kFlushMost));
    }

    const server::Server& server() const { return *server_; }
    bool any_token() { return tokens_.any(); }

private:
    void define_all() {
        Engine& engine = parts_.engine;
        engine.migrate(api::kTokensOwner, api::token_migrations());
        engine.migrate(api::kIdempotencyOwner, api::idempotency_migrations());
        engine.migrate(api::kSessionsOwner, api::session_migrations());
        engine.migrate(api::kAuditOwner, api::audit_migrations());
        engine.migrate(api::kSettingsOwner, api::settings_migrations());
        core_->on_request(std::string(api::kTokensRequest), api::token_request);
        forwarded_.emplace(*core_);
        webhook_ = std::make_shared<Webhook>(*core_, parts_.options, parts_.clock);
        const bool traced = !parts_.options.traces.url.empty();
        core_->on_run_end([webhook = webhook_, traced](Tx& tx, const RunInfo& run) {
            if (webhook->wanted(tx)) webhooks::tell_end(tx, run);
            if (traced) traces::note_end(tx, run);
        });
        if (traced) {
            engine.migrate(traces::kOutboxOwner, traces::outbox_migrations());
            traces_ = std::make_unique<traces::ExportThread>(export_parts());
        }
        webhooks::define_webhook(
            engine, [webhook = webhook_] { return webhook->now(); }, parts_.client, parts_.clock);
        approvals::define_approval(engine);
        core_->on_request(std::string(approvals::kApprovalsRequest), approvals::approval_request);
        serve_bundles();
        prepare(parts_.program, engine);
    }

    traces::ExporterParts export_parts() {
        traces::ExporterParts parts{store_, *core_, collector_, parts_.clock,
                                    parts_.options.traces};
        if (parts.options.service.empty()) parts.options.service = parts_.program.name;
        parts.worker = fmt::format("{}-{}", parts_.program.name, base::to_hex(random_.next()));
        parts.version = cli::version();
        parts.alone = !store_.name().starts_with("postgres");
        // What is sealed is to be read by nobody else; of what others define nobody knows here what may be told.
        parts.keeps_messages = [core = core_](const std::string& key) {
            const auto found = core->workflows().find(key);
            return core->options().seal != nullptr || found == core->workflows().end() ||
                   found->second->options.redact;
        };
        parts.log = [this](std::string_view line) { say("traces_failed", line); };
        return parts;
    }

    void serve_bundles() {
        settings_ = parts_.options.given;
        // Every command has this one, so that it may stand beside the others.
        if (!parts_.place.objects.empty()) settings_["objects"].value = parts_.place.objects;
        BundleParts serving{parts_.engine, settings_};
        serving.data_folder = parts_.place.data_folder;
        serving.store = shown(parts_.place);
        serving.is_shared = !parts_.place.address.empty();
        serving.observes = core_ == nullptr;
        serving.on_request = [this](std::string kind, auto body) {
            if (core_ != nullptr) core_->on_request(std::move(kind), std::move(body));
        };
        for (const auto& bundle : parts_.program.bundles) {
            if (auto service = bundle->serve(serving)) services_.push_back(std::move(service));
        }
    }

    api::ApiParts api_parts() {
        api::ApiParts parts{auth_,
                            idempotency_,
                            metrics_,
                            {loopback_, parts_.options.allow_hosts, parts_.options.cors_origins},
                            page::files(),
                            uploads(),
                            &events_,
                            [this](std::string_view request, std::string_view what) {
                                say("request_failed", fmt::format("request {}: {}", request, what));
                            }};
        if (forwarder_) {
            parts.elsewhere = [this](const api::Request& request) {
                return forwarder_->forward(request);
            };
        }
        parts.hidden = hidden_names();
        return parts;
    }

    // What an observer is sent would have to be stored where the executor looks for it: it takes none.
    api::UploadSink* uploads() {
        if (core_ == nullptr) return nullptr;
        for (const auto& service : services_)
            if (api::UploadSink* sink = service->uploads()) return sink;
        return nullptr;
    }

    void add_routes(api::Routes& routes) {
        api::RunsParts runs{store_, port_, parts_.clock, parts_.executor,
                            parts_.options.organization};
        if (parts_.observer != nullptr) {
            runs.executor_now = [observer = parts_.observer] {
                return observer->executor().value_or(model::Executor{});
            };
        }
        runs.in_own_words = [name = parts_.program.name](std::string_view text) {
            return cli::with_name(text, name);
        };
        runs.waiting_outside = [this](const std::string& organization) {
            return waiting_outside(organization);
        };
        api::add_run_routes(routes, std::move(runs));
        api::add_operations_routes(routes, operations_parts());
        api::add_workflow_routes(
            routes,
            {store_, parts_.clock, [this] { return library::read_definitions(store_); }, port_});
        api::OpsParts ops{store_,
                          metrics_,
                          std::string(cli::version()),
                          [this] { return core_ != nullptr ? core_->not_ready() : std::nullopt; },
                          true,
                          parts_.options.organization};
        api::add_ops_routes(routes, std::move(ops));
        const cli::ServeOptions& given = parts_.options;
        api::add_account_routes(routes, {auth_,
                                         tokens_,
                                         sessions_,
                                         tables_,
                                         {given.max_upload_bytes, given.rate_limit,
                                          static_cast<std::int64_t>(given.max_connections)},
                                         given.webhook_url,
                                         [webhook = webhook_] {
                                             if (webhook) webhook->look_again();
                                         }});
        approvals::add_approval_routes(routes, parts_.engine);
        add_program_route(routes, parts_.program, core_ == nullptr);
        add_warnings_route(routes, [this](const api::Caller& caller) { return warnings(caller); });
        for (const auto& service : services_) {
            if (auto* adder = dynamic_cast<RouteAdder*>(service.get())) adder->add_routes(routes);
            for (const HttpRoute& route : service->routes()) add_own_route(routes, route, port_);
        }
        for (const HttpRoute& route : parts_.program.routes) add_own_route(routes, route, port_);
    }

    api::OperationsParts operations_parts() {
        api::OperationsParts operations{store_, port_, parts_.clock, parts_.options.organization};
        operations.is_declared = [this](const std::string& name) {
            const auto all = store_.schedules();
            const auto found = std::ranges::find_if(
                all, [&](const auto& one) { return one.schedule.name == name; });
            return found != all.end() && engine::is_declared(*found);
        };
        if (parts_.observer != nullptr) {
            operations.trigger_there = [observer = parts_.observer](const std::string& name,
                                                                    const std::string& mark) {
                return observer->trigger(name, mark);
            };
        }
        return operations;
    }

    // Of two bundles in which it stands in line, neither lets it work.
    std::set<std::string> waiting_outside(const std::string& organization) {
        std::set<std::string> runs;
        for (const auto& service : services_) {
            if (auto* teller = dynamic_cast<WaitTeller*>(service.get()))
                runs.merge(teller->waiting_runs(organization));
        }
        return runs;
    }

    // The owner is told all of it; guests, that they should ask the owner. Said until somebody accepts the loss.
    std::vector<Warning> warnings(const api::Caller& caller) const {
        const std::filesystem::path& file = parts_.place.file;
        if (file.empty()) return {};
        const auto loss = library::lost_commits(file);
        if (!loss) return {};
        const bool owns = caller.organization_id == parts_.options.organization;
        return {{"commits_lost", owns ? *loss
                                      : "This server's data is older than what it had "
                                        "acknowledged: what was done last may be missing. Whoever "
                                        "runs the server is told what to do."}};
    }

    // Where things are on this machine and behind it: nothing for organizations that are guests here.
    std::vector<std::pair<std::string, std::string>> hidden_names() const {
        const cli::Place& place = parts_.place;
        std::vector<std::pair<std::string, std::string>> hidden{
            {place.file.string(), "(the store)"},
            {place.file.parent_path().string(), "(the server's folder)"},
            {place.data_folder.string(), "(the server's folder)"},
            {shown(place), "(the store)"},
            {place.address, "(the store)"},
            {place.objects, "(the object store)"},
            {parts_.options.objects, "(the object store)"},
            {parts_.options.webhook_url, "(the webhook)"},
            {parts_.options.traces.url, "(the collector)"},
            {std::filesystem::path(env::this_program()).parent_path().string(), "(the program)"}};
        // As the system calls them when they were given relative to where it was started.
        for (const auto& path : {place.file, place.data_folder}) {
            std::error_code none;
            if (const auto whole = std::filesystem::absolute(path, none); !path.empty() && !none)
                hidden.emplace_back(whole.string(), "(the server's folder)");
        }
        for (const auto& service : services_) {
            for (auto& one : service->hidden()) hidden.push_back(std::move(one));
        }
        return hidden;
    }

    void say(std::string_view event, std::string_view sentence) {
        LogEntry entry;
        entry.time = parts_.clock.now();
        entry.level = LogLevel::Failure;
        entry.event = event;
        entry.message = sentence;
        const bool as_json = parts_.options.log_format == LogFormat::Json;
        parts_.errors << (as_json ? base::log_json(entry) : base::log_line(entry)) << '\n'
                      << std::flush;
    }

    const EngineServerParts parts_;
    engine::Core* const core_;  // null: this process observes
    store::Store& store_;
    belay::detail::RidingPort& port_;
    GivenSettings settings_;  // for the bundles
    std::vector<std::unique_ptr<ServedBundle>>& services_;
    const bool loopback_;
    LineLog log_;
    env::SystemRandom random_;
    api::EngineTables tables_;
    api::Tokens tokens_;
    api::RateLimiter limiter_;
    api::RateLimiter guesses_;
    std::unique_ptr<ObserverSessions> own_sessions_;  // of an observer
    api::Sessions sessions_;
    api::Auth auth_;
    api::Idempotency idempotency_;
    api::EventRing events_;
    api::Metrics metrics_;
    std::unique_ptr<api::Api> api_;
    std::unique_ptr<server::Server> server_;
    std::optional<Forwarder> forwarder_;          // of an observer
    std::optional<ForwardedRequests> forwarded_;  // of others: uses the routes, the engine uses it
    std::unique_ptr<cli::LiveFeed> live_;
    std::unique_ptr<StoreFeed> store_feed_;
    bool serving_ = false;
    std::shared_ptr<Webhook> webhook_;
    http::CurlClient collector_{to_any_address()};
    std::unique_ptr<traces::ExportThread> traces_;  // null: nobody is told
};

EngineServer::EngineServer(EngineServerParts parts,
                           std::vector<std::unique_ptr<ServedBundle>>& services)
    : inside_(std::make_unique<Inside>(std::move(parts), services)) {}
EngineServer::~EngineServer() { inside_->stop(Duration{0}); }

void EngineServer::listen() { inside_->listen(); }
void EngineServer::start_engine() { inside_->start_engine(); }
void EngineServer::stop(Duration grace) { inside_->stop(grace); }
const server::Server& EngineServer::server() const { return inside_->server(); }
bool EngineServer::any_token() { return inside_->any_token(); }

}  // namespace belay::app

#include "ingestion/cli/bundle.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "core/env/clock.hpp"
#include "ingestion/cli/card_requests.hpp"
#include "ingestion/cli/commands.hpp"
#include "ingestion/cli/ingesting.hpp"
#include "ingestion/cli/settings.hpp"
#include "ingestion/cli/web_documents.hpp"
#include "ingestion/documents/api/routes.hpp"
#include "ingestion/documents/door.hpp"
#include "ingestion/ingest/api/events.hpp"
#include "ingestion/ingest/api/routes.hpp"
#include "ingestion/ingest/api/upload_sink.hpp"
#include "ingestion/ingest/watch_folder.hpp"
#include "ingestion/workflows/paper/api/routes.hpp"

namespace belay::cli {

namespace {

// What is no setting of ours, such as TESSDATA_PREFIX, is still in the environment.
Environment with_process(std::map<std::string, std::string> settings) {
    return [settings = std::move(settings)](const std::string& name) {
        const auto found = settings.find(name);
        return found == settings.end() ? process_environment(name) : std::optional(found->second);
    };
}

Environment only(std::map<std::string, std::string> settings) {
    return [settings = std::move(settings)](const std::string& name) {
        const auto found = settings.find(name);
        return found == settings.end() ? std::nullopt : std::optional(found->second);
    };
}

IngestingOptions options_of(const BundleParts& parts, const IngestionSettings& settings) {
    IngestingOptions out;
    out.objects = value_of(parts.settings, "objects");
    if (parts.is_shared) out.shared_store = parts.store;
    out.classifier = settings.classifier;
    out.workers_ai_account = settings.workers_ai_account;
    out.workers_ai_token = settings.workers_ai_token;
    out.workers_ai_url = settings.workers_ai_url;
    out.paper = with_process(settings.paper);
    return out;
}

std::uint64_t upload_bytes_max(const BundleParts& parts) {
    return parse_bytes(value_of(parts.settings, "max-upload")).value_or(0);
}

// Refused before anything has begun, and not when the server is up.
ingest::WatchOptions watch_options(const BundleParts& parts, const IngestionSettings& settings) {
    ingest::WatchOptions out;
    if (settings.watch.empty()) return out;
    out.folder = settings.watch;
    if (const auto problem = ingest::watch_problem(out.folder); !problem.empty())
        refuse_setting(parts.settings, "watch", fmt::format("a folder to watch: {}", problem));
    out.workflow_type = settings.watch_type;
    out.organization_id = settings.watch_organization;
    out.bytes_max = upload_bytes_max(parts);
    return out;
}

Metric::Sample plain_sample(double value) { return {{}, value}; }

// How busy the helper is.
std::vector<Metric> helper_metrics(Ingesting& ingesting, const env::Clock& clock) {
    const auto entries = ingesting.pool().turns().entries();
    std::array<std::array<int, 2>, isolate::kAllJobKinds.size()> counts{};
    Duration longest{0};
    const Time now = clock.now();
    for (const auto& entry : entries) {
        ++counts[static_cast<std::size_t>(entry.asker.kind)][entry.waits ? 1 : 0];
        if (entry.waits) longest = std::max(longest, now - entry.since);
    }
    Metric jobs{"belay_helper_jobs",
                "Steps and pictures that have a turn at the helper, or wait for one.",
                "gauge",
                {}};
    for (const auto kind : isolate::kAllJobKinds) {
        for (const bool waits : {false, true}) {
            jobs.samples.push_back(
                {{{"kind", std::string(to_string(kind))},
                  {"status", waits ? "waiting" : "working"}},
                 static_cast<double>(counts[static_cast<std::size_t>(kind)][waits ? 1 : 0])});
        }
    }
    return {std::move(jobs),
            {"belay_helper_wait_seconds",
             "How long the longest of them has waited.",
             "gauge",
             {plain_sample(std::chrono::duration<double>(longest).count())}},
            {"belay_helper_peak_bytes",
             "The most memory that a job of the helper has had.",
             "gauge",
             {plain_sample(static_cast<double>(ingesting.pool().peak_bytes()))}}};
}

// What object stores told and is not done.
Metric inbox_metric(Engine& engine) {
    const ingest::InboxCounts counts = ingest::count_inbox(ingest::ask_engine(engine));
    Metric messages{"belay_inbox_messages",
                    "Notifications of objects that are not done: being handled, waiting for the "
                    "object store, or dead.",
                    "gauge",
                    {}};
    const auto count = [&](const char* status, std::int64_t many) {
        messages.samples.push_back({{{"status", status}}, static_cast<double>(many)});
    };
    count("waiting", counts.waiting - counts.waiting_for_store);
    count("waiting_for_store", counts.waiting_for_store);
    count("dead", counts.dead);
    return messages;
}

// What is kept of files, pages' pictures among them. Looked up once a minute: it reads every row.
class StoredBytes {
public:
    StoredBytes(Engine& engine, const env::Clock& clock) : engine_(engine), clock_(clock) {}

    std::vector<Metric> metrics() {
        const std::lock_guard lock(mutex_);
        if (!at_ || clock_.now() - *at_ >= std::chrono::minutes{1}) look();
        Metric objects{
            "belay_stored_objects", "Objects that files name, by what they are.", "gauge", {}};
        Metric bytes{"belay_stored_bytes", "Their bytes.", "gauge", {}};
        for (std::size_t i = 0; i < kKinds.size(); ++i) {
            objects.samples.push_back(
                {{{"kind", kKinds[i]}}, static_cast<double>(kinds_[i].objects)});
            bytes.samples.push_back({{{"kind", kKinds[i]}}, static_cast<double>(kinds_[i].bytes)});
        }
        return {std::move(objects), std::move(bytes)};
    }

private:
    static inline const std::array<std::string, 2> kKinds{"upload", "page"};
    struct Kind {
        std::int64_t objects = 0, bytes = 0;
    };

    // Files of two types may share an object.
    void look() {
        kinds_ = {};
        for (const SqlRow row : engine_.query(
                 "SELECT is_page, count(*), CAST(coalesce(sum(size), 0) AS BIGINT) FROM (SELECT "
                 "max(CASE WHEN "
                 "file_type = 'pdf_page' THEN 1 ELSE 0 END) AS is_page, max(original_file_size) AS "
                 "size FROM unified_files WHERE deleted_at IS NULL AND original_file_size > 0 "
                 "GROUP "
                 "BY object_key) AS objects GROUP BY is_page"))
            kinds_[row.get<std::int64_t>(0) != 0 ? 1 : 0] = {row.get<std::int64_t>(1),
                                                             row.get<std::int64_t>(2)};
        at_ = clock_.now();
    }

    Engine& engine_;
    const env::Clock& clock_;
    std::mutex mutex_;
    std::optional<Time> at_{};
    std::array<Kind, 2> kinds_{};
};

class Ingestion final : public ServedBundle, public app::RouteAdder, public app::WaitTeller {
public:
    Ingestion(const BundleParts& parts, const IngestionSettings& settings)
        : engine_(parts.engine), models_url_(settings.workers_ai_url),
          files_(parts.data_folder, clock_, options_of(parts, settings)),
          web_(files_.object_store(), files_.pool(), clock_, only(settings.web),
               web_options(only(settings.web))),
          sink_(files_.object_store(), upload_bytes_max(parts)), stored_(parts.engine, clock_),
          watch_(watch_options(parts, settings)) {
        files_.define(engine_);
        web_.define(engine_);
        parts.on_request(std::string(ingest::kInboxRequest), ingest::inbox_request);
        parts.on_request(
            std::string(kCardsRequest),
            [match = match_settings(files_.paper().options)](Tx& tx, const std::string& request) {
                return card_request(tx, request, match);
            });
        parts.on_request(std::string(documents::kRememberRequest), documents::remember_request);
    }

    UploadSink* uploads() override { return &sink_; }

    void add_routes(api::Routes& routes) override {
        ingest::add_ingest_routes(routes, files_.uploads());
        ingest::add_event_routes(routes, files_.inbox());
        workflows::add_paper_routes(routes, files_.paper(), files_.uploads(),
                                    workflows::ledgers_of(engine_));
        documents::add_document_routes(routes, {engine_, web_.object_store(), web_.search()});
    }

    std::set<std::string> waiting_runs(const std::string& organization) override {
        return workflows::runs_without_turn(files_.paper(), organization);
    }

    void started(std::function<void(std::string_view line)> log) override {
        if (!watch_.folder.empty()) {
            watched_ = std::make_unique<ingest::WatchFolder>(files_.uploads(), clock_, watch_, log);
            watched_->start();
        }
        files_.start_inbox(std::move(log));
    }
    void stopping() override {
        watched_.reset();
        files_.stop_inbox();
    }

    std::vector<Metric> metrics() override {
        std::vector<Metric> all = helper_metrics(files_, clock_);
        all.push_back(inbox_metric(engine_));
        for (Metric& metric : stored_.metrics()) all.push_back(std::move(metric));
        return all;
    }
    std::vector<std::pair<std::string, std::string>> hidden() const override {
        return {{models_url_, "(the model's server)"}};
    }

    std::string try_first(const std::string& url) const override {
        return fmt::format(
            "  curl -F files=@photo.jpg -F workflow_type=image {0}/ingest/upload\n"
            "  curl {0}/api/uploads\n"
            "  curl {0}/api/documents -d '{{\"url\": \"https://example.org/\"}}' "
            "-H 'Content-Type: application/json'\n  curl '{0}/api/search?q=example'\n",
            url);
    }
    std::optional<std::string> warning() const override { return files_.helper_problem(); }

private:
    Engine& engine_;
    env::SystemClock clock_;
    const std::string models_url_;
    Ingesting files_;
    WebDocuments web_;
    ingest::ObjectSink sink_;
    StoredBytes stored_;
    const ingest::WatchOptions watch_;
    std::unique_ptr<ingest::WatchFolder> watched_;  // while the engine runs
};

}  // namespace

void IngestionBundle::add_commands(CLI::App& app, Session& session) { add_ingestion(app, session); }

std::vector<Setting> IngestionBundle::settings() const { return ingestion_settings(); }

std::vector<std::string> IngestionBundle::views() const {
    return {"uploads", "papers", "statements", "documents"};
}

std::unique_ptr<ServedBundle> IngestionBundle::serve(const BundleParts& parts) {
    if (parts.data_folder.empty()) return nullptr;
    return std::make_unique<Ingestion>(parts, ingestion_settings_of(parts.settings));
}

}  // namespace belay::cli

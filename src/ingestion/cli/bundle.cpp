#include "ingestion/cli/bundle.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>

#include <fmt/format.h>

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

IngestingOptions options_of(const app::ServiceParts& parts, const IngestionSettings& settings) {
    IngestingOptions out;
    out.objects = parts.place.objects.empty() ? parts.options.objects : parts.place.objects;
    if (!parts.place.address.empty()) out.shared_store = shown(parts.place);
    out.classifier = settings.classifier;
    out.workers_ai_account = settings.workers_ai_account;
    out.workers_ai_token = settings.workers_ai_token;
    out.workers_ai_url = settings.workers_ai_url;
    out.paper = with_process(settings.paper);
    return out;
}

// Refused before anything has begun, and not when the server is up.
ingest::WatchOptions watch_options(const app::ServiceParts& parts,
                                   const IngestionSettings& settings) {
    ingest::WatchOptions out;
    if (settings.watch.empty()) return out;
    out.folder = settings.watch;
    if (const auto problem = ingest::watch_problem(out.folder); !problem.empty())
        refuse_setting(parts.options.given, "watch", fmt::format("a folder to watch: {}", problem));
    out.workflow_type = settings.watch_type;
    out.organization_id = settings.watch_organization;
    out.bytes_max = parts.options.max_upload_bytes;
    return out;
}

// How busy the helper is.
void collect_helper(Ingesting& ingesting, const env::Clock& clock, api::MetricsText& out) {
    const auto entries = ingesting.pool().turns().entries();
    std::array<std::array<int, 2>, isolate::kAllJobKinds.size()> counts{};
    Duration longest{0};
    const Time now = clock.now();
    for (const auto& entry : entries) {
        ++counts[static_cast<std::size_t>(entry.asker.kind)][entry.waits ? 1 : 0];
        if (entry.waits) longest = std::max(longest, now - entry.since);
    }
    out.family("belay_helper_jobs", "gauge",
               "Steps and pictures that have a turn at the helper, or wait for one.");
    for (const auto kind : isolate::kAllJobKinds) {
        for (const bool waits : {false, true}) {
            out.sample(
                "belay_helper_jobs",
                {{"kind", std::string(to_string(kind))}, {"status", waits ? "waiting" : "working"}},
                counts[static_cast<std::size_t>(kind)][waits ? 1 : 0]);
        }
    }
    out.gauge("belay_helper_wait_seconds", "How long the longest of them has waited.",
              std::chrono::duration<double>(longest).count());
    out.gauge("belay_helper_peak_bytes", "The most memory that a job of the helper has had.",
              static_cast<double>(ingesting.pool().peak_bytes()));
}

// What object stores told and is not done.
void collect_inbox(Engine& engine, api::MetricsText& out) {
    const ingest::InboxCounts counts = ingest::count_inbox(ingest::ask_engine(engine));
    out.family("belay_inbox_messages", "gauge",
               "Notifications of objects that are not done: being handled, waiting for the object "
               "store, or dead.");
    const auto count = [&](const char* status, std::int64_t messages) {
        out.sample("belay_inbox_messages", {{"status", status}}, static_cast<double>(messages));
    };
    count("waiting", counts.waiting - counts.waiting_for_store);
    count("waiting_for_store", counts.waiting_for_store);
    count("dead", counts.dead);
}

// What is kept of files, pages' pictures among them. Looked up once a minute: it reads every row.
class StoredBytes {
public:
    StoredBytes(Engine& engine, const env::Clock& clock) : engine_(engine), clock_(clock) {}

    void collect(api::MetricsText& out) {
        const std::lock_guard lock(mutex_);
        if (!at_ || clock_.now() - *at_ >= std::chrono::minutes{1}) look();
        out.family("belay_stored_objects", "gauge", "Objects that files name, by what they are.");
        for (std::size_t i = 0; i < kKinds.size(); ++i)
            out.sample("belay_stored_objects", {{"kind", kKinds[i]}},
                       static_cast<double>(kinds_[i].objects));
        out.family("belay_stored_bytes", "gauge", "Their bytes.");
        for (std::size_t i = 0; i < kKinds.size(); ++i)
            out.sample("belay_stored_bytes", {{"kind", kKinds[i]}},
                       static_cast<double>(kinds_[i].bytes));
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

class Ingestion final : public app::Service {
public:
    Ingestion(const app::ServiceParts& parts, const IngestionSettings& settings)
        : engine_(parts.engine), clock_(parts.clock), models_url_(settings.workers_ai_url),
          files_(parts.place.data_folder, parts.clock, options_of(parts, settings)),
          web_(files_.object_store(), files_.pool(), parts.clock, only(settings.web),
               web_options(only(settings.web))),
          sink_(files_.object_store(), parts.options.max_upload_bytes),
          stored_(parts.engine, parts.clock),
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

    api::UploadSink* uploads() override { return &sink_; }

    void add_routes(api::Routes& routes) override {
        ingest::add_ingest_routes(routes, files_.uploads());
        ingest::add_event_routes(routes, files_.inbox());
        workflows::add_paper_routes(routes, files_.paper(), files_.uploads(),
                                    workflows::ledgers_of(engine_));
        documents::add_document_routes(routes, {engine_, web_.object_store(), web_.search()});
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

    void collect(api::MetricsText& out) override {
        collect_helper(files_, clock_, out);
        collect_inbox(engine_, out);
        stored_.collect(out);
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
    const env::Clock& clock_;
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

Settings IngestionBundle::settings() const { return ingestion_settings(); }

std::vector<std::string> IngestionBundle::views() const {
    return {"uploads", "papers", "statements", "documents"};
}

std::unique_ptr<app::Service> IngestionBundle::serve(const app::ServiceParts& parts) {
    if (parts.place.data_folder.empty()) return nullptr;
    return std::make_unique<Ingestion>(parts, ingestion_settings_of(parts.options.given));
}

}  // namespace belay::cli

#include "ingestion/cli/serving.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "ingestion/cli/card_requests.hpp"
#include "ingestion/documents/api/routes.hpp"
#include "ingestion/documents/door.hpp"
#include "ingestion/ingest/api/events.hpp"
#include "ingestion/ingest/api/routes.hpp"
#include "ingestion/ingest/api/upload_sink.hpp"
#include "ingestion/workflows/paper/api/routes.hpp"
#include "service/approvals/api/routes.hpp"
#include "service/approvals/approval.hpp"
#include "service/page/page.hpp"

namespace belay::cli {

void register_workflows(Serving& serving) {
    if (!serving.webhook.url.empty()) {
        serving.core.on_run_end(webhooks::tell_end);
        webhooks::define_webhook(serving.engine, serving.webhook, serving.client, serving.clock);
    }
    approvals::define_approval(serving.engine);
    serving.core.on_request(std::string(approvals::kApprovalsRequest), approvals::approval_request);
    // With a bare database file there is no folder that files belong in.
    if (serving.place.data_folder.empty()) return;
    serving.ingesting = std::make_unique<Ingesting>(serving.place.data_folder, serving.clock,
                                                    serving.ingesting_options);
    serving.ingesting->define(serving.engine);
    serving.core.on_request(std::string(ingest::kInboxRequest), ingest::inbox_request);
    serving.core.on_request(
        std::string(kCardsRequest),
        [settings = match_settings(serving.ingesting->paper().options)](
            Tx& tx, const std::string& request) { return card_request(tx, request, settings); });
    serving.core.on_request(std::string(documents::kRememberRequest), documents::remember_request);
    const Environment web = [&](const std::string& name) {
        const auto found = serving.web_settings.find(name);
        return found == serving.web_settings.end() ? std::nullopt : std::optional(found->second);
    };
    serving.web =
        std::make_unique<WebDocuments>(serving.ingesting->object_store(), serving.ingesting->pool(),
                                       serving.clock, web, web_options(web));
    serving.web->define(serving.engine);
}

std::unique_ptr<api::UploadSink> make_upload_sink(Serving& serving) {
    if (!serving.ingesting) return nullptr;
    return std::make_unique<ingest::ObjectSink>(serving.ingesting->object_store(),
                                                serving.upload_bytes_max);
}

const api::StaticFiles* web_files() { return page::files(); }

void collect_helper(Serving& serving, api::MetricsText& out) {
    if (!serving.ingesting) return;
    const auto entries = serving.ingesting->pool().turns().entries();
    std::array<std::array<int, 2>, isolate::kAllJobKinds.size()> counts{};
    Duration longest{0};
    const Time now = serving.clock.now();
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
              static_cast<double>(serving.ingesting->pool().peak_bytes()));
}

void register_routes(Serving& serving, api::Api& api) {
    approvals::add_approval_routes(api.routes(), serving.engine);
    if (!serving.ingesting) return;
    ingest::add_ingest_routes(api.routes(), serving.ingesting->uploads());
    ingest::add_event_routes(api.routes(), serving.ingesting->inbox());
    workflows::add_paper_routes(api.routes(), serving.ingesting->paper(),
                                serving.ingesting->uploads());
    if (serving.web) {
        documents::add_document_routes(
            api.routes(), {serving.engine, serving.web->object_store(), serving.web->search()});
    }
}

}  // namespace belay::cli

// serving.hpp — what `belay serve` is put together from: the one place where rooms meet on the server.
//
// A room that brings workflows, routes, uploads or the page is named here and nowhere else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <belay/engine.hpp>

#include "core/env/clock.hpp"
#include "core/library/host.hpp"
#include "ingestion/cli/ingesting.hpp"
#include "ingestion/cli/web_documents.hpp"
#include "service/api/api.hpp"
#include "service/api/event_feed.hpp"
#include "service/api/metrics.hpp"
#include "service/api/static_files.hpp"
#include "service/api/tables.hpp"
#include "service/api/upload.hpp"
#include "service/cli/place.hpp"
#include "service/http/client.hpp"
#include "service/webhooks/webhook.hpp"

namespace belay::cli {

// What there is to build on, in the order in which it is made.
struct Serving {
    Place place;  // data_folder is where files belong; empty if only a database was named
    const env::Clock& clock;
    engine::Core& core;
    Engine& engine;
    api::Tables& tables;
    api::EventRing& events;  // publish(organization, type, json) reaches every watcher
    std::uint64_t upload_bytes_max;
    IngestingOptions ingesting_options;
    webhooks::WebhookOptions webhook;  // none if its url is empty
    http::Client& client;              // for addresses that the owner of this machine configured
    // Made by register_workflows, and destroyed after the engine; null without a data folder.
    std::unique_ptr<Ingesting>& ingesting;
    std::unique_ptr<WebDocuments>& web;  // the same
    const std::map<std::string, std::string>& web_settings;
};

// Workflows and migrations. Called before the engine starts.
void register_workflows(Serving& serving);

// Where uploaded files go; null: this server takes none. Lives as long as the server.
std::unique_ptr<api::UploadSink> make_upload_sink(Serving& serving);

// The page; null: there is none.
const api::StaticFiles* web_files();

// How busy the helper is, for whoever scrapes.
void collect_helper(Serving& serving, api::MetricsText& out);

// Routes beside those of api/runs.hpp and api/ops.hpp. Called before the server listens.
void register_routes(Serving& serving, api::Api& api);

}  // namespace belay::cli

// web_documents.hpp — what web documents need: the way to the web, the models, the search index.
//
// Lives longer than the engine, whose steps use it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <belay/engine.hpp>

#include "core/env/clock.hpp"
#include "core/env/pause.hpp"
#include "ingestion/cli/models.hpp"
#include "ingestion/documents/search.hpp"
#include "ingestion/isolate/pool.hpp"
#include "ingestion/objects/store.hpp"
#include "ingestion/web/source/http_source.hpp"
#include "ingestion/web/source/sanity_source.hpp"
#include "ingestion/workflows/web_document/fetch_document.hpp"
#include "service/cli/place.hpp"
#include "service/http/curl_client.hpp"

namespace belay::cli {

struct WebOptions {
    // Networks that may be fetched from although they are private ("127.0.0.1", "10.0.0.0/8"); their hosts are ours,
    // and are asked as fast as they answer.
    std::vector<std::string> allow{};
    bool obey_robots = true;
    Duration interval = std::chrono::milliseconds{500};  // between two requests to one host
    std::function<void(const std::string& document_id, std::string_view phase)> on_phase{};
    int fetches_at_once = 8;  // each has a thread of the pool while it fetches
    Duration model_patience = ai::kModelPatience;
};

// BELAY_SANITY_TOKEN is sent to Sanity, for documents that are not public.
// BELAY_FETCH_ALLOW (networks, separated by commas), BELAY_FETCH_INTERVAL ("500ms"), BELAY_FETCH_ROBOTS ("off").
// Throws Error{InvalidArgument} naming the variable.
WebOptions web_options(const Environment& environment);

class WebDocuments {
public:
    // All of them outlive this; `papers` reads the PDFs of the web.
    WebDocuments(objects::Store& objects, isolate::Pool& papers, const env::Clock& clock,
                 const Environment& environment, WebOptions options);

    // Tables and workflows. Once, before the engine starts; `engine` must not be used by this after it is gone.
    void define(Engine& engine);

    documents::SearchIndex& search() { return *search_; }
    web::source::HttpSource& source() { return source_; }
    ai::embed::Embedder& embedder() { return *embedder_; }
    objects::Store& object_store() { return objects_; }

private:
    objects::Store& objects_;
    WebOptions options_;
    env::SystemPause pause_;
    isolate::Pool texts_;      // started when the first page is read
    http::CurlClient client_;  // to the web: public addresses, and those that are allowed
    http::CurlClient models_;  // to what the owner of this machine configured
    web::source::HttpSource source_;
    web::source::SanitySource sanity_;
    std::unique_ptr<ai::embed::Embedder> embedder_;
    std::unique_ptr<ai::Extractor> extractor_;
    std::unique_ptr<workflows::FactsReader> facts_;
    std::unique_ptr<documents::SearchIndex> search_;
};

}  // namespace belay::cli

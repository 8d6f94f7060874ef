// fetch_document.hpp — FETCH_DOCUMENT and FETCH_AND_INDEX: a web address becomes a document that can be searched.
//
//   resolve_document     by id, else by address, else new; a small checkpoint
//   fetch_content        the page, as an article, in an immutable object; a conditional request if it is here
//   generate_embedding   the model is asked once for a text, however often the run is picked up
//   save_document        row, searched text, embedding and fingerprint in the transaction of the stage
//   extract_links        optional: its failure is recorded and fails nothing
//
// FETCH_AND_INDEX runs that as a child, then extract_metadata. Each is a checkpoint of its own: what failed is tried
// again, what is recorded is not. (Specification 001.)
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <boost/describe.hpp>

#include <belay/engine.hpp>

#include "ingestion/ai/embed/embedder.hpp"
#include "ingestion/ai/patience.hpp"
#include "ingestion/documents/door.hpp"
#include "ingestion/objects/store.hpp"
#include "ingestion/web/source/source.hpp"
#include "ingestion/workflows/web_document/facts_reader.hpp"

namespace belay::workflows {

struct PageMetadata {
    std::string title{};
    std::string author{};
    std::string date{};
    std::string description{};
    std::string fingerprint{};
};
BOOST_DESCRIBE_STRUCT(PageMetadata, (), (title, author, date, description, fingerprint))

// The result of FETCH_DOCUMENT.
struct FetchResult {
    std::string document_id{};
    std::string url{};
    std::string status{};    // FETCHED
    bool unchanged = false;  // it says what it said before
    std::int64_t content_length = 0;
    std::string content_path{};
    std::int64_t embedding_dims = 0;
    bool indexed = false;                           // extract_metadata has seen this text
    std::optional<std::int64_t> links_extracted{};  // nothing: that step failed
    PageMetadata metadata{};
};
BOOST_DESCRIBE_STRUCT(FetchResult, (),
                      (document_id, url, status, unchanged, content_length, content_path,
                       embedding_dims, indexed, links_extracted, metadata))

// The result of FETCH_AND_INDEX.
struct IndexResult {
    std::string document_id{};
    std::optional<FetchResult> fetched{};
    bool skipped = false;  // this text was indexed before
    std::string model{};
    ai::metadata::Facts facts{};
};
BOOST_DESCRIBE_STRUCT(IndexResult, (), (document_id, fetched, skipped, model, facts))

// What the steps use; all of it outlives the engine's work.
struct WebServices {
    Engine& engine;
    objects::Store& object_store;
    web::source::Source& web;
    ai::embed::Embedder& embedder;
    FactsReader& facts;
    // Sources of documents with a cms_platform, by its name.
    std::map<std::string, web::source::Source*> cms{};
    // Told when a document got to "fetched", "embedded", "saved", "links", "indexed": for progress displays. Called on
    // the step's thread, before the stage is durable.
    std::function<void(const std::string& document_id, std::string_view phase)> on_phase{};
    // Of one worker; a thread of the pool each while they fetch, so fewer than it has.
    int fetches_at_once = 8;
    Duration model_patience = ai::kModelPatience;
};

// Before Engine::start. The tables are those of documents::migrations().
void define_web_documents(WebServices services);

// What of an article is embedded.
std::string text_to_embed(const media::Article& article);

}  // namespace belay::workflows

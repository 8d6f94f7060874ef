// door.hpp — an address becomes a document and a run, in one transaction.
//
// Whoever asks for a page (the API, a command) comes through here. A document that is being fetched is joined;
// one that was fetched is not fetched again unless that is asked for, and then only if the server says it changed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include <belay/engine.hpp>

namespace belay::documents {

inline constexpr std::string_view kFetchDocument = "FETCH_DOCUMENT";
inline constexpr std::string_view kFetchAndIndex = "FETCH_AND_INDEX";

// Where fetches wait for their turn: partitioned by host, so that a thousand pages of one site do not keep back the one
// page of another. How fast a host is asked is up to web/source/host_gate.hpp.
inline constexpr std::string_view kFetchQueue = "web_documents";
// The partition of an address: its host, or the content system's name.
std::string partition_of(const std::string& url);

struct FetchRequest {
    std::string url{};
    bool index = false;              // also extract_metadata
    bool refetch = false;            // also what is here already
    std::string source_channel{};    // "api", "cli": for people
    std::string discovery_method{};  // "sitemap", "link"; empty: it was given
    std::string discovery_url{};
};

// The input of both workflows. `url` or `document_id` says which document.
struct FetchInput {
    std::string document_id{};
    std::string url{};
    bool refetch = false;  // false: a FETCHED document with text is left as it is
    bool extract_links = true;
    bool fetch = true;           // FETCH_AND_INDEX: false reads the text that is here
    std::string content_hash{};  // … and this says which
    bool force = false;          // extract_metadata also of a text that was indexed before
};
BOOST_DESCRIBE_STRUCT(FetchInput, (),
                      (document_id, url, refetch, extract_links, fetch, content_hash, force))

struct Requested {
    std::string document_id{};
    std::string url{};
    std::string workflow_run_id{};
    std::string workflow_key{};
    std::string status{};    // the document's ingestion_status before the run
    bool duplicate = false;  // no run was started: one is under way, or the document is here
};
BOOST_DESCRIBE_STRUCT(Requested, (),
                      (document_id, url, workflow_run_id, workflow_key, status, duplicate))

// One answer for each request, in order. Durable when it returns. Throws Error{InvalidArgument} for an address
// that is none: then nothing was started. As Engine::transact otherwise.
std::vector<Requested> request_documents(Engine& engine, const std::string& organization_id,
                                         const std::vector<FetchRequest>& requests);

// One of them as part of a transaction.
Requested request_document(Tx& tx, const std::string& organization_id, const FetchRequest& request);

// Keeps addresses as documents that are NOT_FETCHED, without a run; gives how many are new.
std::int64_t remember_documents(Engine& engine, const std::string& organization_id,
                                const std::vector<FetchRequest>& requests);

// The same asked by another process: the kind of a control request whose payload is a RememberRequest.
inline constexpr std::string_view kRememberRequest = "documents";
struct RememberRequest {
    std::string organization_id{};
    std::vector<std::string> urls{};  // a few hundred at most: it is one transaction
    std::string discovery_method{};
    std::string discovery_url{};
};
BOOST_DESCRIBE_STRUCT(RememberRequest, (), (organization_id, urls, discovery_method, discovery_url))
std::string remember_request(Tx& tx, const std::string& request);

// Runs extract_metadata alone on documents that are here; those without a text are left out of the answer.
std::vector<Requested> request_indexing(Engine& engine, const std::string& organization_id,
                                        const std::vector<std::string>& document_ids, bool force);

}  // namespace belay::documents

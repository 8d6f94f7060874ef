#include "ingestion/documents/door.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "ingestion/documents/address.hpp"
#include "ingestion/documents/document.hpp"
#include "ingestion/documents/writes.hpp"
#include "ingestion/web/url.hpp"

namespace belay::documents {

namespace {

// In one transaction: more would hold up everybody else's commits.
constexpr std::size_t kRequestsAtOnce = 200;

struct Known {
    std::string status{};
    std::int64_t fetches = 0;
    std::optional<std::string> active_run_id{};
    std::string workflow_run_id{};
    std::string content_hash{};  // empty: it has no text
    bool is_indexed = false;
    bool has_text() const { return !content_hash.empty(); }
};

Known known(Tx& tx, const std::string& id) {
    const SqlRows rows = tx.query(
        "SELECT ingestion_status, fetches, active_run_id, workflow_run_id, "
        "coalesce(content_hash, ''), "
        "coalesce(indexed_with_hash, '') = coalesce(content_hash, ' ') "
        "FROM documents WHERE id = ?",
        id);
    return Known{rows[0].get<std::string>(0),
                 rows[0].get<std::int64_t>(1),
                 rows[0].get<std::optional<std::string>>(2),
                 rows[0].get<std::string>(3),
                 rows[0].get<std::string>(4),
                 rows[0].get<bool>(5)};
}

Address address_of(const std::string& url) {
    auto address = read_address(url);
    if (!address) throw Error(ErrorCode::InvalidArgument, no_address(url));
    return *std::move(address);
}

// One run of a document: its number makes the id, so that no two transactions start the same one twice.
std::string begin(Tx& tx, const std::string& organization_id, const Known& document,
                  const FetchInput& input, std::string_view workflow, const std::string& channel) {
    const bool indexes = workflow == kFetchAndIndex;
    SubmitOptions options;
    options.id = fmt::format("{}_{}_{}", indexes ? "index" : "fetch", input.document_id,
                             document.fetches + 1);
    options.organization_id = organization_id;
    options.source_channel = channel;
    // A run that only indexes, or whose child does the fetching, has no host to be polite to.
    if (!indexes) {
        options.queue = kFetchQueue;
        options.partition = partition_of(input.url);
    }
    tx.submit(workflow, input, options);
    tx.exec(
        "UPDATE documents SET fetches = fetches + 1, active_run_id = ?, workflow_run_id = ?, "
        "updated_at = ? WHERE id = ?",
        options.id, options.id, tx.now(), input.document_id);
    return options.id;
}

std::string_view key_of(std::string_view run_id) {
    return run_id.starts_with("index_") ? kFetchAndIndex : kFetchDocument;
}

Requested joined(const std::string& id, const std::string& url, const Known& document) {
    const std::string run = document.active_run_id.value_or(document.workflow_run_id);
    return {id, url, run, std::string(key_of(run)), document.status, true};
}

template <class Item, class F>
void in_pieces(Engine& engine, const std::vector<Item>& items, std::vector<Requested>& out, F one) {
    for (std::size_t from = 0; from < items.size(); from += kRequestsAtOnce) {
        const std::size_t count = std::min(kRequestsAtOnce, items.size() - from);
        const std::span<const Item> piece(items.data() + from, count);
        const auto answers = engine.transact([&](Tx& tx) {
            std::vector<Requested> done;
            for (const Item& item : piece) {
                if (auto answer = one(tx, item)) done.push_back(*std::move(answer));
            }
            return done;
        });
        out.insert(out.end(), answers.begin(), answers.end());
    }
}

}  // namespace

std::string partition_of(const std::string& url) {
    const auto parts = web::parse_url(url);
    return parts ? parts->host : std::string();
}

Requested request_document(Tx& tx, const std::string& organization_id,
                           const FetchRequest& request) {
    const Address address = address_of(request.url);
    const std::string& url = address.url;
    const std::string id = document_id(organization_id, url);
    insert_document(tx, organization_id, address, request.discovery_method, request.discovery_url);
    const Known document = known(tx, id);
    const bool wants_fetch = request.refetch || !document.has_text() || document.status == "ERROR";
    const bool wants_index = request.index && (wants_fetch || !document.is_indexed);
    if (document.active_run_id || (!wants_fetch && !wants_index)) return joined(id, url, document);
    FetchInput input;
    input.document_id = id;
    input.url = url;
    input.refetch = document.has_text() && wants_fetch;
    input.fetch = wants_fetch;
    if (!wants_fetch) input.content_hash = document.content_hash;
    const std::string_view workflow = request.index ? kFetchAndIndex : kFetchDocument;
    const std::string run =
        begin(tx, organization_id, document, input, workflow, request.source_channel);
    return {id, url, run, std::string(workflow), document.status, false};
}

std::vector<Requested> request_documents(Engine& engine, const std::string& organization_id,
                                         const std::vector<FetchRequest>& requests) {
    for (const FetchRequest& request : requests) address_of(request.url);
    std::vector<Requested> out;
    in_pieces(engine, requests, out, [&](Tx& tx, const FetchRequest& request) {
        return std::optional(request_document(tx, organization_id, request));
    });
    return out;
}

std::int64_t remember_documents(Engine& engine, const std::string& organization_id,
                                const std::vector<FetchRequest>& requests) {
    for (const FetchRequest& request : requests) address_of(request.url);
    std::vector<Requested> fresh;
    in_pieces(engine, requests, fresh, [&](Tx& tx, const FetchRequest& request) {
        const Address address = address_of(request.url);
        std::optional<Requested> answer;
        if (insert_document(tx, organization_id, address, request.discovery_method,
                            request.discovery_url)) {
            answer = Requested{document_id(organization_id, address.url),
                               address.url,
                               "",
                               "",
                               "NOT_FETCHED",
                               false};
        }
        return answer;
    });
    return static_cast<std::int64_t>(fresh.size());
}

std::string remember_request(Tx& tx, const std::string& text) {
    const auto request = from_json<RememberRequest>(text);
    std::int64_t fresh = 0;
    for (const std::string& url : request.urls) {
        if (insert_document(tx, request.organization_id, address_of(url), request.discovery_method,
                            request.discovery_url))
            ++fresh;
    }
    return std::to_string(fresh);
}

std::vector<Requested> request_indexing(Engine& engine, const std::string& organization_id,
                                        const std::vector<std::string>& document_ids, bool force) {
    std::vector<Requested> out;
    in_pieces(engine, document_ids, out, [&](Tx& tx, const std::string& id) {
        const auto url = tx.value<std::string>(
            "SELECT source_url FROM documents WHERE id = ? AND organization_id = ? AND "
            "content_hash IS NOT NULL",
            id, organization_id);
        if (!url) return std::optional<Requested>{};
        const Known document = known(tx, id);
        if (document.active_run_id || (document.is_indexed && !force))
            return std::optional(joined(id, *url, document));
        FetchInput input;
        input.document_id = id;
        input.url = *url;
        input.fetch = false;
        input.content_hash = document.content_hash;
        input.force = force;
        const std::string run =
            begin(tx, organization_id, document, input, kFetchAndIndex, "index");
        return std::optional(
            Requested{id, *url, run, std::string(kFetchAndIndex), document.status, false});
    });
    return out;
}

}  // namespace belay::documents

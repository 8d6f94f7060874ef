#include "ingestion/workflows/web_document/fetch_document.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <belay/belay.hpp>
#include <belay/cache.hpp>
#include <belay/cost.hpp>
#include <belay/skip.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/ai/price.hpp"
#include "ingestion/ai/spending.hpp"
#include "ingestion/documents/content.hpp"
#include "ingestion/documents/document.hpp"
#include "ingestion/documents/replaced.hpp"
#include "ingestion/documents/writes.hpp"
#include "ingestion/web/links.hpp"

namespace belay::workflows {

namespace {

using namespace std::chrono_literals;
using documents::ContentRef;
using documents::FetchInput;
using documents::Resolved;

constexpr std::size_t kSearchedBytesMax = 200'000;  // of one document's text
constexpr std::size_t kEmbeddedBytesMax = 16'000;
constexpr std::size_t kExcerptCharsMax = 240;
constexpr std::size_t kTitleCharsMax = 500;
constexpr std::size_t kDescriptionCharsMax = 2'000;

// What fetch_content records: where the text is, not the text.
struct Fetched {
    bool unchanged = false;  // the row says the same already
    ContentRef content{};
    documents::Version version{};
    documents::Description description{};
    std::int64_t bytes = 0;
    std::int64_t embedding_dims =
        0;                 // of the vector that the row has of this text and model; 0: none
    bool indexed = false;  // extract_metadata has seen this text
};
BOOST_DESCRIBE_STRUCT(Fetched, (),
                      (unchanged, content, version, description, bytes, embedding_dims, indexed))

struct Indexed {
    std::string model{};
    ai::metadata::Facts facts{};
};
BOOST_DESCRIBE_STRUCT(Indexed, (), (model, facts))

// Changed with the prompt or the rules: what older ones answered is not an answer any more.
constexpr int kFactsVersion = 1;

void tell(const WebServices& with, const std::string& document_id, std::string_view phase) {
    if (with.on_phase) with.on_phase(document_id, phase);
}

documents::Document row_of(const WebServices& with, const std::string& organization_id,
                           const std::string& document_id) {
    auto row = documents::find_document(documents::Read(with.engine), organization_id, document_id);
    if (!row) throw documents::no_document(document_id);
    return *std::move(row);
}

documents::Description describe(const media::Article& article) {
    documents::Description d;
    d.title = base::truncate(article.title, kTitleCharsMax);
    d.author = base::truncate(article.author, kTitleCharsMax);
    d.published_date = article.date;
    d.site = base::truncate(article.site, kTitleCharsMax);
    d.description = base::truncate(article.description, kDescriptionCharsMax);
    d.language = article.language;
    d.excerpt = base::truncate(article.text, kExcerptCharsMax);
    return d;
}

Fetched as_it_is(const documents::Document& row) {
    Fetched fetched;
    fetched.unchanged = true;
    fetched.content = {row.content_hash.value(), row.content_path.value(),
                       row.content_length.value()};
    fetched.version = {row.final_url, row.content_kind, row.etag, row.last_modified};
    fetched.description = {row.title,       row.author,   row.published_date, row.site,
                           row.description, row.language, row.excerpt};
    fetched.indexed = row.indexed_with_hash == row.content_hash;
    return fetched;
}

web::source::Source& source_of(const WebServices& with, const documents::Document& document) {
    if (document.cms_platform.empty()) return with.web;
    const auto found = with.cms.find(document.cms_platform);
    if (found == with.cms.end()) {
        throw NonRetryable(fmt::format("documents of `{}` cannot be fetched: it is not configured",
                                       document.cms_platform));
    }
    return *found->second;
}

std::int64_t embedding_dims(const WebServices& with, const std::string& document_id,
                            const std::string& content_hash) {
    const SqlRows rows = with.engine.query(
        "SELECT e.dimension FROM embeddings e JOIN documents d ON d.seq = e.document_seq "
        "WHERE d.id = ? AND e.model = ? AND e.content_hash = ?",
        document_id, with.embedder.model(), content_hash);
    return rows.empty() ? 0 : rows[0].get<std::int64_t>(0);
}

void charge(Attempt& attempt, std::string_view counter, Cost cost = {}) {
    attempt.cost(cost.count(counter));
}

// The steps after this one count on the text, which may have been there from an earlier time and be about to go.
void keep_content(const WebServices& with, const std::string& path) {
    const SqlRows rows = with.engine.query("SELECT 1 FROM replaced_contents WHERE path = ?", path);
    if (rows.empty()) return;
    with.engine.transact([&](Tx& tx) { documents::keep_content(tx, path); });
}

Fetched fetch_content(Attempt& attempt, const WebServices* with, const std::string& organization_id,
                      const Resolved& document, bool refetch) {
    const documents::Document row = row_of(*with, organization_id, document.document_id);
    Fetched fetched;
    if (row.content_hash && !refetch) {
        fetched = as_it_is(row);
    } else {
        // Of the row, which this program wrote: what is recorded may have been written by anybody (forks), and an
        // instance becomes the name of a host that is sent a secret.
        web::source::Wanted wanted{
            row.source_url, row.cms_platform, row.cms_instance, row.cms_document_id, {},
            organization_id};
        if (row.content_hash) wanted.known = {row.etag, row.last_modified};
        charge(attempt, "fetches");
        const web::source::Got got = source_of(*with, row).fetch(attempt, wanted);
        if (got.unchanged) {
            fetched = as_it_is(row);
        } else {
            fetched.content =
                documents::put_content(with->object_store, organization_id, got.article);
            keep_content(*with, fetched.content.path);
            fetched.unchanged = row.content_hash == fetched.content.hash;
            fetched.indexed = row.indexed_with_hash == fetched.content.hash;
            fetched.description = describe(got.article);
            fetched.bytes = got.bytes;
        }
        fetched.version = {got.final_url, got.unchanged ? row.content_kind : got.kind,
                           got.version.etag, got.version.last_modified};
    }
    if (fetched.unchanged)
        fetched.embedding_dims = embedding_dims(*with, document.document_id, fetched.content.hash);
    tell(*with, document.document_id, "fetched");
    return fetched;
}

documents::Embedding generate_embedding(Attempt& attempt, const WebServices* with,
                                        const std::string& organization,
                                        const std::string& document_id,
                                        const std::string& content_path) {
    const auto article = documents::get_content(with->object_store, organization, content_path);
    const std::vector<std::string> texts{text_to_embed(article)};
    ai::Spending::take();
    std::vector<ai::embed::Vector> vectors;
    try {
        vectors = with->embedder.embed(texts, attempt.stop_token());
    } catch (...) {
        charge(attempt, "embeddings", ai::Spending::take());
        throw;
    }
    charge(attempt, "embeddings", ai::Spending::take());
    if (vectors.size() != 1 || vectors[0].empty())
        throw std::runtime_error("the model's answer is empty");
    for (const float number : vectors[0]) {
        if (!std::isfinite(number))
            throw std::runtime_error("the model's answer has a number that is none");
    }
    tell(*with, document_id, "embedded");
    return {with->embedder.model(), static_cast<std::int64_t>(vectors[0].size()),
            documents::vector_bytes(vectors[0])};
}

std::string text_to_search(const WebServices& with, const std::string& organization,
                           const Fetched& fetched) {
    if (fetched.unchanged) return {};
    std::string text =
        documents::get_content(with.object_store, organization, fetched.content.path).text;
    if (text.size() > kSearchedBytesMax) {
        text.resize(kSearchedBytesMax);
        text = base::to_valid_utf8(text);
    }
    return text;
}

void save_document(Tx& tx, const std::string& organization, const std::string& document_id,
                   const Fetched& fetched, const documents::Embedding& embedding,
                   const std::string& text) {
    if (fetched.unchanged) {
        documents::save_unchanged(tx, organization, document_id, fetched.version,
                                  fetched.embedding_dims > 0 ? nullptr : &embedding);
    } else {
        documents::save_content(tx, organization, document_id, fetched.content, fetched.version,
                                fetched.description, embedding, text);
    }
}

std::vector<web::PageLink> links_of(const WebServices& with, const std::string& organization,
                                    const Resolved& document, const Fetched& fetched) {
    const auto article =
        documents::get_content(with.object_store, organization, fetched.content.path);
    const std::string& base =
        fetched.version.final_url.empty() ? document.source_url : fetched.version.final_url;
    return web::page_links(article.markdown, base);
}

std::string what_went_wrong(const RunInfo& run) {
    if (run.status == RunStatus::Succeeded) return {};
    if (!run.error.empty()) return run.error;
    return fmt::format("the run is {}", to_string(run.status));
}

// The document of a run, from its input: the row may not exist yet if the run failed at its start.
std::string document_of(const RunInfo& run) {
    const auto input = from_json<FetchInput>(run.input);
    if (!input.document_id.empty()) return input.document_id;
    return documents::document_id_of_address(run.organization_id, input.url);
}

// However it ended: a stage, a cancel, a deadline, a hook.
void release_document(Tx& tx, const RunInfo& run) {
    const std::string error = what_went_wrong(run);
    const bool fetches =
        run.workflow_key == documents::kFetchDocument || from_json<FetchInput>(run.input).fetch;
    const bool is_fetched = error.empty() ? fetches : run.error_stage == "extract_metadata";
    documents::release(tx, run.organization_id, document_of(run), run.id, error, is_fetched);
}

Indexed extract_metadata(Attempt& attempt, const WebServices* with, const std::string& organization,
                         const std::string& document_id, const std::string& url,
                         const std::string& content_path) {
    const auto article = documents::get_content(with->object_store, organization, content_path);
    const ai::metadata::Document document{url, article.title, article.author, article.date,
                                          article.markdown};
    FactsAnswer answer =
        ai::Spending::of([&] { return with->facts.read(document, attempt.stop_token()); },
                         [&](const Cost& spent) { charge(attempt, "extractions", spent); });
    charge(attempt, "extractions", answer.cost);
    tell(*with, document_id, "indexed");
    return {std::move(answer.model), std::move(answer.facts)};
}

bool is_hash(std::string_view text) {
    return text.size() == 64 &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void admit_document(Engine& engine, const std::string& organization, const FetchInput& input) {
    if (input.document_id.empty() && input.url.empty())
        throw NonRetryable("`url` is missing: which document?");
    const documents::Read read(engine);
    if (!input.document_id.empty() &&
        !documents::find_document(read, organization, input.document_id))
        throw documents::no_document(input.document_id);
    if (!input.url.empty() && !documents::read_address(input.url))
        throw NonRetryable(documents::no_address(input.url));
    if (!input.content_hash.empty() && !is_hash(input.content_hash))
        throw NonRetryable(
            "`content_hash` is 64 hex digits, as a document's `content_hash` has them");
}

// A page is asked for again after seconds, then minutes; what the site says about when wins. The request has its own
// limit; the rest of the time is for a place at the helper that reads the page, behind whatever else is read.
constexpr StepOptions kPatientFetch{
    .retry = {.attempts_max = 5, .first_delay = 1s, .factor = 3, .longest_delay = 2min},
    .timeout = std::chrono::hours{2}};
constexpr Duration kKeepAnswers = std::chrono::hours{24 * 90};
StepOptions patient_model(const WebServices& with) {
    return {.retry = ai::patient_retry(with.model_patience), .timeout = 3min};
}

Task<FetchResult> fetch_document(Context& ctx, const WebServices* with, FetchInput input) {
    const std::string organization = ctx.organization_id();
    const auto document = co_await ctx.transaction("resolve_document", documents::resolve,
                                                   organization, input.document_id, input.url);
    const auto fetched = co_await ctx.step("fetch_content", kPatientFetch, fetch_content, with,
                                           organization, document, input.refetch);

    documents::Embedding embedding;
    if (fetched.embedding_dims > 0) {
        co_await skip(ctx, "generate_embedding", "the text has not changed");
    } else {
        // The same text of another address costs nothing.
        const std::string key =
            cache_key(with->embedder.model(), kEmbeddedBytesMax, fetched.content.hash);
        StepOptions once = patient_model(*with);
        once.cache = {key, kKeepAnswers};
        once.costs_at_most = ai::at_most(with->embedder.costs_at_most(kEmbeddedBytesMax));
        embedding = co_await ctx.step("generate_embedding", once, generate_embedding, with,
                                      organization, document.document_id, fetched.content.path);
    }

    std::string text;  // too large for a record; the closures below refer to it
    co_await ctx.step("save_document", [&] { text = text_to_search(*with, organization, fetched); })
        .commit([&](Tx& tx) {
            save_document(tx, organization, document.document_id, fetched, embedding, text);
        });
    text = {};
    tell(*with, document.document_id, "saved");

    FetchResult result;
    if (input.extract_links) {
        std::vector<web::PageLink> links;
        result.links_extracted =
            co_await ctx
                .step("extract_links",
                      [&] {
                          links = links_of(*with, organization, document, fetched);
                          return static_cast<std::int64_t>(links.size());
                      })
                .commit([&](Tx& tx, std::int64_t) {
                    documents::save_links(tx, organization, document.document_id, links);
                })
                .optional();
        tell(*with, document.document_id, "links");
    }
    result.document_id = document.document_id;
    result.url = document.source_url;
    result.status = "FETCHED";
    result.unchanged = fetched.unchanged;
    result.content_length = fetched.content.length;
    result.content_path = fetched.content.path;
    result.embedding_dims = std::max(fetched.embedding_dims, embedding.dimension);
    result.indexed = fetched.indexed;
    result.metadata = {fetched.description.title, fetched.description.author,
                       fetched.description.published_date, fetched.description.description,
                       fetched.content.hash};
    co_return result;
}

Task<IndexResult> fetch_and_index(Context& ctx, const WebServices* with, FetchInput input) {
    IndexResult result;
    result.document_id = input.document_id;
    std::string url = input.url, hash = input.content_hash;
    bool is_indexed = false;
    if (input.fetch || hash.empty()) {
        ChildOptions in_line;
        in_line.queue = documents::kFetchQueue;
        in_line.partition = documents::partition_of(url);
        result.fetched = co_await ctx.child<FetchResult>(documents::kFetchDocument, input, in_line);
        result.document_id = result.fetched->document_id;
        url = result.fetched->url;
        hash = result.fetched->metadata.fingerprint;
        is_indexed = result.fetched->indexed;
    }
    if (is_indexed && !input.force) {
        co_await skip(ctx, "extract_metadata", "this text was indexed before");
        result.skipped = true;
        co_return result;
    }
    const std::string organization = ctx.organization_id();
    const std::string document_id = result.document_id;
    const std::string path = documents::content_path(organization, hash);
    const std::string key = cache_key(with->facts.model(), kFactsVersion, url, hash);
    StepOptions once = patient_model(*with);
    if (!input.force) once.cache = {key, kKeepAnswers};
    once.costs_at_most = ai::at_most(with->facts.costs_at_most());
    const auto indexed = co_await ctx
                             .step("extract_metadata", once, extract_metadata, with, organization,
                                   document_id, url, path)
                             .commit([&](Tx& tx, const Indexed& found) {
                                 documents::save_facts(tx, organization, document_id, hash,
                                                       found.model, found.facts);
                             });
    result.model = indexed.model;
    result.facts = indexed.facts;
    co_return result;
}

}  // namespace

std::string text_to_embed(const media::Article& article) {
    std::string text = article.title;
    if (!article.description.empty()) text += "\n" + article.description;
    text += "\n" + article.text;
    if (text.size() > kEmbeddedBytesMax) {
        text.resize(kEmbeddedBytesMax);
        text = base::to_valid_utf8(text);
    }
    return text;
}

void define_web_documents(WebServices services) {
    Engine& engine = services.engine;
    // Shared by the two workflows, which live as long as their engine.
    const auto with = std::make_shared<const WebServices>(std::move(services));
    QueueLimits limits;
    limits.concurrency_per_worker = with->fetches_at_once;
    engine.queue(documents::kFetchQueue, limits);
    WorkflowOptions options;
    options.on_end = release_document;
    options.admit = [&engine](std::string_view organization, const FetchInput& input) {
        admit_document(engine, std::string(organization), input);
    };
    options.summary = "A web address becomes a document that can be searched";
    engine.define(
        std::string(documents::kFetchDocument),
        [with](Context& ctx, FetchInput input) {
            return fetch_document(ctx, with.get(), std::move(input));
        },
        options);
    options.summary = "The same, and what the document is about";
    engine.define(
        std::string(documents::kFetchAndIndex),
        [with](Context& ctx, FetchInput input) {
            return fetch_and_index(ctx, with.get(), std::move(input));
        },
        options);
}

}  // namespace belay::workflows

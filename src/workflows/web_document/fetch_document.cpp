#include "workflows/web_document/fetch_document.hpp"

#include <cmath>

#include <fmt/format.h>

#include <belay/belay.hpp>

#include "base/utf8.hpp"
#include "documents/content.hpp"
#include "documents/document.hpp"
#include "documents/writes.hpp"
#include "web/links.hpp"

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
};
BOOST_DESCRIBE_STRUCT(Fetched, (), (unchanged, content, version, description, bytes))

struct Embedded {
    bool reused = false;  // the row has it already; `vector` is empty
    documents::Embedding embedding{};
};
BOOST_DESCRIBE_STRUCT(Embedded, (), (reused, embedding))

struct Indexed {
    bool skipped = false;
    std::string content_hash{};
    std::string model{};
    ai::metadata::Facts facts{};
};
BOOST_DESCRIBE_STRUCT(Indexed, (), (skipped, content_hash, model, facts))

void tell(const WebServices& with, const std::string& document_id, std::string_view phase) {
    if (with.on_phase) with.on_phase(document_id, phase);
}

documents::Document row_of(const WebServices& with, const std::string& organization_id,
                           const std::string& document_id) {
    auto row = documents::find_document(documents::Read(with.engine), organization_id, document_id);
    if (!row) throw NonRetryable(fmt::format("the document {} was deleted meanwhile", document_id));
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
    return fetched;
}

web::source::Source& source_of(const WebServices& with, const Resolved& document) {
    if (document.cms_platform.empty()) return with.web;
    const auto found = with.cms.find(document.cms_platform);
    if (found == with.cms.end()) {
        throw NonRetryable(fmt::format("documents of `{}` cannot be fetched: it is not configured",
                                       document.cms_platform));
    }
    return *found->second;
}

Fetched fetch_content(Attempt& attempt, const WebServices* with, const std::string& organization_id,
                      const Resolved& document, bool refetch) {
    const documents::Document row = row_of(*with, organization_id, document.document_id);
    if (row.content_hash && !refetch) return as_it_is(row);
    web::source::Wanted wanted{document.source_url, document.cms_platform, document.cms_instance,
                               document.cms_document_id, {}};
    if (row.content_hash) wanted.known = {row.etag, row.last_modified};
    const web::source::Got got = source_of(*with, document).fetch(attempt, wanted);
    Fetched fetched;
    if (got.unchanged) {
        fetched = as_it_is(row);
    } else {
        fetched.content = documents::put_content(with->object_store, organization_id, got.article);
        fetched.unchanged = row.content_hash == fetched.content.hash;
        fetched.description = describe(got.article);
        fetched.bytes = got.bytes;
    }
    fetched.version = {got.final_url, got.unchanged ? row.content_kind : got.kind, got.version.etag,
                       got.version.last_modified};
    tell(*with, document.document_id, "fetched");
    return fetched;
}

bool has_embedding(const WebServices& with, const std::string& document_id,
                   const std::string& content_hash) {
    return !with.engine
                .query("SELECT 1 FROM embeddings e JOIN documents d ON d.seq = e.document_seq "
                       "WHERE d.id = ? AND e.model = ? AND e.content_hash = ?",
                       document_id, with.embedder.model(), content_hash)
                .empty();
}

Embedded generate_embedding(Attempt& attempt, const WebServices* with,
                            const std::string& document_id, const Fetched& fetched) {
    Embedded embedded;
    embedded.embedding.model = with->embedder.model();
    if (fetched.unchanged && has_embedding(*with, document_id, fetched.content.hash)) {
        embedded.reused = true;
        embedded.embedding.dimension = static_cast<std::int64_t>(with->embedder.dimension());
        return embedded;
    }
    const auto article = documents::get_content(with->object_store, fetched.content.path);
    const std::vector<std::string> texts{text_to_embed(article)};
    const auto vectors = with->embedder.embed(texts, attempt.stop_token());
    if (vectors.size() != 1 || vectors[0].empty())
        throw std::runtime_error("the model's answer is empty");
    for (const float number : vectors[0]) {
        if (!std::isfinite(number))
            throw std::runtime_error("the model's answer has a number that is none");
    }
    embedded.embedding.model = with->embedder.model();
    embedded.embedding.dimension = static_cast<std::int64_t>(vectors[0].size());
    embedded.embedding.vector = documents::vector_bytes(vectors[0]);
    tell(*with, document_id, "embedded");
    return embedded;
}

std::string text_to_search(const WebServices& with, const Fetched& fetched) {
    if (fetched.unchanged) return {};
    std::string text = documents::get_content(with.object_store, fetched.content.path).text;
    if (text.size() > kSearchedBytesMax) {
        text.resize(kSearchedBytesMax);
        text = base::to_valid_utf8(text);
    }
    return text;
}

void save_document(Tx& tx, const std::string& document_id, const Fetched& fetched,
                   const Embedded& embedded, const std::string& text) {
    if (fetched.unchanged) {
        documents::save_unchanged(tx, document_id, fetched.version,
                                  embedded.reused ? nullptr : &embedded.embedding);
    } else {
        documents::save_content(tx, document_id, fetched.content, fetched.version,
                                fetched.description, embedded.embedding, text);
    }
}

std::vector<web::PageLink> links_of(const WebServices& with, const Resolved& document,
                                    const Fetched& fetched) {
    const auto article = documents::get_content(with.object_store, fetched.content.path);
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
    const bool is_fetched = run.error_stage == "extract_metadata";
    documents::release(tx, document_of(run), run.id, error, is_fetched);
}

Indexed extract_metadata(Attempt& attempt, const WebServices* with,
                         const std::string& organization_id, const std::string& document_id,
                         bool force) {
    const documents::Document row = row_of(*with, organization_id, document_id);
    if (!row.content_hash)
        throw NonRetryable(fmt::format("the document {} has no text yet", document_id));
    Indexed indexed;
    indexed.content_hash = *row.content_hash;
    if (!force && row.indexed_with_hash == row.content_hash) {
        indexed.skipped = true;
        return indexed;
    }
    const auto article = documents::get_content(with->object_store, *row.content_path);
    const ai::metadata::Document document{row.source_url, row.title, row.author,
                                          row.published_date, article.markdown};
    FactsAnswer answer = with->facts.read(document, attempt.stop_token());
    indexed.model = answer.model;
    indexed.facts = std::move(answer.facts);
    tell(*with, document_id, "indexed");
    return indexed;
}

// A page is asked for again after seconds, then minutes; what the site says about when wins.
constexpr StepOptions kPatientFetch{
    .retry = {.attempts_max = 5, .first_delay = 1s, .factor = 3, .longest_delay = 2min},
    .timeout = 3min};
constexpr StepOptions kPatientModel{
    .retry = {.attempts_max = 5, .first_delay = 1s, .factor = 3, .longest_delay = 1min},
    .timeout = 3min};

Task<FetchResult> fetch_document(Context& ctx, const WebServices* with, FetchInput input) {
    const std::string organization = ctx.organization_id();
    const auto document = co_await ctx.transaction(
        "resolve_document", documents::resolve, organization, input.document_id, input.url);
    const auto fetched = co_await ctx.step("fetch_content", kPatientFetch, fetch_content, with,
                                           organization, document, input.refetch);
    const auto embedded = co_await ctx.step("generate_embedding", kPatientModel,
                                            generate_embedding, with, document.document_id, fetched);

    std::string text;  // too large for a record; the closures below refer to it
    co_await ctx.step("save_document", [&] { text = text_to_search(*with, fetched); })
        .commit([&](Tx& tx) { save_document(tx, document.document_id, fetched, embedded, text); });
    text = {};
    tell(*with, document.document_id, "saved");

    FetchResult result;
    if (input.extract_links) {
        std::vector<web::PageLink> links;
        result.links_extracted = co_await ctx
            .step("extract_links",
                  [&] {
                      links = links_of(*with, document, fetched);
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
    result.embedding_dims = embedded.embedding.dimension;
    result.metadata = {fetched.description.title, fetched.description.author,
                       fetched.description.published_date, fetched.description.description,
                       fetched.content.hash};
    co_return result;
}

Task<IndexResult> fetch_and_index(Context& ctx, const WebServices* with, FetchInput input) {
    IndexResult result;
    result.document_id = input.document_id;
    if (input.fetch) {
        result.fetched = co_await ctx.child<FetchResult>(documents::kFetchDocument, input);
        result.document_id = result.fetched->document_id;
    }
    const std::string organization = ctx.organization_id();
    const std::string document_id = result.document_id;
    const auto indexed =
        co_await ctx
            .step("extract_metadata", kPatientModel, extract_metadata, with, organization,
                  document_id, input.force)
            .commit([&](Tx& tx, const Indexed& found) {
                if (found.skipped) return;
                documents::save_facts(tx, organization, document_id, found.content_hash,
                                      found.model, found.facts);
            });
    result.skipped = indexed.skipped;
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
    WorkflowOptions options;
    options.on_end = release_document;
    engine.define(
        std::string(documents::kFetchDocument),
        [with](Context& ctx, FetchInput input) { return fetch_document(ctx, with.get(), std::move(input)); },
        options);
    engine.define(
        std::string(documents::kFetchAndIndex),
        [with](Context& ctx, FetchInput input) {
            return fetch_and_index(ctx, with.get(), std::move(input));
        },
        options);
}

}  // namespace belay::workflows

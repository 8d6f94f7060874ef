#include "ingestion/documents/writes.hpp"

#include <cctype>
#include <cstring>

#include <fmt/format.h>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "ingestion/documents/document.hpp"
#include "ingestion/documents/replaced.hpp"

namespace belay::documents {

namespace {

Resolved resolved_in(const SqlRow& row) {
    return Resolved{row.get<std::string>(0), row.get<std::string>(1), row.get<std::string>(2),
                    row.get<std::string>(3), row.get<std::string>(4)};
}

SqlRows resolved_rows(Tx& tx, const std::string& organization_id, const std::string& id) {
    return tx.query(
        "SELECT id, source_url, cms_platform, cms_instance, cms_document_id FROM documents "
        "WHERE id = ? AND organization_id = ?",
        id, organization_id);
}

std::int64_t seq_of(Tx& tx, const std::string& organization_id, const std::string& document_id) {
    const auto seq =
        tx.value<std::int64_t>("SELECT seq FROM documents WHERE id = ? AND organization_id = ?",
                               document_id, organization_id);
    if (!seq) throw no_document(document_id);
    return *seq;
}

// The next change, handed out under a lock that lasts until the commit: readers never miss one.
std::int64_t next_change(Tx& tx) {
    return tx.value<std::int64_t>("UPDATE document_changes SET last = last + 1 RETURNING last")
        .value();
}

void put_embedding(Tx& tx, std::int64_t seq, const std::string& hash, const Embedding& embedding) {
    tx.exec(
        "INSERT INTO embeddings (document_seq, model, dimension, content_hash, vector, change, "
        "created_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (document_seq, model) DO UPDATE SET "
        "dimension = excluded.dimension, content_hash = excluded.content_hash, "
        "vector = excluded.vector, change = excluded.change, created_at = excluded.created_at",
        seq, embedding.model, embedding.dimension, hash, embedding.vector, next_change(tx),
        tx.now());
}

std::string canonical(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte < 0x80 ? static_cast<char>(std::tolower(byte)) : c;
    }
    return out;
}

std::int64_t entity_id(Tx& tx, const std::string& organization_id,
                       const ai::metadata::Entity& entity) {
    const std::string name = canonical(entity.name);
    tx.exec(
        "INSERT INTO entities (organization_id, entity_type, canonical_name, name, created_at) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT (organization_id, entity_type, canonical_name) "
        "DO NOTHING",
        organization_id, entity.type, name, entity.name, tx.now());
    return tx
        .value<std::int64_t>(
            "SELECT id FROM entities WHERE organization_id = ? AND entity_type = ? AND "
            "canonical_name = ?",
            organization_id, entity.type, name)
        .value();
}

}  // namespace

NonRetryable no_document(const std::string& id) {
    return NonRetryable(fmt::format("there is no document {}", id));
}

Resolved resolve(Tx& tx, const std::string& organization_id, const std::string& id,
                 const std::string& url) {
    if (!id.empty()) {
        const SqlRows rows = resolved_rows(tx, organization_id, id);
        if (!rows.empty()) return resolved_in(rows[0]);
        if (url.empty()) throw no_document(id);
    }
    const auto address = read_address(url);
    if (!address) throw NonRetryable(no_address(url));
    const std::string derived = document_id(organization_id, address->url);
    insert_document(tx, organization_id, *address, "", "");
    return resolved_in(resolved_rows(tx, organization_id, derived)[0]);
}

std::optional<std::string> delete_document(Tx& tx, const std::string& organization_id,
                                           const std::string& document_id) {
    const SqlRows rows = tx.query(
        "SELECT seq, coalesce(active_run_id, '') FROM documents WHERE id = ? AND organization_id = "
        "?",
        document_id, organization_id);
    if (rows.empty()) return std::nullopt;
    const auto seq = rows[0].get<std::int64_t>(0);
    note_replaced(tx, seq, "");
    tx.exec(
        "INSERT INTO deleted_documents (id, fetches, deleted_at) SELECT id, fetches, ? FROM "
        "documents WHERE seq = ? ON CONFLICT (id) DO UPDATE SET fetches = excluded.fetches, "
        "deleted_at = excluded.deleted_at",
        tx.now(), seq);
    tx.exec("DELETE FROM embeddings WHERE document_seq = ?", seq);
    tx.exec("DELETE FROM document_texts WHERE rowid = ?", seq);
    tx.exec("DELETE FROM document_links WHERE source_document_id = ?", document_id);
    tx.exec("DELETE FROM document_entities WHERE document_id = ?", document_id);
    tx.exec("DELETE FROM document_tags WHERE document_id = ?", document_id);
    tx.exec("DELETE FROM documents WHERE seq = ?", seq);
    return rows[0].get<std::string>(1);
}

void set_tags(Tx& tx, const std::string& organization_id, const std::string& document_id,
              const std::vector<std::string>& tags) {
    constexpr std::size_t kTagCharsMax = 60;
    seq_of(tx, organization_id, document_id);
    if (tags.size() > kTagsMax)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a document has at most {} tags", kTagsMax));
    tx.exec("DELETE FROM document_tags WHERE document_id = ?", document_id);
    for (const std::string& tag : tags) {
        if (tag.empty() || tag.size() > kTagCharsMax)
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("a tag has 1 to {} characters", kTagCharsMax));
        tx.exec("INSERT INTO document_tags (document_id, tag) VALUES (?, ?) ON CONFLICT DO NOTHING",
                document_id, tag);
    }
}

bool insert_document(Tx& tx, const std::string& organization_id, const Address& address,
                     const std::string& discovery_method, const std::string& discovery_url) {
    return tx.exec(
               "INSERT INTO documents (id, organization_id, source_type, source_url, cms_platform, "
               "cms_instance, cms_document_id, discovery_method, discovery_url, created_at, "
               "updated_at, fetches) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce((SELECT "
               "fetches FROM deleted_documents WHERE id = ?), 0)) ON CONFLICT DO NOTHING",
               document_id(organization_id, address.url), organization_id,
               address.cms_platform.empty() ? "URL" : "API", address.url, address.cms_platform,
               address.cms_instance, address.cms_document_id, discovery_method, discovery_url,
               tx.now(), tx.now(), document_id(organization_id, address.url)) > 0;
}

void save_content(Tx& tx, const std::string& organization_id, const std::string& document_id,
                  const ContentRef& recorded, const Version& version, const Description& d,
                  const Embedding& embedding, const std::string& text) {
    const std::int64_t seq = seq_of(tx, organization_id, document_id);
    const ContentRef& content = own_content(organization_id, recorded);
    note_replaced(tx, seq, content.path);
    tx.exec("DELETE FROM embeddings WHERE document_seq = ? AND content_hash <> ?", seq,
            content.hash);
    put_embedding(tx, seq, content.hash, embedding);
    tx.exec("DELETE FROM document_texts WHERE rowid = ?", seq);
    tx.exec(
        "INSERT INTO document_texts (title, description, body, rowid /*postgres , organization_id "
        "*/) "
        "SELECT ?, ?, ?, seq /*postgres , organization_id */ FROM documents WHERE seq = ?",
        d.title, d.description, text, seq);
    tx.exec(
        "UPDATE documents SET ingestion_status = 'FETCHED', error = NULL, content_hash = ?, "
        "content_path = ?, content_length = ?, content_kind = ?, title = ?, author = ?, "
        "published_date = ?, site = ?, description = ?, language = ?, excerpt = ?, final_url = ?, "
        "etag = ?, last_modified = ?, workflow_run_id = ?, fetched_at = ?, updated_at = ? "
        "WHERE seq = ?",
        content.hash, content.path, content.length, version.kind, d.title, d.author,
        d.published_date, d.site, d.description, d.language, d.excerpt, version.final_url,
        version.etag, version.last_modified, tx.run_id(), tx.now(), tx.now(), seq);
}

void save_unchanged(Tx& tx, const std::string& organization_id, const std::string& document_id,
                    const Version& version, const Embedding* embedding) {
    const std::int64_t seq = seq_of(tx, organization_id, document_id);
    const auto hash = tx.value<std::string>(
        "SELECT coalesce(content_hash, '') FROM documents WHERE seq = ?", seq);
    if (embedding != nullptr) put_embedding(tx, seq, hash.value(), *embedding);
    tx.exec(
        "UPDATE documents SET ingestion_status = 'FETCHED', error = NULL, final_url = ?, "
        "etag = ?, last_modified = ?, workflow_run_id = ?, fetched_at = ?, updated_at = ? "
        "WHERE seq = ?",
        version.final_url, version.etag, version.last_modified, tx.run_id(), tx.now(), tx.now(),
        seq);
}

void save_links(Tx& tx, const std::string& organization_id, const std::string& document_id,
                std::span<const web::PageLink> links) {
    seq_of(tx, organization_id, document_id);
    tx.exec("DELETE FROM document_links WHERE source_document_id = ?", document_id);
    for (const web::PageLink& link : links) {
        tx.exec(
            "INSERT INTO document_links (source_document_id, organization_id, target_url, "
            "anchor_text) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            document_id, organization_id, link.url, link.anchor_text);
    }
}

void save_facts(Tx& tx, const std::string& organization_id, const std::string& document_id,
                const std::string& content_hash, const std::string& model,
                const ai::metadata::Facts& facts) {
    seq_of(tx, organization_id, document_id);
    tx.exec(
        "UPDATE documents SET content_type = ?, extracted_title = ?, has_code_examples = ?, "
        "has_step_by_step_procedures = ?, has_narrative_structure = ?, topics = ?, "
        "indexed_with_hash = ?, indexed_with_model = ?, indexed_at = ?, updated_at = ? "
        "WHERE id = ?",
        facts.content_type, facts.extracted_title, facts.has_code_examples,
        facts.has_step_by_step_procedures, facts.has_narrative_structure, to_json(facts.topics),
        content_hash, model, tx.now(), tx.now(), document_id);
    tx.exec("DELETE FROM document_entities WHERE document_id = ?", document_id);
    for (const ai::metadata::Entity& entity : facts.entities) {
        tx.exec(
            "INSERT INTO document_entities (document_id, entity_id, mention_count, confidence, "
            "context) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            document_id, entity_id(tx, organization_id, entity), entity.mentions, entity.confidence,
            entity.quote);
    }
}

void release(Tx& tx, const std::string& organization_id, const std::string& document_id,
             const std::string& run_id, const std::string& error, bool is_fetched) {
    if (!error.empty()) {
        tx.exec(
            "UPDATE documents SET ingestion_status = CASE ? WHEN 1 THEN ingestion_status ELSE "
            "'ERROR' END, error = ?, workflow_run_id = ?, updated_at = ? WHERE id = ? AND "
            "organization_id = ?",
            is_fetched, error, run_id, tx.now(), document_id, organization_id);
    }
    if (error.empty()) {
        // What went wrong before is over, also if the stage that says so was recorded before it. A fetch that failed is not
        // mended by facts about an older text.
        tx.exec(
            "UPDATE documents SET error = NULL, ingestion_status = CASE WHEN content_hash IS NULL "
            "THEN ingestion_status ELSE 'FETCHED' END, updated_at = ? WHERE id = ? AND "
            "organization_id = ? AND (error IS NOT NULL OR ingestion_status = 'ERROR') AND (? = 1 "
            "OR ingestion_status <> 'ERROR')",
            tx.now(), document_id, organization_id, is_fetched);
    }
    tx.exec(
        "UPDATE documents SET active_run_id = NULL WHERE id = ? AND organization_id = ? AND "
        "active_run_id = ?",
        document_id, organization_id, run_id);
}

Bytes vector_bytes(std::span<const float> vector) {
    static_assert(sizeof(float) == 4);
    return Bytes{std::as_bytes(vector)};
}

std::vector<float> vector_of(const Bytes& bytes, std::int64_t dimension) {
    if (dimension <= 0 ||
        bytes.data.size() != static_cast<std::size_t>(dimension) * sizeof(float)) {
        throw Error(ErrorCode::BadValue, fmt::format("{} bytes are no vector of {} numbers",
                                                     bytes.data.size(), dimension));
    }
    std::vector<float> vector(static_cast<std::size_t>(dimension));
    std::memcpy(vector.data(), bytes.data.data(), bytes.data.size());
    return vector;
}

}  // namespace belay::documents

#include "ingestion/documents/tables.hpp"

namespace belay::documents {

namespace {

// Clustered by `seq`; `id` is what the world knows. One row for each address of an organization.
constexpr std::string_view kDocuments = R"sql(
CREATE TABLE documents (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL,
    source_type TEXT NOT NULL DEFAULT 'URL' CHECK (source_type IN ('URL', 'FILE_UPLOAD', 'API')),
    source_url TEXT NOT NULL,
    final_url TEXT NOT NULL DEFAULT '',
    cms_platform TEXT NOT NULL DEFAULT '',
    cms_instance TEXT NOT NULL DEFAULT '',
    cms_document_id TEXT NOT NULL DEFAULT '',
    ingestion_status TEXT NOT NULL DEFAULT 'NOT_FETCHED'
        CHECK (ingestion_status IN ('NOT_FETCHED', 'FETCHED', 'ERROR')),
    error TEXT,
    content_hash TEXT,
    content_path TEXT,
    content_length INTEGER,
    content_kind TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '',
    author TEXT NOT NULL DEFAULT '',
    published_date TEXT NOT NULL DEFAULT '',
    site TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT '',
    excerpt TEXT NOT NULL DEFAULT '',
    etag TEXT NOT NULL DEFAULT '',
    last_modified TEXT NOT NULL DEFAULT '',
    discovery_method TEXT NOT NULL DEFAULT '',
    discovery_url TEXT NOT NULL DEFAULT '',
    indexed_with_hash TEXT,
    indexed_with_model TEXT,
    indexed_at INTEGER,
    content_type TEXT,
    extracted_title TEXT,
    has_code_examples INTEGER,
    has_step_by_step_procedures INTEGER,
    has_narrative_structure INTEGER,
    topics TEXT,
    fetches INTEGER NOT NULL DEFAULT 0,
    active_run_id TEXT,
    workflow_run_id TEXT NOT NULL DEFAULT '',
    fetched_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (organization_id, source_url)
);
CREATE INDEX idx_documents_organization ON documents (organization_id, seq DESC);
CREATE INDEX idx_documents_status ON documents (organization_id, ingestion_status, seq DESC);
)sql";

// `change` grows with every commit, in the order of the commits (document_changes hands it out under a lock that
// lasts until the commit), so that whoever keeps the vectors in memory reads only what is new.
constexpr std::string_view kEmbeddings = R"sql(
CREATE TABLE embeddings (
    document_seq INTEGER NOT NULL,
    model TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    vector BLOB NOT NULL,
    change INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (document_seq, model)
);
CREATE UNIQUE INDEX idx_embeddings_change ON embeddings (model, change);
CREATE TABLE document_changes (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    last INTEGER NOT NULL
);
INSERT INTO document_changes (one, last) VALUES (1, 0);
)sql";

// Whether a target is a document of ours is looked up when links are read: it may be fetched later.
constexpr std::string_view kLinks = R"sql(
CREATE TABLE document_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_document_id TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    target_url TEXT NOT NULL,
    anchor_text TEXT NOT NULL DEFAULT '',
    UNIQUE (source_document_id, target_url)
);
CREATE INDEX idx_links_target ON document_links (organization_id, target_url);
)sql";

constexpr std::string_view kEntities = R"sql(
CREATE TABLE entities (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    canonical_name TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (organization_id, entity_type, canonical_name)
);
CREATE TABLE document_entities (
    document_id TEXT NOT NULL,
    entity_id INTEGER NOT NULL,
    mention_count INTEGER NOT NULL,
    confidence REAL NOT NULL,
    context TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (document_id, entity_id)
);
CREATE INDEX idx_document_entities_entity ON document_entities (entity_id);
)sql";

// Its rowid is documents.seq. Words are compared by their English stem and without accents. PostgreSQL keeps the words
// beside the text, the title's as A, the description's as B; its tsvector holds a megabyte at most, so of a longer
// text only the beginning is searched.
constexpr std::string_view kText = R"sql(
/*sqlite*/
CREATE VIRTUAL TABLE document_texts USING fts5(
    title, description, body, tokenize = 'porter unicode61 remove_diacritics 2');
/*end*/
/*postgres
CREATE TABLE document_texts (
    rowid bigint PRIMARY KEY,
    title text NOT NULL,
    description text NOT NULL,
    body text NOT NULL,
    words tsvector NOT NULL GENERATED ALWAYS AS (
        setweight(to_tsvector('english', regexp_replace(normalize(left(title, 10000), NFKD),
                                                        '[\u0300-\u036f]+', '', 'g')), 'A')
        || setweight(to_tsvector('english', regexp_replace(normalize(left(description, 20000), NFKD),
                                                           '[\u0300-\u036f]+', '', 'g')), 'B')
        || setweight(to_tsvector('english', regexp_replace(normalize(left(body, 200000), NFKD),
                                                           '[\u0300-\u036f]+', '', 'g')), 'D')) STORED
);
CREATE INDEX idx_document_texts_words ON document_texts USING gin (words);
*/
)sql";

// Texts that a document had before, until nobody can be reading them (sweep_content.hpp). `removing` is set before the
// object goes, so that whoever finds the object still there knows not to count on it.
constexpr std::string_view kReplaced = R"sql(
CREATE TABLE replaced_contents (
    path TEXT PRIMARY KEY,
    replaced_at INTEGER NOT NULL,
    removing INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_replaced_contents_at ON replaced_contents (replaced_at);
CREATE INDEX idx_documents_content_path ON documents (content_path);
)sql";

// On PostgreSQL a search first asks the indexes only where each word stands (tsvector.hpp). So a row says whose it is, the
// words of the title and the description have an index of their own, and texts are kept beside the rows: thousands of rows
// are then a few pages. What is new waits in a short list for its place in an index, because every search reads all of it.
constexpr std::string_view kHead = R"sql(
/*postgres
DROP INDEX idx_document_texts_words;
ALTER TABLE document_texts SET (toast_tuple_target = 128);
ALTER TABLE document_texts ADD COLUMN organization_id text NOT NULL DEFAULT '';
ALTER TABLE document_texts ADD COLUMN head tsvector NOT NULL GENERATED ALWAYS AS (
    setweight(to_tsvector('english', regexp_replace(normalize(left(title, 10000), NFKD),
                                                    '[\u0300-\u036f]+', '', 'g')), 'A')
    || setweight(to_tsvector('english', regexp_replace(normalize(left(description, 20000), NFKD),
                                                       '[\u0300-\u036f]+', '', 'g')), 'B')) STORED;
UPDATE document_texts SET title = document_texts.title, organization_id = documents.organization_id
    FROM documents WHERE documents.seq = document_texts.rowid;
CREATE INDEX idx_document_texts_words ON document_texts USING gin (words) WITH (gin_pending_list_limit = 64);
CREATE INDEX idx_document_texts_head ON document_texts USING gin (head) WITH (gin_pending_list_limit = 64);
*/
)sql";

// What people call documents; and how often an address was fetched before it was deleted: the ids of its runs go on from
// there (door.cpp), because the old ones are taken.
constexpr std::string_view kTags = R"sql(
CREATE TABLE document_tags (
    document_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (document_id, tag)
);
CREATE INDEX idx_document_tags_tag ON document_tags (tag);
CREATE TABLE deleted_documents (
    id TEXT PRIMARY KEY,
    fetches INTEGER NOT NULL,
    deleted_at INTEGER NOT NULL
);
)sql";

}  // namespace

std::vector<std::string> migrations() {
    return {std::string(kDocuments) + std::string(kEmbeddings) + std::string(kLinks) +
                std::string(kEntities) + std::string(kText),
            std::string(kReplaced), std::string(kHead), std::string(kTags)};
}

}  // namespace belay::documents

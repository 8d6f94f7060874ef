#include "ingestion/ingest/object_rows.hpp"

#include <belay/bytes.hpp>
#include <belay/codec.hpp>

namespace belay::ingest {

namespace {

// The number keeps bytes that come together on neighbouring pages; the key's index is small.
constexpr std::string_view kTable = R"sql(
CREATE TABLE object_rows (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    object_key TEXT NOT NULL UNIQUE,
    etag TEXT NOT NULL,
    size INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    modified_at INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    bytes BLOB NOT NULL
);
)sql";

objects::Object object_of(const SqlRow& row) {
    return {objects::Key{row.get<std::string>(0)},
            row.get<std::string>(1),
            row.get<std::uint64_t>(2),
            row.get<std::string>(3),
            row.get<std::string>(4),
            row.get<Time>(5),
            from_json<objects::Metadata>(row.get<std::string>(6))};
}

}  // namespace

std::vector<std::string> object_row_migrations() { return {std::string(kTable)}; }

void put_object_row(Tx& tx, const objects::SmallObject& small) {
    const objects::Object& object = small.object;
    tx.exec(
        "INSERT INTO object_rows (object_key, etag, size, content_type, sha256, modified_at, "
        "metadata, bytes) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (object_key) DO UPDATE SET etag = "
        "excluded.etag, "
        "size = excluded.size, content_type = excluded.content_type, sha256 = excluded.sha256, "
        "modified_at = excluded.modified_at, metadata = excluded.metadata, bytes = excluded.bytes",
        object.key.text(), object.etag, object.size, object.content_type, object.sha256,
        object.modified, to_json(object.metadata), Bytes(std::string_view(small.bytes)));
}

std::optional<objects::Object> ObjectRows::head(const objects::Key& key) {
    const SqlRows rows = engine_.query(
        "SELECT object_key, etag, size, content_type, sha256, modified_at, metadata FROM "
        "object_rows "
        "WHERE object_key = ?",
        key.text());
    if (rows.empty()) return std::nullopt;
    return object_of(rows[0]);
}

std::optional<objects::SmallObject> ObjectRows::get(const objects::Key& key) {
    const SqlRows rows = engine_.query(
        "SELECT object_key, etag, size, content_type, sha256, modified_at, metadata, bytes FROM "
        "object_rows "
        "WHERE object_key = ?",
        key.text());
    if (rows.empty()) return std::nullopt;
    return objects::SmallObject{object_of(rows[0]), std::string(rows[0].get<Bytes>(7).view())};
}

void ObjectRows::remove(const objects::Key& key) {
    // Most keys have none: that costs no commit.
    if (engine_.query("SELECT 1 FROM object_rows WHERE object_key = ?", key.text()).empty()) return;
    engine_.transact(
        [&](Tx& tx) { tx.exec("DELETE FROM object_rows WHERE object_key = ?", key.text()); });
}

std::vector<objects::Listed> ObjectRows::list(std::string_view prefix, std::string_view after,
                                              std::size_t limit) {
    std::vector<objects::Listed> found;
    for (const SqlRow& row :
         engine_.query("SELECT object_key, etag, size, modified_at FROM object_rows WHERE "
                       "object_key >= ? AND object_key > ? "
                       "ORDER BY object_key LIMIT ?",
                       std::string(prefix), std::string(after), static_cast<std::int64_t>(limit))) {
        if (!row.get<std::string>(0).starts_with(prefix)) break;
        found.push_back({objects::Key{row.get<std::string>(0)}, row.get<std::string>(1),
                         row.get<std::uint64_t>(2), row.get<Time>(3)});
    }
    return found;
}

}  // namespace belay::ingest

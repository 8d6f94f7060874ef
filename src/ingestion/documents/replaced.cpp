#include "ingestion/documents/replaced.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace belay::documents {

void note_replaced(Tx& tx, std::int64_t document_seq, const std::string& next_path) {
    tx.exec(
        "INSERT INTO replaced_contents (path, replaced_at) SELECT content_path, ? FROM documents "
        "WHERE seq = ? AND content_path IS NOT NULL AND content_path <> ? "
        "ON CONFLICT (path) DO UPDATE SET replaced_at = excluded.replaced_at",
        tx.now(), document_seq, next_path);
}

void keep_content(Tx& tx, const std::string& path) {
    const auto removing =
        tx.value<int>("SELECT removing FROM replaced_contents WHERE path = ?", path);
    if (!removing) return;
    if (*removing != 0)
        throw std::runtime_error(
            fmt::format("{} is being removed at this moment, and has to be written again", path));
    tx.exec("DELETE FROM replaced_contents WHERE path = ?", path);
}

std::vector<std::string> choose_replaced(Tx& tx, Time before, std::int64_t count_max) {
    // Another document says the same, or this one says it again.
    tx.exec(
        "DELETE FROM replaced_contents WHERE replaced_at < ? AND removing = 0 AND EXISTS "
        "(SELECT 1 FROM documents d WHERE d.content_path = replaced_contents.path)",
        before);
    std::vector<std::string> paths;
    for (const SqlRow row : tx.query("SELECT path FROM replaced_contents WHERE replaced_at < ? "
                                     "ORDER BY replaced_at LIMIT ?",
                                     before, count_max))
        paths.push_back(row.get<std::string>(0));
    for (const std::string& path : paths)
        tx.exec("UPDATE replaced_contents SET removing = 1 WHERE path = ?", path);
    return paths;
}

bool is_removing(Engine& engine, const std::string& path) {
    return !engine.query("SELECT 1 FROM replaced_contents WHERE path = ? AND removing = 1", path)
                .empty();
}

void forget_replaced(Tx& tx, const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
        tx.exec("DELETE FROM replaced_contents WHERE path = ? AND removing = 1", path);
}

}  // namespace belay::documents

#include "ingestion/documents/links.hpp"

namespace belay::documents {

std::vector<Link> links_of_document(const Read& read, const Document& document, Direction direction,
                                    int limit) {
    const SqlRows rows =
        direction == Direction::Outbound
            ? read(
                  "SELECT l.target_url, l.anchor_text, d.id, d.title FROM document_links l "
                  "LEFT JOIN documents d ON d.organization_id = l.organization_id AND "
                  "d.source_url = l.target_url WHERE l.source_document_id = ? "
                  "ORDER BY l.id LIMIT ?",
                  document.id, limit)
            : read(
                  "SELECT d.source_url, l.anchor_text, d.id, d.title FROM document_links l "
                  "JOIN documents d ON d.id = l.source_document_id "
                  "WHERE l.organization_id = ? AND l.target_url = ? ORDER BY d.seq LIMIT ?",
                  document.organization_id, document.source_url, limit);
    std::vector<Link> links;
    for (const SqlRow row : rows) {
        links.push_back({row.get<std::string>(0), row.get<std::string>(1),
                         row.get<std::optional<std::string>>(2),
                         row.get<std::optional<std::string>>(3)});
    }
    return links;
}

std::vector<NamedEntity> entities_of(const Read& read, const std::string& document_id) {
    const SqlRows rows = read(
        "SELECT e.name, e.entity_type, de.mention_count, de.confidence, de.context "
        "FROM document_entities de JOIN entities e ON e.id = de.entity_id "
        "WHERE de.document_id = ? ORDER BY de.mention_count DESC, e.name",
        document_id);
    std::vector<NamedEntity> entities;
    for (const SqlRow row : rows) {
        entities.push_back({row.get<std::string>(0), row.get<std::string>(1),
                            row.get<std::int64_t>(2), row.get<double>(3), row.get<std::string>(4)});
    }
    return entities;
}

}  // namespace belay::documents

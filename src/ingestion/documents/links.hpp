// links.hpp — which documents lead where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "ingestion/documents/document.hpp"

namespace belay::documents {

enum class Direction { Outbound, Inbound };

struct Link {
    std::string url{};  // of the other end
    std::string anchor_text{};
    std::optional<std::string> document_id{};  // of the other end, if it is a document of ours
    std::optional<std::string> title{};
};
BOOST_DESCRIBE_STRUCT(Link, (), (url, anchor_text, document_id, title))

// In the order of the page (outbound) or of the documents (inbound), at most `limit`.
std::vector<Link> links_of_document(const Read& read, const Document& document, Direction direction,
                                    int limit);

struct NamedEntity {
    std::string name{};
    std::string type{};
    std::int64_t mentions = 0;
    double confidence = 0;
    std::string quote{};
};
BOOST_DESCRIBE_STRUCT(NamedEntity, (), (name, type, mentions, confidence, quote))

// What extract_metadata found in the document, the most mentioned first.
std::vector<NamedEntity> entities_of(const Read& read, const std::string& document_id);

}  // namespace belay::documents

#include "ingestion/ingest/ids.hpp"

#include <fmt/format.h>

#include "core/base/hash.hpp"

namespace belay::ingest {

std::string upload_event_id(std::string_view key, std::string_view etag, int generation) {
    if (etag.size() >= 2 && etag.starts_with('"') && etag.ends_with('"'))
        etag = etag.substr(1, etag.size() - 2);
    std::string id = base::sha256_hex(fmt::format("{}:{}", key, etag));
    if (generation > 1) id += fmt::format("_g{}", generation);
    return id;
}

std::string run_id(const WorkflowType& type, std::string_view event_id) {
    return std::string(type.run_prefix) + std::string(event_id);
}

std::string file_id(const WorkflowType& type, std::string_view event_id) {
    return "file_" +
           base::sha256_hex(fmt::format("{}:{}", type.workflow_key, event_id)).substr(0, 32);
}

}  // namespace belay::ingest

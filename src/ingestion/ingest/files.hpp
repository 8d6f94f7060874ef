// files.hpp — reading what came in: one file, and the list of uploads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include <belay/engine.hpp>
#include <belay/time.hpp>

namespace belay::ingest {

struct FileRow {
    std::string id{};
    std::string organization_id{};
    std::string file_type{};
    std::string name{};
    std::int64_t size = 0;
    std::string content_type{};
    std::string sha256{};
    std::string key{};
    std::string etag{};
    std::string workflow_type{};
    std::string workflow_key{};
    std::string workflow_run_id{};
    std::string status{};
    Time created_at{};
    Time updated_at{};
};

// A file of that organization that was not deleted; nothing for another's (P9).
std::optional<FileRow> find_file(Engine& engine, const std::string& organization_id,
                                 const std::string& file_id);

// A file as the list of uploads shows it: the specification's Upload, under this file's own name. For other
// workflows than image classification what only an Upload has is empty.
struct UploadRow {
    FileRow file{};
    std::string upload_event_id{};
    std::optional<std::string> model{};
    std::optional<std::string> top_label{};
    std::optional<double> top_score{};
    std::optional<std::string> classification_json{};
    std::optional<std::string> error{};
    std::optional<Time> completed_at{};
    // What its run does: its status, and of one that runs `slot` (all of it waits for a thread) or `retrying`.
    std::optional<std::string> run_state{};
};

struct UploadPage {
    std::vector<UploadRow> uploads{};
    std::optional<std::int64_t> next{};  // give it as `before` for the rest
};

// Which uploads are wanted; what is empty asks for nothing.
struct UploadFilter {
    std::string text{};           // in the name, what was found or its text, whatever its case
    std::string workflow_type{};  // "image", "receipt", …
    std::string state{};          // "active", "done", "review", "failed", "canceled"
};

// Newest first, at most `limit`, those before `before` if it is given.
UploadPage list_uploads(Engine& engine, const std::string& organization_id,
                        std::optional<std::int64_t> before, int limit,
                        const UploadFilter& filter = {});

}  // namespace belay::ingest

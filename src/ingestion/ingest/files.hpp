// files.hpp — reading what came in: one file, and the list of uploads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
std::optional<FileRow> find_file(Tx& tx, const std::string& organization_id,
                                 const std::string& file_id);

// A file as the list of uploads shows it: the specification's Upload, under this file's own name, and what became of it
// whatever its workflow: what was found, why it failed, when it ended.
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
    std::optional<std::string> failure{};  // why it failed or was canceled, for people
    std::string found_kind{};              // "receipt", "invoice", "statement"; empty: nothing yet
    std::string found{};                   // the finding's result, as JSON
    std::string merchant{};                // as every view names it
    std::string document_id{};             // the statement it went into
};

struct UploadPage {
    std::vector<UploadRow> uploads{};
    std::optional<std::int64_t> next{};   // give it as `before` for the rest
    std::optional<std::int64_t> total{};  // how many match, told with the first page
};

inline constexpr std::array<std::string_view, 5> kUploadStates{"active", "done", "review", "failed",
                                                               "canceled"};

// Which uploads are wanted; what is empty asks for nothing.
struct UploadFilter {
    std::string text{};           // in the name, what was found or its text, whatever its case
    std::string workflow_type{};  // "image", "receipt", …
    std::string state{};          // "active", "done", "review", "failed", "canceled"
    std::optional<Time> since{};  // came then or later
    std::optional<Time> until{};  // came before then
};

// Newest first, at most `limit`, those before `before` if it is given.
UploadPage list_uploads(Engine& engine, const std::string& organization_id,
                        std::optional<std::int64_t> before, int limit,
                        const UploadFilter& filter = {});

}  // namespace belay::ingest

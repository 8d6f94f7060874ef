// views.hpp — uploads and files as JSON: what clients see, and what /openapi.json says they see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json/value.hpp>

#include "ingestion/ingest/files.hpp"
#include "ingestion/ingest/ingest.hpp"

namespace belay::ingest {

struct RefusedFile {
    std::string name{};
    std::string error{};
};
BOOST_DESCRIBE_STRUCT(RefusedFile, (), (name, error))

// The answer to POST /ingest/upload.
struct UploadAnswer {
    std::vector<Ingested> uploads{};
    std::vector<RefusedFile> errors{};
};
BOOST_DESCRIBE_STRUCT(UploadAnswer, (), (uploads, errors))

// A row of GET /api/uploads: the columns of the specification's Upload, and what goes with it.
struct UploadView {
    std::string upload_event_id{};
    std::string organization_id{};
    std::string name{};
    std::string r2_key{};
    std::string r2_etag{};
    std::int64_t r2_size = 0;
    std::string content_type{};
    std::string workflow_id{};
    std::string status{};
    std::optional<std::string> classification_model{};
    std::optional<std::string> classification_top_label{};
    std::optional<double> classification_top_score{};
    std::optional<std::string> classification_json{};
    std::optional<std::string> classification_error{};
    std::string created_at{};
    std::string updated_at{};
    std::optional<std::string> completed_at{};
    std::string file_id{};
    std::string workflow_type{};
    std::string workflow_key{};
    std::string workflow_run_id{};
    std::optional<std::string> label{};
    std::optional<double> score{};
    std::optional<std::string>
        run_state{};                     // its run's status; of one that runs also slot, retrying
    std::optional<std::string> error{};  // why it failed or was canceled
    // What was found: null while nothing is; {kind, …} with the few fields that tell files apart.
    boost::json::value found{};
};
BOOST_DESCRIBE_STRUCT(UploadView, (),
                      (upload_event_id, organization_id, name, r2_key, r2_etag, r2_size,
                       content_type, workflow_id, status, classification_model,
                       classification_top_label, classification_top_score, classification_json,
                       classification_error, created_at, updated_at, completed_at, file_id,
                       workflow_type, workflow_key, workflow_run_id, label, score, error, found,
                       run_state))

// What is asked of POST /api/files/{id}/read-as.
struct ReadAsRequest {
    std::string workflow_type{};
};
BOOST_DESCRIBE_STRUCT(ReadAsRequest, (), (workflow_type))

// GET /api/files/{id}.
struct FileView {
    std::string id{};
    std::string organization_id{};
    std::string file_type{};
    std::string name{};
    std::string key{};
    std::string etag{};
    std::int64_t size = 0;
    std::string content_type{};
    std::string sha256{};
    std::string workflow_type{};
    std::string workflow_key{};
    std::string workflow_run_id{};
    std::string status{};
    std::string created_at{};
    std::string updated_at{};
};
BOOST_DESCRIBE_STRUCT(FileView, (),
                      (id, organization_id, file_type, name, key, etag, size, content_type, sha256,
                       workflow_type, workflow_key, workflow_run_id, status, created_at,
                       updated_at))

UploadView upload_view(const UploadRow& row);
FileView file_view(const FileRow& row);

}  // namespace belay::ingest

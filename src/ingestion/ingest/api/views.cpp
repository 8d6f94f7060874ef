#include "ingestion/ingest/api/views.hpp"

#include "core/base/text.hpp"

namespace belay::ingest {

UploadView upload_view(const UploadRow& row) {
    UploadView view;
    view.upload_event_id = row.upload_event_id;
    view.organization_id = row.file.organization_id;
    view.name = row.file.name;
    view.r2_key = row.file.key;
    view.r2_etag = row.file.etag;
    view.r2_size = row.file.size;
    view.content_type = row.file.content_type;
    view.workflow_id = row.file.workflow_run_id;
    view.status = row.file.status;
    view.classification_model = row.model;
    view.classification_top_label = row.top_label;
    view.classification_top_score = row.top_score;
    view.classification_json = row.classification_json;
    view.classification_error = row.error;
    view.created_at = base::format_time(row.file.created_at);
    view.updated_at = base::format_time(row.file.updated_at);
    if (row.completed_at) view.completed_at = base::format_time(*row.completed_at);
    view.file_id = row.file.id;
    view.workflow_type = row.file.workflow_type;
    view.workflow_key = row.file.workflow_key;
    view.workflow_run_id = row.file.workflow_run_id;
    view.label = row.top_label;
    view.score = row.top_score;
    view.run_state = row.run_state;
    return view;
}

FileView file_view(const FileRow& row) {
    return FileView{row.id,
                    row.organization_id,
                    row.file_type,
                    row.name,
                    row.key,
                    row.etag,
                    row.size,
                    row.content_type,
                    row.sha256,
                    row.workflow_type,
                    row.workflow_key,
                    row.workflow_run_id,
                    row.status,
                    base::format_time(row.created_at),
                    base::format_time(row.updated_at)};
}

}  // namespace belay::ingest

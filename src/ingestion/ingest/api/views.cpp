#include "ingestion/ingest/api/views.hpp"

#include <array>

#include <boost/json.hpp>

#include "core/base/text.hpp"

namespace belay::ingest {

namespace {

namespace json = boost::json;

// The fields of a result that a list shows, by the kind of paper: its name in the result, its name here.
struct Shown {
    std::string_view kind, from, to;
};
constexpr std::array kShown{
    Shown{"receipt", "merchant", "merchant"},     Shown{"receipt", "date", "date"},
    Shown{"receipt", "total", "total"},           Shown{"invoice", "seller_name", "merchant"},
    Shown{"invoice", "invoice_number", "number"}, Shown{"invoice", "issue_date", "date"},
    Shown{"invoice", "grand_total", "total"},     Shown{"statement", "invoice_number", "number"},
    Shown{"statement", "statement_date", "date"}, Shown{"statement", "total", "total"},
};

json::value found_in_picture(const UploadRow& row) {
    if (!row.top_label) return nullptr;
    json::object out{{"kind", "image"}, {"label", *row.top_label}, {"score", nullptr}};
    if (row.top_score) out["score"] = *row.top_score;
    return out;
}

json::value found_in(const UploadRow& row) {
    if (row.found.empty()) return found_in_picture(row);
    boost::system::error_code broken;
    const json::value result = json::parse(row.found, broken);
    if (broken || !result.is_object()) return nullptr;
    json::object out{{"kind", row.found_kind}};
    for (const Shown& field : kShown) {
        if (field.kind != row.found_kind) continue;
        const json::value* value = result.as_object().if_contains(field.from);
        out[field.to] = value == nullptr ? json::value() : *value;
    }
    if (const json::value* name = out.if_contains("merchant");
        name != nullptr && name->is_null() && !row.merchant.empty())
        out["merchant"] = row.merchant;
    for (const std::string_view list : {"items", "lines", "rows"}) {
        const json::value* rows = result.as_object().if_contains(list);
        if (rows != nullptr && rows->is_array()) out["lines"] = rows->as_array().size();
    }
    for (const std::string_view same : {"currency", "review"}) {
        const json::value* value = result.as_object().if_contains(same);
        out[same] = value == nullptr ? json::value() : *value;
    }
    if (!row.document_id.empty()) out["statement_id"] = row.document_id;
    return out;
}

}  // namespace

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
    view.error = row.failure;
    view.found = found_in(row);
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

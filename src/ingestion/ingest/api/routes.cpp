#include "ingestion/ingest/api/routes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/failpoint.hpp"
#include "ingestion/ingest/api/upload_sink.hpp"
#include "ingestion/ingest/api/views.hpp"
#include "ingestion/ingest/content_type.hpp"
#include "ingestion/ingest/files.hpp"
#include "ingestion/ingest/workflow_type.hpp"
#include "service/api/api.hpp"
#include "service/api/conditional.hpp"
#include "service/api/content.hpp"
#include "service/api/trace.hpp"

namespace belay::ingest {

namespace {

using api::ApiError;
using api::Method;
using api::Problem;
using api::Request;
using api::Response;
using api::Route;

template <class T>
boost::json::object json_of(const T& view) {
    return boost::json::parse(to_json(view)).as_object();
}

Uploads::Incoming incoming_of(const Request& request, const api::UploadedFile& file) {
    auto& incoming = dynamic_cast<IncomingFile&>(*file.upload);
    UploadFacts facts;
    facts.organization_id = request.caller.organization_id;
    facts.name = file.file_name;
    facts.content_type = content_type_of(incoming.first_bytes(), file.content_type, file.file_name);
    facts.workflow_type = request.form.field("workflow_type");
    facts.force = request.query.flag("force");
    api::add_trace(facts.labels, request.headers);
    return {&incoming.writer(), std::move(facts)};
}

// What was refused of a form's files, and whether all of it is of a kind that nothing here reads.
struct Refusals {
    std::vector<RefusedFile> files{};
    bool all_unsupported = true;

    void add(const std::string& name, const std::exception_ptr& error) {
        try {
            std::rethrow_exception(error);
        } catch (const UnsupportedContent& unsupported) {
            files.push_back({name, unsupported.what()});
        } catch (const Error& wrong) {
            files.push_back({name, wrong.what()});
            all_unsupported = false;
        }
    }
};

std::string none_taken(const std::vector<RefusedFile>& refused) {
    const std::string first =
        fmt::format("{}: {}", api::shown(refused.front().name), refused.front().error);
    if (refused.size() == 1) return first;
    return fmt::format("none of the {} files was taken; {}", refused.size(), first);
}

// An answer of nothing but refusals is itself one: a client that looks only at the status must not believe that
// something is stored.
Response answer_with(const UploadAnswer& answer, bool all_unsupported) {
    boost::json::object body = json_of(answer);
    if (!answer.uploads.empty()) return api::json_response(202, body);
    const api::ProblemRow& row =
        api::row_of(all_unsupported ? Problem::UnsupportedMediaType : Problem::BadRequest);
    body["error"] = {{"code", row.code}, {"message", none_taken(answer.errors)}};
    return api::json_response(row.status, body);
}

// What is wrong with one file is told beside the others; what is wrong here fails the request, of which then nothing
// was done.
api::Claimed take_upload(Uploads& uploads, Request& request, const api::Claim& claim) {
    constexpr std::array<std::string_view, 1> kNames{"force"};
    request.query.allow_only(kNames);
    if (const auto type = request.form.field("workflow_type"); !type.empty()) {
        try {
            workflow_type_named(type);
        } catch (const Error& error) {
            throw ApiError(Problem::InvalidParameter, error.what());
        }
    }
    for (const auto& [field, value] : request.form.fields) {
        // What nobody reads was meant to say something.
        if (field == "workflow_type") continue;
        throw ApiError(
            Problem::BadRequest,
            fmt::format("there is no form field `{}`: files are sent as `files`, and what "
                        "they are as `workflow_type`",
                        api::shown(field)));
    }
    if (request.form.files.empty())
        throw ApiError(Problem::BadRequest, "the form has no file: send at least one as `files`");
    Refusals refusals;
    std::vector<Uploads::Incoming> files;
    std::vector<std::string> names;
    for (const api::UploadedFile& file : request.form.files) {
        if (file.field != "files") {
            refusals.add(file.file_name,
                         std::make_exception_ptr(
                             Error(ErrorCode::InvalidArgument,
                                   fmt::format("send files in the field `files`, not `{}`",
                                               api::shown(file.field)))));
            continue;
        }
        files.push_back(incoming_of(request, file));
        names.push_back(file.file_name);
    }
    const Uploads::Stored stored = uploads.store(files);
    for (std::size_t i = 0; i < stored.size(); ++i) {
        if (stored.refused(i)) refusals.add(names[i], stored.refused(i));
    }
    if (refusals.files.size() == request.form.files.size()) {
        return api::Claim::nothing_done(
            answer_with({{}, refusals.files}, refusals.all_unsupported));
    }
    std::vector<Ingested> taken;
    api::Claimed done = claim.transact(uploads.engine(), [&](Tx& tx) {
        taken = stored.ingest(tx);
        return answer_with({taken, refusals.files}, false);
    });
    for (const Ingested& file : taken)
        clear_away(uploads.engine(), uploads.object_store(), file.left, kRunAnew);
    base::failpoint("upload.after");
    return done;
}

Response list(Uploads& uploads, const Request& request) {
    constexpr std::array<std::string_view, 7> kNames{"limit", "cursor", "q",    "workflow_type",
                                                     "state", "since",  "until"};
    request.query.allow_only(kNames);
    const UploadFilter filter{request.query.text("q"), request.query.text("workflow_type"),
                              request.query.text("state"), request.query.time("since"),
                              request.query.time("until")};
    if (!filter.state.empty() &&
        std::ranges::find(kUploadStates, filter.state) == kUploadStates.end()) {
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("parameter `state` is one of {}, not `{}`",
                                   fmt::join(kUploadStates, ", "), api::shown(filter.state)));
    }
    const auto limit = static_cast<int>(
        request.query.integer("limit", api::kListLimitDefault, 1, api::kListLimitMax));
    std::optional<std::int64_t> before;
    if (const auto cursor = request.query.find("cursor"); cursor && !cursor->empty())
        before = api::read_cursor(*cursor);
    const UploadPage page =
        list_uploads(uploads.engine(), request.caller.organization_id, before, limit, filter);
    boost::json::array rows;
    for (const UploadRow& row : page.uploads) rows.push_back(json_of(upload_view(row)));
    boost::json::object out{{"uploads", std::move(rows)}, {"next_cursor", nullptr}};
    if (page.next) out["next_cursor"] = api::cursor_text(*page.next);
    if (page.total) out["total"] = *page.total;
    return api::json_response(200, out);
}

FileRow file_of(Uploads& uploads, const Request& request) {
    const std::string& id = request.parameter("id");
    auto file = find_file(uploads.engine(), request.caller.organization_id, id);
    if (!file)
        throw ApiError(Problem::NotFound, fmt::format("there is no file `{}`", api::shown(id)));
    return *std::move(file);
}

Response remove(Uploads& uploads, const Request& request) {
    const FileRow file = file_of(uploads, request);
    api::AuditNote note = api::audit_note(request);
    note.detail = file.name;
    uploads.remove(file.organization_id, file.id, [&note](Tx& tx) { api::write_audit(tx, note); });
    Response response;
    response.status = 204;
    return response;
}

api::Claimed read_as(Uploads& uploads, const Request& request, const api::Claim& claim) {
    const std::string& id = request.parameter("id");
    ReadAsRequest wanted;
    try {
        wanted = from_json<ReadAsRequest>(request.body);
    } catch (const Error& broken) {
        throw ApiError(Problem::InvalidJson, broken.what());
    }
    if (wanted.workflow_type.empty())
        throw ApiError(Problem::InvalidParameter, "say `workflow_type`: what it is to be read as");
    Leftovers left;
    api::Claimed done = claim.transact(uploads.engine(), [&](Tx& tx) {
        std::optional<Ingested> read;
        left = {};
        try {
            read =
                uploads.read_as(tx, request.caller.organization_id, id, wanted.workflow_type, left);
        } catch (const Error& refused) {
            if (refused.code() != ErrorCode::InvalidArgument) throw;
            throw ApiError(Problem::InvalidParameter, refused.what());
        }
        if (!read)
            throw ApiError(Problem::NotFound, fmt::format("there is no file `{}`", api::shown(id)));
        return api::json_response(202, json_of(*read));
    });
    clear_away(uploads.engine(), uploads.object_store(), left, "its file is read as another kind");
    return done;
}

class ObjectBytes final : public api::ByteSource {
public:
    explicit ObjectBytes(std::unique_ptr<objects::Reader> reader) : reader_(std::move(reader)) {}
    std::size_t read(std::span<std::byte> space) override { return reader_->read(space); }

private:
    std::unique_ptr<objects::Reader> reader_;
};

Response content(Uploads& uploads, const Request& request) {
    const FileRow file = file_of(uploads, request);
    const objects::Key key{file.key};
    if (!uploads.object_store().head(key))
        throw ApiError(Problem::NotFound, fmt::format("the bytes of {} are gone", file.name));
    api::Content what;
    what.size = static_cast<std::uint64_t>(file.size);
    what.etag = api::quoted_etag(file.etag);
    what.content_type = file.content_type;
    what.file_name = file.name;
    return api::content_response(request, what, [&](std::uint64_t first, std::uint64_t length) {
        auto reader = uploads.object_store().open(key, {first, length});
        if (!reader)
            throw ApiError(Problem::NotFound, fmt::format("the bytes of {} are gone", file.name));
        return std::make_unique<ObjectBytes>(std::move(reader));
    });
}

using Handle = Response (*)(Uploads&, Request&);

Route route_of(Uploads& uploads, std::string path, std::string summary, Handle handle) {
    Route route;
    route.path = std::move(path);
    route.summary = std::move(summary);
    route.group = "files";
    if (handle != nullptr)
        route.handler = [&uploads, handle](Request& request) { return handle(uploads, request); };
    return route;
}

api::JsonSchema form_schema() {
    std::vector<std::string_view> types;
    for (const WorkflowType& type : workflow_types()) types.push_back(type.type);
    const boost::json::object file{{"type", "string"}, {"format", "binary"}};
    return {{"type", "object"},
            {"properties",
             {{"files", {{"type", "array"}, {"items", file}}},
              {"workflow_type", api::words_schema(types)}}},
            {"required", boost::json::array{"files"}}};
}

}  // namespace

void add_ingest_routes(api::Routes& routes, Uploads& uploads) {
    Route upload =
        route_of(uploads, "/ingest/upload", "Store files and start a run for each", nullptr);
    upload.on<Method::Post>(api::Once{[&uploads](Request& request, const api::Claim& claim) {
        return take_upload(uploads, request, claim);
    }});
    upload.takes = api::Takes::Form;
    upload.request_schema = form_schema();
    upload.success = 202;
    upload.response_schema = api::schema_of<UploadAnswer>();
    upload.parameters = {
        api::query_parameter("force", "run the files anew even if there is a run of them")};
    upload.problems = {Problem::InvalidMultipart, Problem::PayloadTooLarge, Problem::StorageFull};
    routes.add(std::move(upload));

    Route rows =
        route_of(uploads, "/api/uploads", "Uploaded files with what was found, newest first",
                 [](Uploads& u, Request& r) { return list(u, r); });
    rows.parameters = api::list_parameters();
    rows.parameters.push_back(
        api::query_parameter("q", "only files with this in their name, label or text"));
    rows.parameters.push_back(
        api::query_parameter("workflow_type", "only files that were uploaded as this"));
    rows.parameters.push_back(
        api::query_parameter("state", "only files that are so far",
                             api::words_schema({kUploadStates.begin(), kUploadStates.end()})));
    for (api::Parameter& one : api::span_parameters("came"))
        rows.parameters.push_back(std::move(one));
    rows.response_schema = api::counted_list_schema("uploads", api::schema_of<UploadView>());
    routes.add(std::move(rows));

    const auto id = api::path_parameter("id", "the file's id");
    Route show = route_of(uploads, "/api/files/{id}", "One file", [](Uploads& u, Request& r) {
        return api::json_response(200, json_of(file_view(file_of(u, r))));
    });
    show.parameters = {id};
    show.response_schema = api::schema_of<FileView>();
    show.problems = {Problem::NotFound};
    routes.add(std::move(show));

    Route bytes = route_of(uploads, "/api/files/{id}/content", "A file's bytes, or a range of them",
                           [](Uploads& u, Request& r) { return content(u, r); });
    bytes.parameters = {id};
    bytes.response_type = "application/octet-stream";
    bytes.response_schema = {{"type", "string"}, {"format", "binary"}};
    bytes.problems = {Problem::NotFound, Problem::RangeNotSatisfiable};
    routes.add(std::move(bytes));

    Route other =
        route_of(uploads, "/api/files/{id}/read-as",
                 "Run a file as another kind, in the place of what it was taken for", nullptr);
    other.on<Method::Post>(api::Once{[&uploads](Request& request, const api::Claim& claim) {
        return read_as(uploads, request, claim);
    }});
    other.parameters = {id};
    other.takes = api::Takes::Json;
    other.request_schema = api::schema_of<ReadAsRequest>();
    other.audit = "read_as";
    other.audit_body = true;
    other.success = 202;
    other.response_schema = api::schema_of<Ingested>();
    other.problems = {Problem::NotFound, Problem::InvalidJson, Problem::InvalidParameter};
    routes.add(std::move(other));

    Route gone = route_of(uploads, "/api/files/{id}", "Delete a file and its bytes", nullptr);
    gone.on<Method::Delete>([&uploads](Request& request) { return remove(uploads, request); });
    gone.parameters = {id};
    gone.success = 204;
    gone.audit = "delete";
    gone.problems = {Problem::NotFound};
    routes.add(std::move(gone));
}

}  // namespace belay::ingest

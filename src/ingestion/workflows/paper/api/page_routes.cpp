// page_routes.cpp — the pages of a file: what was read on them, and a picture of each.
#include <array>
#include <charconv>
#include <memory>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "ingestion/workflows/paper/api/common.hpp"
#include "ingestion/workflows/paper/api/routes.hpp"
#include "ingestion/workflows/paper/api/thumbnails.hpp"
#include "ingestion/workflows/paper/page_retry.hpp"
#include "ingestion/workflows/paper/source_file.hpp"
#include "service/api/slots.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
using api::ApiError;
using api::Method;
using api::Problem;
using api::Request;
using api::Response;
using api::Route;

// A browser asks for six at a time; the server has sixteen threads for everybody.
constexpr std::size_t kPicturesAtOnceEach = 8;

Response list(const PaperServices& services, const Request& request) {
    constexpr std::array<std::string_view, 1> kNames{"words"};
    request.query.allow_only(kNames);
    const std::string id = parameter_of(request, "id");
    auto pages =
        list_pages(services.engine, organization_of(request), id, request.query.flag("words"));
    if (!pages)
        throw ApiError(Problem::NotFound, fmt::format("there is no file {}", api::shown(id)));
    FindingsPage page;
    page.rows = std::move(*pages);
    return list_response("pages", std::move(page));
}

SourceFile file_of(const PaperServices& services, const Request& request) {
    const std::string id = parameter_of(request, "id");
    const SqlRows rows = services.engine.query(
        "SELECT id, organization_id, original_filename, object_key, original_file_size, mime_type, "
        "coalesce(content_hash, '') FROM unified_files WHERE id = ? AND organization_id = ? AND "
        "deleted_at IS NULL AND file_type <> 'pdf_page'",
        id, organization_of(request));
    if (rows.empty())
        throw ApiError(Problem::NotFound, fmt::format("there is no file {}", api::shown(id)));
    const SqlRow row = rows[0];
    return {row.get<std::string>(0), row.get<std::string>(1),   row.get<std::string>(2),
            row.get<std::string>(3), row.get<std::uint64_t>(4), row.get<std::string>(5),
            row.get<std::string>(6)};
}

Response picture(const PaperServices& services, api::Slots& slots, const Request& request) {
    constexpr std::array<std::string_view, 2> kNames{"side", "rotation"};
    request.query.allow_only(kNames);
    const SourceFile file = file_of(services, request);
    const std::string text = parameter_of(request, "number");
    media::RenderPage::Arguments wanted;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted.page);
    if (error != std::errc{} || end != text.data() + text.size() || wanted.page < 1)
        throw ApiError(Problem::NotFound, fmt::format("there is no page {}", api::shown(text)));
    wanted.side = static_cast<int>(request.query.integer("side", 1600, 16, 4096));
    wanted.rotation = static_cast<int>(request.query.integer("rotation", 0, 0, 270));
    const auto slot = slots.take(organization_of(request));
    isolate::Asker asker{organization_of(request), isolate::JobKind::Look};
    const isolate::HeldTurn turn{*services.turns.wait(std::move(asker), {}),
                                 isolate::JobKind::Look};
    try {
        std::string jpeg =
            services.reader.render_page(read_bytes(services, file), wanted, std::stop_token{});
        Response response = api::text_response(200, "image/jpeg", std::move(jpeg));
        response.headers.set("Cache-Control", "private, max-age=3600");
        return response;
    } catch (const NonRetryable& refused) {
        throw ApiError(Problem::NotFound, fmt::format("page {} of {} cannot be shown: {}",
                                                      wanted.page, file.name, refused.what()));
    } catch (const isolate::JobFailed& failed) {
        throw ApiError(Problem::Unavailable, failed.what());
    }
}

api::Claimed read_again(const PaperServices& services, const Request& request,
                        const api::Claim& claim) {
    const std::string id = parameter_of(request, "id");
    const std::string text = parameter_of(request, "number");
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    return claim.transact(services.engine, [&](Tx& tx) {
        std::optional<std::string> run;
        try {
            if (is_number) run = retry_page(tx, organization_of(request), id, number);
        } catch (const Error& refused) {
            if (refused.code() != ErrorCode::InvalidArgument) throw;
            throw ApiError(Problem::Conflict, refused.what());
        }
        if (!run)
            throw ApiError(Problem::NotFound, fmt::format("there is no page {} of a file {}",
                                                          api::shown(text), api::shown(id)));
        return api::json_response(202, json::object{{"file_id", id}, {"workflow_run_id", *run}});
    });
}

// Grey, and of no size of its own: what is shown until the picture is made.
constexpr std::string_view kPlaceholder =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"><rect width=\"1\" height=\"1\" "
    "fill=\"#8885\"/></svg>";

Response thumbnail(const PaperServices& services, Thumbnails& thumbnails, const Request& request) {
    request.query.allow_only({});
    const SourceFile file = file_of(services, request);
    auto jpeg = thumbnails.find(file);
    if (!jpeg) {
        Response response = api::text_response(200, "image/svg+xml", std::string(kPlaceholder));
        response.headers.set("Cache-Control", "no-store");
        return response;
    }
    if (jpeg->empty())
        throw ApiError(Problem::NotFound, fmt::format("{} cannot be drawn", file.name));
    Response response = api::text_response(200, "image/jpeg", *std::move(jpeg));
    response.headers.set("Cache-Control", "private, max-age=31536000, immutable");
    return response;
}

}  // namespace

void add_page_routes(api::Routes& routes, const PaperServices& services) {
    const auto id = api::path_parameter("id", "the file's id");
    Route pages =
        paper_route("/api/files/{id}/pages", "The pages of a file that were read, in order",
                    "files", [&services](Request& r) { return list(services, r); });
    pages.parameters = {id, api::query_parameter("words", "1: with every word and its box")};
    pages.response_schema = api::list_schema("pages", {{"type", "object"}});
    pages.problems = {Problem::NotFound};
    routes.add(std::move(pages));

    Route one =
        paper_route("/api/files/{id}/pages/{number}", "A picture of one page, as JPEG", "files",
                    [&services, slots = std::make_shared<api::Slots>(kPicturesAtOnceEach)](
                        Request& r) { return picture(services, *slots, r); });
    one.parameters = {id, api::path_parameter("number", "from 1"),
                      api::query_parameter("side", "pixels of the longer side, 16 to 4096",
                                           api::integer_schema(16, 4096)),
                      api::query_parameter("rotation", "0, 90, 180 or 270 degrees clockwise",
                                           api::integer_schema(0, 270))};
    one.response_type = "image/jpeg";
    one.response_schema = {{"type", "string"}, {"format", "binary"}};
    one.problems = {Problem::NotFound, Problem::Unavailable};
    routes.add(std::move(one));

    Route again = paper_route("/api/files/{id}/pages/{number}/retry",
                              "Read a page again that a succeeded run went without", "files");
    again.on<Method::Post>(api::Once{[&services](Request& r, const api::Claim& claim) {
        return read_again(services, r, claim);
    }});
    again.parameters = {id, api::path_parameter("number", "from 1")};
    again.success = 202;
    again.problems = {Problem::NotFound, Problem::Conflict};
    routes.add(std::move(again));

    Route small = paper_route(
        "/api/files/{id}/thumbnail",
        "A small picture of a file: a JPEG, or an SVG to show until that is made", "files",
        [&services, thumbnails = std::make_shared<Thumbnails>(services)](Request& r) {
            return thumbnail(services, *thumbnails, r);
        });
    small.parameters = {id};
    small.response_type = "image/jpeg";
    small.response_schema = {{"type", "string"}, {"format", "binary"}};
    small.problems = {Problem::NotFound};
    routes.add(std::move(small));
}

}  // namespace belay::workflows

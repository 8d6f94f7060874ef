#include "service/approvals/api/routes.hpp"

#include <array>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/model/chosen_id.hpp"
#include "service/api/api.hpp"

namespace belay::approvals {

namespace {

using api::ApiError;
using api::Method;
using api::Problem;
using api::Request;
using api::Response;
using api::Route;

struct AskBody {
    std::string title{};
    std::optional<std::string> details{};
};
BOOST_DESCRIBE_STRUCT(AskBody, (), (title, details))

struct AnswerBody {
    std::optional<std::string> comment{};
};
BOOST_DESCRIBE_STRUCT(AnswerBody, (), (comment))

boost::json::object json_of(const Approval& approval) {
    return boost::json::parse(to_json(approval_view(approval))).as_object();
}

Approval approval_of(Engine& engine, const Request& request, const std::string& id) {
    const std::string& organization = request.caller.organization_id;
    for (const std::string& kept : model::kept_ids(organization, id)) {
        if (auto found = find_approval(ask_engine(engine), organization, kept))
            return *std::move(found);
    }
    throw ApiError(Problem::NotFound, fmt::format("there is no request `{}`", api::shown(id)));
}

// Does what is asked and gives the request as it stands then, in one transaction.
api::Claimed carry_out(Engine& engine, const api::Claim& claim, const ApprovalRequest& asked,
                       int status) {
    const std::string text = to_json(asked);
    return claim.transact(engine, [&](Tx& tx) {
        const std::string id = approval_request(tx, text);
        return api::json_response(
            status, json_of(find_approval(ask_tx(tx), asked.organization_id, id).value()));
    });
}

api::Claimed ask(Engine& engine, const Request& request, const api::Claim& claim) {
    const auto body = api::body_as<AskBody>(request);
    ApprovalRequest asked;
    asked.verb = "request";
    asked.organization_id = request.caller.organization_id;
    asked.title = body.title;
    asked.details = body.details.value_or("");
    return carry_out(engine, claim, asked, 202);
}

Response list(Engine& engine, const Request& request) {
    constexpr std::array<std::string_view, 2> kNames{"status", "limit"};
    request.query.allow_only(kNames);
    const std::string status = request.query.text("status");
    if (!status.empty() && !is_approval_status(status)) {
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("parameter `status` is one of {}, not `{}`", kApprovalStatuses,
                                   api::shown(status)));
    }
    const auto limit = static_cast<int>(
        request.query.integer("limit", api::kListLimitDefault, 1, api::kListLimitMax));
    boost::json::array rows;
    for (const Approval& one :
         list_approvals(ask_engine(engine), request.caller.organization_id, status, limit))
        rows.push_back(json_of(one));
    return api::json_response(200, {{"approvals", std::move(rows)}, {"next_cursor", nullptr}});
}

api::Claimed answer(Engine& engine, const Request& request, const api::Claim& claim,
                    const std::string& verb) {
    const Approval approval = approval_of(engine, request, request.parameter("id"));
    ApprovalRequest asked;
    asked.verb = verb;
    asked.organization_id = request.caller.organization_id;
    asked.workflow_run_id = approval.workflow_run_id;
    asked.comment = api::body_as<AnswerBody>(request).comment.value_or("");
    return carry_out(engine, claim, asked, 200);
}

Route route_of(std::string path, std::string summary, api::JsonSchema schema) {
    Route route;
    route.path = std::move(path);
    route.summary = std::move(summary);
    route.group = "approvals";
    route.response_schema = std::move(schema);
    return route;
}

}  // namespace

ApprovalView approval_view(const Approval& approval) {
    ApprovalView view;
    view.id = approval.workflow_run_id;
    view.workflow_run_id = approval.workflow_run_id;
    view.title = approval.title;
    view.details = approval.details;
    view.status = approval.status;
    if (!approval.comment.empty()) view.comment = approval.comment;
    view.requested_at.at = approval.requested_at;
    if (approval.decided_at) view.decided_at = api::Stamp{*approval.decided_at};
    view.expires_at.at = approval.expires_at;
    return view;
}

void add_approval_routes(api::Routes& routes, Engine& engine) {
    const api::JsonSchema one = api::schema_of<ApprovalView>();
    Route make = route_of("/api/approvals",
                          "Ask a person: a run that waits up to 7 days for the answer", one);
    make.takes = api::Takes::Json;
    make.request_schema = api::schema_of<AskBody>(api::SchemaFor::Request);
    make.success = 202;
    make.on<Method::Post>(api::Once{
        [&engine](Request& r, const api::Claim& claim) { return ask(engine, r, claim); }});
    routes.add(std::move(make));

    Route rows = route_of("/api/approvals", "What people are asked, newest first",
                          api::list_schema("approvals", one));
    rows.parameters = {api::query_parameter("status", fmt::format("one of {}", kApprovalStatuses)),
                       api::query_parameter("limit", "how many at most",
                                            api::integer_schema(1, api::kListLimitMax))};
    rows.handler = [&engine](Request& r) { return list(engine, r); };
    routes.add(std::move(rows));

    const auto id = api::path_parameter("id", "the run's id");
    Route show = route_of("/api/approvals/{id}", "One request", one);
    show.parameters = {id};
    show.problems = {Problem::NotFound};
    show.handler = [&engine](Request& r) {
        return api::json_response(200, json_of(approval_of(engine, r, r.parameter("id"))));
    };
    routes.add(std::move(show));

    for (const auto& [verb, summary] : {std::pair{"approve", "Say yes, with a comment or without"},
                                        std::pair{"reject", "Say no: a result, not an error"}}) {
        Route route = route_of(fmt::format("/api/approvals/{{id}}/{}", verb), summary, one);
        route.parameters = {id};
        route.problems = {Problem::NotFound, Problem::Conflict};
        route.takes = api::Takes::Json;
        route.body_optional = true;
        route.request_schema = api::schema_of<AnswerBody>(api::SchemaFor::Request);
        route.audit = verb;
        route.audit_body = true;
        route.on<Method::Post>(
            api::Once{[&engine, verb = std::string(verb)](Request& r, const api::Claim& claim) {
                return answer(engine, r, claim, verb);
            }});
        routes.add(std::move(route));
    }
}

}  // namespace belay::approvals

// correction_routes.cpp — PATCH /api/receipts/{id} and /api/invoices/{id}, and their approval.
#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "ingestion/workflows/paper/api/common.hpp"
#include "ingestion/workflows/paper/api/routes.hpp"
#include "ingestion/workflows/paper/corrections.hpp"
#include "ingestion/workflows/paper/invoice.hpp"
#include "ingestion/workflows/paper/match_rows.hpp"
#include "ingestion/workflows/paper/receipt.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
using api::ApiError;
using api::Method;
using api::Problem;
using api::Request;
using api::Response;
using api::Route;

// {"total": "24.90", "date": null}
std::vector<Correction> corrections_in(const Request& request) {
    boost::system::error_code broken;
    const json::value body = json::parse(request.body, broken);
    if (broken || !body.is_object())
        throw ApiError(Problem::InvalidJson, "say what is right: {\"total\": \"24.90\"}");
    std::vector<Correction> out;
    for (const auto& [name, value] : body.as_object()) {
        Correction one{std::string(name), std::nullopt, std::nullopt};
        if (value.is_array()) {
            one.rows = value.as_array();
        } else if (value.is_string()) {
            one.value = std::string(value.as_string());
        } else if (!value.is_null()) {
            throw ApiError(Problem::InvalidJson,
                           fmt::format("`{}` is a text, null or a list of rows",
                                       api::shown(std::string(name))));
        }
        out.push_back(std::move(one));
    }
    return out;
}

// As it stands in that transaction.
Response answer(Tx& tx, const Request& request, const std::string& kind, Judged judged) {
    const std::string id = parameter_of(request, "id");
    const auto found =
        judged == Judged::Done
            ? find_finding(tx, organization_of(request),
                           std::string(kind == "receipt" ? kReceiptWorkflow : kInvoiceWorkflow), id)
            : std::nullopt;
    if (!found)
        throw ApiError(Problem::NotFound, fmt::format("there is no {} {}", kind, api::shown(id)));
    return api::json_response(200, *found);
}

Response correct(const PaperServices& services, const Request& request, const std::string& kind) {
    const auto wanted = corrections_in(request);
    Response response;
    try {
        services.engine.transact([&](Tx& tx) {
            const Judged judged =
                correct_paper(tx, organization_of(request), kind, parameter_of(request, "id"),
                              wanted, by_of(request), services.options.accounting);
            // With the right amount or day it may belong to a line that waits for it.
            if (judged == Judged::Done && kind == "receipt")
                match_receipt(tx, parameter_of(request, "id"), match_settings(services.options));
            response = answer(tx, request, kind, judged);
            api::write_audit(tx, api::audit_note(request));
        });
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidArgument) throw;
        throw ApiError(Problem::InvalidParameter, error.what());
    }
    return response;
}

using Judge = Judged (*)(Tx&, const std::string&, const std::string&, const std::string&,
                         const std::string&);

api::Claimed judge(const PaperServices& services, const Request& request, const api::Claim& claim,
                   const std::string& kind, Judge say) {
    return claim.transact(services.engine, [&](Tx& tx) {
        const Judged judged =
            say(tx, organization_of(request), kind, parameter_of(request, "id"), by_of(request));
        return answer(tx, request, kind, judged);
    });
}

void add_kind(api::Routes& routes, const PaperServices& services, const std::string& kind) {
    const std::string group = kind + "s";
    const auto id = api::path_parameter("id", "the file's id");
    Route change = paper_route(fmt::format("/api/{}/{{id}}", group),
                               fmt::format("Correct what was read from the {}", kind), group);
    change.on<Method::Patch>([&services, kind](Request& r) { return correct(services, r, kind); });
    change.parameters = {id};
    change.takes = api::Takes::Json;
    change.request_schema = {{"type", "object"}};
    change.audit = "correct";
    change.audit_body = true;
    change.problems = {Problem::NotFound, Problem::InvalidJson, Problem::InvalidParameter};
    routes.add(std::move(change));

    const auto add = [&](std::string_view verb, std::string summary, Judge say) {
        Route route =
            paper_route(fmt::format("/api/{}/{{id}}/{}", group, verb), std::move(summary), group);
        route.on<Method::Post>(
            api::Once{[&services, kind, say](Request& r, const api::Claim& claim) {
                return judge(services, r, claim, kind, say);
            }});
        route.parameters = {id};
        route.takes = api::Takes::Json;
        route.body_optional = true;
        route.request_schema = {{"type", "object"}};
        route.audit = verb;
        route.problems = {Problem::NotFound};
        routes.add(std::move(route));
    };
    add("approve", fmt::format("Say that what was read from the {} is right", kind), approve_paper);
    add("reopen", fmt::format("Take the approval of the {} back", kind), reopen_paper);
}

}  // namespace

void add_correction_routes(api::Routes& routes, const PaperServices& services) {
    add_kind(routes, services, "receipt");
    add_kind(routes, services, "invoice");
}

}  // namespace belay::workflows

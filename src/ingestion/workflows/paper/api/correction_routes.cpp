// correction_routes.cpp — PATCH /api/receipts/{id} and /api/invoices/{id}, and their approval.
#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "ingestion/workflows/paper/api/common.hpp"
#include "ingestion/workflows/paper/api/routes.hpp"
#include "ingestion/workflows/paper/corrections.hpp"
#include "ingestion/workflows/paper/invoice.hpp"
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

constexpr std::string_view kBy = "api";

// {"total": "24.90", "date": null}
std::vector<Correction> corrections_in(const Request& request) {
    boost::system::error_code broken;
    const json::value body = json::parse(request.body, broken);
    if (broken || !body.is_object())
        throw ApiError(Problem::InvalidJson, "say what is right: {\"total\": \"24.90\"}");
    std::vector<Correction> out;
    for (const auto& [name, value] : body.as_object()) {
        if (!value.is_string() && !value.is_null()) {
            throw ApiError(Problem::InvalidJson,
                           fmt::format("`{}` is a text or null", api::shown(std::string(name))));
        }
        out.push_back({std::string(name), value.is_null()
                                              ? std::nullopt
                                              : std::optional(std::string(value.as_string()))});
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
                              wanted, std::string(kBy));
            response = answer(tx, request, kind, judged);
        });
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidArgument) throw;
        throw ApiError(Problem::InvalidParameter, error.what());
    }
    return response;
}

api::Claimed approve(const PaperServices& services, const Request& request, const api::Claim& claim,
                     const std::string& kind) {
    return claim.transact(services.engine, [&](Tx& tx) {
        const Judged judged = approve_paper(tx, organization_of(request), kind,
                                            parameter_of(request, "id"), std::string(kBy));
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
    change.problems = {Problem::NotFound, Problem::InvalidJson, Problem::InvalidParameter};
    routes.add(std::move(change));

    Route good =
        paper_route(fmt::format("/api/{}/{{id}}/approve", group),
                    fmt::format("Say that what was read from the {} is right", kind), group);
    good.on<Method::Post>(api::Once{[&services, kind](Request& r, const api::Claim& claim) {
        return approve(services, r, claim, kind);
    }});
    good.parameters = {id};
    good.takes = api::Takes::Json;
    good.body_optional = true;
    good.request_schema = {{"type", "object"}};
    good.problems = {Problem::NotFound};
    routes.add(std::move(good));
}

}  // namespace

void add_correction_routes(api::Routes& routes, const PaperServices& services) {
    add_kind(routes, services, "receipt");
    add_kind(routes, services, "invoice");
}

}  // namespace belay::workflows

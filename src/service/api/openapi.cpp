#include "service/api/openapi.hpp"

#include <set>

#include <fmt/format.h>
#include <boost/json.hpp>

namespace belay::api {

namespace json = boost::json;

namespace {

std::string_view place(Parameter::In in) {
    switch (in) {
        case Parameter::In::Path:
            return "path";
        case Parameter::In::Query:
            return "query";
        case Parameter::In::Header:
            return "header";
    }
    return "query";
}

json::object parameter_json(const Parameter& parameter) {
    return {{"name", parameter.name},
            {"in", place(parameter.in)},
            {"description", parameter.meaning},
            {"required", parameter.required || parameter.in == Parameter::In::Path},
            {"schema", parameter.schema}};
}

// What any path may answer, whatever it is.
std::vector<Problem> problems_of(const Route& route) {
    std::vector<Problem> problems = route.problems;
    problems.push_back(Problem::BadRequest);
    problems.push_back(Problem::ForbiddenHost);
    problems.push_back(Problem::HeadersTooLarge);
    problems.push_back(Problem::Internal);
    problems.push_back(Problem::Unavailable);
    if (!route.parameters.empty()) problems.push_back(Problem::InvalidParameter);
    if (route.access == Access::Organization) {
        problems.push_back(Problem::Unauthorized);
        problems.push_back(Problem::RateLimited);
    }
    if (changes_state(route.method()) || route.websocket)
        problems.push_back(Problem::ForbiddenOrigin);
    if (route.is_once()) problems.push_back(Problem::IdempotencyMismatch);
    if (route.takes == Takes::Json) problems.push_back(Problem::InvalidJson);
    if (route.takes == Takes::Form) problems.push_back(Problem::InvalidMultipart);
    if (route.takes != Takes::Nothing) {
        problems.push_back(Problem::PayloadTooLarge);
        problems.push_back(Problem::UnsupportedMediaType);
        problems.push_back(Problem::RequestTimeout);
    }
    return problems;
}

json::object error_answers(const Route& route) {
    // One entry per status; several codes may share one.
    std::map<int, std::set<std::string_view>> by_status;
    for (const Problem problem : problems_of(route)) {
        const ProblemRow& row = row_of(problem);
        by_status[row.status].insert(row.code);
    }
    json::object answers;
    for (const auto& [status, codes] : by_status) {
        answers[std::to_string(status)] = json::object{
            {"description", fmt::format("code: {}", fmt::join(codes, ", "))},
            {"content",
             {{"application/json", {{"schema", {{"$ref", "#/components/schemas/Error"}}}}}}}};
    }
    return answers;
}

json::object answers_of(const Route& route) {
    json::object answers = error_answers(route);
    json::object success{{"description", std::string(reason_phrase(route.success))}};
    if (!route.websocket && route.success != 204) {
        success["content"] = {{route.response_type, {{"schema", route.response_schema}}}};
    }
    answers[std::to_string(route.success)] = std::move(success);
    return answers;
}

json::object operation(const Route& route) {
    json::array parameters;
    for (const Parameter& parameter : route.parameters)
        parameters.push_back(parameter_json(parameter));
    if (route.is_once()) {
        parameters.push_back(parameter_json(
            {Parameter::In::Header, "Idempotency-Key",
             "the same key with the same request gives the same answer, and does it once",
             string_schema(), false}));
    }
    json::object out{{"summary", route.summary},
                     {"tags", json::array{json::value(route.group)}},
                     {"parameters", std::move(parameters)},
                     {"responses", answers_of(route)}};
    if (route.access == Access::Anyone) out["security"] = json::array{};
    if (route.takes == Takes::Nothing) return out;
    const char* type = route.takes == Takes::Json ? "application/json" : "multipart/form-data";
    json::object content{{type, {{"schema", route.request_schema}}}};
    if (route.plain_text) content["text/plain"] = {{"schema", string_schema()}};
    out["requestBody"] = {{"required", !route.body_optional}, {"content", std::move(content)}};
    return out;
}

std::string lower(std::string_view word) {
    std::string out{word};
    for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return out;
}

}  // namespace

JsonSchema error_schema() {
    std::vector<std::string_view> codes;
    for (const ProblemRow& row : problem_table()) codes.push_back(row.code);
    return {{"type", "object"},
            {"properties",
             {{"error",
               {{"type", "object"},
                {"properties", {{"code", words_schema(codes)}, {"message", string_schema()}}},
                {"required", json::array{"code", "message"}},
                {"additionalProperties", false}}}}},
            {"required", json::array{"error"}},
            {"additionalProperties", false}};
}

json::object openapi(const Routes& routes, const std::string& version) {
    json::object paths;
    for (const auto& route : routes.all()) {
        json::value& path = paths[route->path];
        if (!path.is_object()) path = json::object{};
        path.get_object()[lower(to_string(route->method()))] = operation(*route);
    }
    return {{"openapi", "3.1.0"},
            {"info",
             {{"title", "Belay"},
              {"version", version},
              {"description",
               "Durable workflows and an ingestion server. Times are RFC 3339 in UTC with "
               "milliseconds; lists go on with `cursor`; every refusal is {\"error\": {\"code\", "
               "\"message\"}}."}}},
            {"paths", std::move(paths)},
            {"components",
             {{"schemas", {{"Error", error_schema()}}},
              {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
            {"security", json::array{json::object{{"token", json::array{}}}}}};
}

}  // namespace belay::api

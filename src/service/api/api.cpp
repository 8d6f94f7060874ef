#include "service/api/api.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/shortage.hpp"
#include "service/api/file_too_large.hpp"

namespace belay::api {

namespace {

// Tokens, sessions, settings.
constexpr std::string_view kAccountGroup = "account";

// An answer that is no refusal, and that the usual way out must not turn into one.
struct Answered {
    Response response;
};

Response allow_response(const std::string& allow) {
    Response response;
    response.status = 204;
    response.headers.set("Allow", allow + ", OPTIONS");
    return response;
}

bool is_json(std::string_view content_type) {
    const std::string_view type = trimmed(content_type.substr(0, content_type.find(';')));
    return same_word(type, "application/json") || type.ends_with("+json");
}

bool is_plain_text(std::string_view content_type) {
    return same_word(trimmed(content_type.substr(0, content_type.find(';'))), "text/plain");
}

// What the path names: "july", "17/3".
std::string target_of(const Request& request, const Route& route) {
    std::string out;
    for (const Parameter& parameter : route.parameters) {
        if (parameter.in != Parameter::In::Path) continue;
        if (!out.empty()) out += '/';
        out += request.parameter(parameter.name);
    }
    return out;
}

Response too_large_response(const FileTooLarge& error) {
    namespace json = boost::json;
    const ProblemRow& row = row_of(error.problem());
    return json_response(
        row.status, json::object{{"error", {{"code", row.code}, {"message", error.what()}}},
                                 {"uploads", json::array{}},
                                 {"errors", json::array{json::object{{"name", error.file_name()},
                                                                     {"error", error.what()}}}}});
}

}  // namespace

Api::Api(ApiParts parts) : parts_(std::move(parts)), veil_(parts_.auth.own_organization()) {
    for (const auto& [text, instead] : parts_.hidden) veil_.hide(text, instead);
}

std::variant<const Route*, Response> Api::admit(Request& request) {
    try {
        return &find(request);
    } catch (Answered& answered) {
        return finished(request, std::move(answered.response));
    } catch (...) {
        return finished(request, error_answer(request));
    }
}

std::string_view Api::route_name(const Request& request) const {
    const RouteMatch match = routes_.match(request.method, request.path);
    const auto* found = std::get_if<Found>(&match);
    return found != nullptr ? std::string_view(found->route->path) : std::string_view{};
}

const Route& Api::find(Request& request) {
    RouteMatch match = routes_.match(request.method, request.path);
    auto* found = std::get_if<Found>(&match);
    check_gate(parts_.gate, request, found != nullptr && found->route->websocket);
    if (const auto* other = std::get_if<OtherMethods>(&match)) {
        if (request.method == Method::Options) throw Answered{allow_response(other->allow)};
        throw ApiError(Problem::MethodNotAllowed,
                       fmt::format("{} takes {}, not {}", shown(request.path), other->allow,
                                   to_string(request.method)),
                       {{"Allow", other->allow}});
    }
    if (found == nullptr) {
        if (parts_.files != nullptr) {
            if (auto page = static_response(*parts_.files, request))
                throw Answered{*std::move(page)};
        }
        throw ApiError(Problem::NotFound,
                       fmt::format("there is nothing at {}; /openapi.json lists what there is",
                                   shown(request.path)));
    }
    const Route& route = *found->route;
    // What is taken now would only fail; what has been taken needs all there is.
    if (changes_state(request.method)) {
        if (const auto why = base::shortage_lately())
            throw ApiError(Problem::Unavailable, *why, {{"Retry-After", "2"}});
    }
    request.parameters = std::move(found->parameters);
    if (route.access == Access::Organization) request.caller = parts_.auth.caller_of(request);
    request.audit = route.audit;
    request.audit_tells_body = route.audit_body;
    if (!route.audit.empty()) request.audit_target = target_of(request, route);
    const auto type = request.headers.find("Content-Type");
    const bool wrong = type && !is_json(*type) && !(route.plain_text && is_plain_text(*type));
    if (route.takes == Takes::Json && wrong) {
        // Also keeps out what a page of another site may send without being asked: text/plain.
        throw ApiError(Problem::UnsupportedMediaType,
                       fmt::format("send the body as application/json, not as {}", shown(*type)));
    }
    if (route.takes == Takes::Form && parts_.uploads == nullptr)
        throw ApiError(Problem::Unavailable, "this server takes no uploads");
    return route;
}

Response Api::call(const Route& route, Request& request) {
    try {
        // What has a secret in its answer must not become a row that keeps it.
        const bool may_go = parts_.elsewhere && route.group != kAccountGroup;
        if (may_go && changes_state(request.method)) {
            check_body(route, request);
            if (auto done = parts_.elsewhere(request)) return finished(request, *std::move(done));
        }
        if (!route.is_once()) {
            check_body(route, request);
            return finished(request, route.handler(request));
        }
        const Claim claim = parts_.idempotency.claim(request);
        if (auto first = parts_.idempotency.answer_of(claim))
            return finished(request, *std::move(first));
        return finished(request, do_once(route, request, claim));
    } catch (...) {
        return finished(request, error_answer(request));
    }
}

Response Api::answer_for(Request& request) {
    RouteMatch match = routes_.match(request.method, request.path);
    auto* found = std::get_if<Found>(&match);
    if (found == nullptr)
        return refuse(request, Problem::NotFound,
                      fmt::format("there is nothing at {}", shown(request.path)));
    const Route& route = *found->route;
    if (route.websocket || route.later || route.takes == Takes::Form ||
        route.group == kAccountGroup)
        return refuse(request, Problem::Unavailable,
                      "this is not handed on from one server to another");
    request.parameters = std::move(found->parameters);
    request.audit = route.audit;
    request.audit_tells_body = route.audit_body;
    if (!route.audit.empty()) request.audit_target = target_of(request, route);
    return call(route, request);
}

void Api::begin(const Route& route, Request& request, const Reply& reply) {
    try {
        check_body(route, request);
        route.later(request, reply);
    } catch (...) {
        reply.fail(std::current_exception());
    }
}

Response Api::end(const Request& request, ReplyOutcome outcome) {
    if (auto* error = std::get_if<std::exception_ptr>(&outcome)) return refuse(request, *error);
    return finished(request, std::move(std::get<Response>(outcome)));
}

Response Api::do_once(const Route& route, Request& request, const Claim& claim) {
    Response response;
    try {
        check_body(route, request);
        Claimed done = route.call(request, claim);
        response = std::move(done).response();
        if (done.is_written()) return response;
    } catch (const AnsweredBefore& error) {
        if (auto first = parts_.idempotency.answer_of(claim)) return *std::move(first);
        throw ApiError(Problem::Unavailable, error.what(), {{"Retry-After", "1"}});
    } catch (...) {
        response = error_answer(request);
    }
    return parts_.idempotency.refused(claim, std::move(response));
}

void Api::check_body(const Route& route, const Request& request) {
    if (route.takes == Takes::Json && request.body.empty() && !route.body_optional)
        throw ApiError(Problem::InvalidJson, "this needs a body of JSON");
}

Response Api::refuse(const Request& request, Problem problem, std::string_view message) {
    return finished(request, error_response(problem, message));
}

Response Api::refuse(const Request& request, std::exception_ptr error) {
    try {
        std::rethrow_exception(std::move(error));
    } catch (...) {
        return finished(request, error_answer(request));
    }
}

Response Api::finished(const Request& request, Response response) const {
    if (auto* text = std::get_if<std::string>(&response.body);
        text != nullptr && is_json(response.headers.get("Content-Type"))) {
        *text = veil_.json(request.caller.organization_id, std::move(*text));
    }
    add_security_headers(response);
    add_cors_headers(parts_.gate, request, response);
    if (!request.request_id.empty()) response.headers.set("X-Request-Id", request.request_id);
    return response;
}

// For the exception that is being handled.
Response Api::error_answer(const Request& request) {
    try {
        throw;
    } catch (const FileTooLarge& error) {
        return too_large_response(error);
    } catch (const ApiError& error) {
        return error_response(error.problem(), error.what(), error.headers());
    } catch (const Error& error) {
        const ApiError told = api_error_of(error);
        const bool ours = told.problem() == Problem::Internal;
        if (ours && parts_.log_fault) parts_.log_fault(request.request_id, error.what());
        if (!ours) {
            const bool own = veil_.is_own(request.caller.organization_id);
            const std::string text = own ? error.what() : told_to_strangers(error);
            if (text != error.what() && parts_.log_fault)
                parts_.log_fault(request.request_id, error.what());
            return error_response(told.problem(), text, told.headers());
        }
    } catch (const std::exception& error) {
        if (parts_.log_fault) parts_.log_fault(request.request_id, error.what());
    } catch (...) {
        if (parts_.log_fault)
            parts_.log_fault(request.request_id, "something that is no exception");
    }
    return error_response(Problem::Internal,
                          fmt::format("something went wrong here; the log has it under request {}",
                                      request.request_id));
}

}  // namespace belay::api

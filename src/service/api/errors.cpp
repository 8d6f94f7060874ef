#include "service/api/errors.hpp"

#include <array>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/assert.hpp"
#include "core/base/utf8.hpp"
#include "service/api/response.hpp"

namespace belay::api {

namespace {

constexpr std::array kProblems{
    ProblemRow{Problem::BadRequest, "bad_request", 400, "the request cannot be understood"},
    ProblemRow{Problem::InvalidParameter, "invalid_parameter", 400,
               "a path, query or header parameter is not what it has to be"},
    ProblemRow{Problem::InvalidJson, "invalid_json", 400,
               "the body is not JSON, or not the JSON that is asked for"},
    ProblemRow{Problem::InvalidMultipart, "invalid_multipart", 400,
               "the body is not multipart/form-data as RFC 7578 has it"},
    ProblemRow{Problem::Unauthorized, "unauthorized", 401,
               "a token is needed, or the one sent is unknown or revoked"},
    ProblemRow{Problem::ForbiddenHost, "forbidden_host", 403,
               "the Host header names another machine (DNS rebinding)"},
    ProblemRow{Problem::ForbiddenOrigin, "forbidden_origin", 403,
               "the request comes from a page of another origin"},
    ProblemRow{Problem::Forbidden, "forbidden", 403,
               "it is about every organization, and the token is not of the server's own"},
    ProblemRow{Problem::NotFound, "not_found", 404,
               "there is no such thing, or it belongs to another organization"},
    ProblemRow{Problem::MethodNotAllowed, "method_not_allowed", 405,
               "the path exists and takes other methods, named in Allow"},
    ProblemRow{Problem::RequestTimeout, "request_timeout", 408, "the request came too slowly"},
    ProblemRow{Problem::Conflict, "conflict", 409,
               "the thing is in a state in which this cannot be done"},
    ProblemRow{Problem::PayloadTooLarge, "payload_too_large", 413,
               "the body, a part or a field is above its limit"},
    ProblemRow{Problem::UnsupportedMediaType, "unsupported_media_type", 415,
               "the Content-Type is none that this path takes"},
    ProblemRow{Problem::RangeNotSatisfiable, "range_not_satisfiable", 416,
               "the Range begins after the end"},
    ProblemRow{Problem::IdempotencyMismatch, "idempotency_mismatch", 422,
               "this Idempotency-Key was used with another request"},
    ProblemRow{Problem::UpgradeRequired, "upgrade_required", 426, "this path is a WebSocket"},
    ProblemRow{Problem::RateLimited, "rate_limited", 429,
               "the token has used up its rate; Retry-After says when it has some again"},
    ProblemRow{Problem::HeadersTooLarge, "headers_too_large", 431,
               "the request line and headers are above their limit"},
    ProblemRow{Problem::Internal, "internal", 500,
               "a fault of ours; the log has it under the request id"},
    ProblemRow{Problem::Unavailable, "unavailable", 503,
               "the store cannot be written now, or the server is full; try again later"},
    ProblemRow{Problem::Stopping, "stopping", 503, "the server is shutting down"},
    ProblemRow{Problem::StorageFull, "storage_full", 507, "there is no room for the upload"},
};

}  // namespace

std::span<const ProblemRow> problem_table() { return kProblems; }

const ProblemRow& row_of(Problem problem) {
    for (const ProblemRow& row : kProblems) {
        if (row.problem == problem) return row;
    }
    BELAY_ASSERT(false, "no row for problem {}", static_cast<int>(problem));
    return kProblems.front();
}

Response error_response(Problem problem, std::string_view message, const Headers& headers) {
    const ProblemRow& row = row_of(problem);
    Response response = json_response(
        row.status, boost::json::object{{"error", {{"code", row.code}, {"message", message}}}});
    for (const auto& [name, value] : headers) response.headers.add(name, value);
    if (problem == Problem::Unauthorized) {
        response.headers.set("WWW-Authenticate", "Bearer realm=\"belay\"");
    }
    return response;
}

ApiError api_error_of(const Error& error) {
    switch (error.code()) {
        case ErrorCode::InvalidArgument:
        case ErrorCode::UnknownWorkflow:
            return {Problem::BadRequest, error.what()};
        case ErrorCode::BadValue:
            return {Problem::InvalidJson, error.what()};
        case ErrorCode::NotFound:
            return {Problem::NotFound, error.what()};
        case ErrorCode::InputMismatch:
        case ErrorCode::RunDeleted:
        case ErrorCode::NoAnswer:
            return {Problem::Conflict, error.what()};
        case ErrorCode::PayloadTooLarge:
            return {Problem::PayloadTooLarge, error.what()};
        case ErrorCode::Overloaded:
        case ErrorCode::StoreUnavailable:
        case ErrorCode::CommitUnknown:
        case ErrorCode::StoreLocked:
            return {Problem::Unavailable, error.what(), {{"Retry-After", "1"}}};
        case ErrorCode::Stopped:
            return {Problem::Stopping, error.what(), {{"Retry-After", "5"}}};
        default:
            return {Problem::Internal, error.what()};
    }
}

std::string shown(std::string_view text) {
    constexpr std::size_t kCharsMax = 80;
    if (!base::is_utf8(text)) return "(bytes that are not UTF-8)";
    std::string out;
    for (const char c : text) {
        if (out.size() >= kCharsMax && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
            return out + "…";
        }
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    }
    return out;
}

std::string_view reason_phrase(int status) {
    switch (status) {
        case 101:
            return "Switching Protocols";
        case 200:
            return "OK";
        case 201:
            return "Created";
        case 202:
            return "Accepted";
        case 204:
            return "No Content";
        case 206:
            return "Partial Content";
        case 303:
            return "See Other";
        case 304:
            return "Not Modified";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 409:
            return "Conflict";
        case 410:
            return "Gone";
        case 413:
            return "Content Too Large";
        case 415:
            return "Unsupported Media Type";
        case 416:
            return "Range Not Satisfiable";
        case 422:
            return "Unprocessable Content";
        case 426:
            return "Upgrade Required";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 501:
            return "Not Implemented";
        case 503:
            return "Service Unavailable";
        case 507:
            return "Insufficient Storage";
        default:
            return status < 400 ? "OK" : "Error";
    }
}

}  // namespace belay::api

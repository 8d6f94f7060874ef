// errors.hpp — every way in which the server says no: one table.
//
// A client branches on `code`, which never changes; people read `message`. The body is always
// {"error": {"code", "message"}}. A code exists only if some client can react to it specifically.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "service/api/headers.hpp"

namespace belay {
class Error;
}

namespace belay::api {

struct Response;

enum class Problem {
    BadRequest,
    InvalidParameter,
    InvalidJson,
    InvalidMultipart,
    Unauthorized,
    ForbiddenHost,
    ForbiddenOrigin,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    Conflict,
    PayloadTooLarge,
    UnsupportedMediaType,
    RangeNotSatisfiable,
    IdempotencyMismatch,
    UpgradeRequired,
    RateLimited,
    HeadersTooLarge,
    Internal,
    Unavailable,
    Stopping,
    StorageFull,
};

struct ProblemRow {
    Problem problem;
    std::string_view code;  // what clients branch on
    int status;
    std::string_view meaning;  // for the documentation
};

std::span<const ProblemRow> problem_table();
const ProblemRow& row_of(Problem problem);

// Thrown by a handler, or anything below it, to refuse a request.
class ApiError : public std::runtime_error {
public:
    ApiError(Problem problem, const std::string& message, Headers headers = {})
        : std::runtime_error(message), problem_(problem), headers_(std::move(headers)) {}

    Problem problem() const { return problem_; }
    const Headers& headers() const { return headers_; }

private:
    Problem problem_;
    Headers headers_;
};

Response error_response(Problem problem, std::string_view message, const Headers& headers = {});

// The refusal that an error of the engine or of a store amounts to.
ApiError api_error_of(const Error& error);

// What a client sent, fit for a message: valid UTF-8, one line, at most 80 characters.
std::string shown(std::string_view text);

// The words that belong to a status: "Not Found".
std::string_view reason_phrase(int status);

}  // namespace belay::api

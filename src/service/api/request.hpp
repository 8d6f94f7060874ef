// request.hpp — a request as a handler sees it: no socket, the body already here or already stored.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/api/headers.hpp"
#include "service/api/query.hpp"
#include "service/api/upload.hpp"

namespace belay::api {

enum class Method { Get, Head, Post, Put, Patch, Delete, Options };

std::string_view to_string(Method method);
std::optional<Method> method_named(std::string_view name);

// GET, HEAD and OPTIONS change nothing; everything else needs the Origin check.
bool changes_state(Method method);

// On whose behalf a request comes.
struct Caller {
    std::string organization_id{};
    std::string token_id{};  // empty: loopback without a token
    std::string token_name{};
    std::string session_id{};  // of the page's session, if that speaks for the token

    // What has to go on for what goes on in its name: a session, which ends with its token, or a token.
    const std::string& speaker() const { return session_id.empty() ? token_id : session_id; }
};

// The parts of a multipart body, in their order.
struct Form {
    std::vector<std::pair<std::string, std::string>> fields{};
    std::vector<UploadedFile> files{};

    // The first field of that name, or "".
    std::string_view field(std::string_view name) const;
};

struct Request {
    Method method = Method::Get;
    std::string target{};  // as it came: "/api/runs/july?x=1"
    std::string path{};    // "/api/runs/july", still escaped
    std::map<std::string, std::string, std::less<>> parameters{};  // of the path, decoded
    Query query{};
    Headers headers{};
    Caller caller{};
    std::string body{};  // JSON, if the route takes it
    Form form{};         // if the route takes a form
    std::string request_id{};
    std::string remote{};  // the client's address, for the log
    bool secure = false;   // it came over TLS
    std::string audit{};   // as its route says: what is told of it (audit.hpp); empty: nothing
    std::string audit_target{};  // the path's parameters
    bool audit_tells_body = false;

    // A parameter of the path that the route names.
    const std::string& parameter(std::string_view name) const;
};

// Splits a target into path and query. Throws ApiError{bad_request} for one that does not begin
// with a slash, and ApiError{invalid_parameter} for a broken query.
void set_target(Request& request, std::string target);

}  // namespace belay::api

#include "service/api/gate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "service/api/errors.hpp"

namespace belay::api {

namespace {

constexpr std::string_view kContentSecurityPolicy =
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

bool one_of(const std::vector<std::string>& texts, std::string_view text) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& one) { return same_word(one, text); });
}

void check_host(const Gate& gate, const Request& request) {
    const auto host = request.headers.find("Host");
    if (!host || host->empty()) throw ApiError(Problem::BadRequest, "the Host header is missing");
    if (!gate.loopback) return;
    const std::string_view name = host_name(*host);
    if (is_loopback_name(name) || one_of(gate.hosts, name)) return;
    throw ApiError(
        Problem::ForbiddenHost,
        fmt::format("this server listens on its own machine only, and `{}` is not a name "
                    "of it: use localhost or 127.0.0.1",
                    shown(name)));
}

bool is_own_origin(const Request& request, std::string_view origin) {
    const std::string own =
        fmt::format("{}://{}", request.secure ? "https" : "http", request.headers.get("Host"));
    return same_word(own, origin);
}

void check_origin(const Gate& gate, const Request& request) {
    const auto origin = request.headers.find("Origin");
    if (!origin) {
        // Old browsers send no Origin with some requests; those that say where they come from do.
        if (request.headers.get("Sec-Fetch-Site") == "cross-site")
            throw ApiError(Problem::ForbiddenOrigin,
                           "the request comes from a page of another site");
        return;
    }
    if (is_own_origin(request, *origin) || one_of(gate.cors_origins, *origin)) return;
    throw ApiError(Problem::ForbiddenOrigin,
                   fmt::format("pages of `{}` may not use this server", shown(*origin)));
}

void set_unless_there(Response& response, std::string_view name, std::string_view value) {
    if (!response.headers.find(name)) response.headers.add(std::string(name), std::string(value));
}

}  // namespace

std::string_view host_name(std::string_view host) {
    if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
    return host.substr(0, host.rfind(':'));
}

bool is_loopback_name(std::string_view name) {
    constexpr std::string_view kSuffix = ".localhost";
    if (same_word(name, "localhost") || name == "127.0.0.1" || name == "::1") return true;
    return name.size() > kSuffix.size() &&
           same_word(name.substr(name.size() - kSuffix.size()), kSuffix);
}

void check_gate(const Gate& gate, const Request& request, bool websocket) {
    check_host(gate, request);
    if (websocket || changes_state(request.method)) check_origin(gate, request);
}

void add_security_headers(Response& response) {
    set_unless_there(response, "Content-Security-Policy", kContentSecurityPolicy);
    set_unless_there(response, "X-Content-Type-Options", "nosniff");
    set_unless_there(response, "X-Frame-Options", "DENY");
    set_unless_there(response, "Referrer-Policy", "no-referrer");
    set_unless_there(response, "Cross-Origin-Resource-Policy", "same-origin");
    set_unless_there(response, "Cross-Origin-Opener-Policy", "same-origin");
}

void add_cors_headers(const Gate& gate, const Request& request, Response& response) {
    if (gate.cors_origins.empty()) return;
    response.headers.add("Vary", "Origin");
    const auto origin = request.headers.find("Origin");
    if (!origin || !one_of(gate.cors_origins, *origin)) return;
    response.headers.set("Access-Control-Allow-Origin", std::string(*origin));
    response.headers.set("Access-Control-Expose-Headers", "ETag, X-Request-Id, Retry-After");
    response.headers.set("Cross-Origin-Resource-Policy", "cross-origin");
    if (request.method != Method::Options) return;
    response.headers.set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE");
    response.headers.set("Access-Control-Allow-Headers",
                         "Authorization, Content-Type, Idempotency-Key, If-None-Match, Range");
    response.headers.set("Access-Control-Max-Age", "600");
}

}  // namespace belay::api

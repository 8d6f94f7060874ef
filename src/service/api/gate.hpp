// gate.hpp — which pages may make a browser talk to us, and which headers every answer carries; pure.
//
// A server on 127.0.0.1 is reachable by every page that the user's browser shows. Two checks close
// that: the Host must be a name of this machine (a page whose name was re-bound to 127.0.0.1 sends its
// own name), and a request that changes something must come from our own page, or from no page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/api/request.hpp"
#include "service/api/response.hpp"

namespace belay::api {

struct Gate {
    bool loopback = true;                     // bound to this machine only: Host is checked
    std::vector<std::string> hosts{};         // further names that Host may have there
    std::vector<std::string> cors_origins{};  // pages of others that may use the API; normally none
};

// "localhost:8080" → "localhost"; "[::1]:80" → "::1".
std::string_view host_name(std::string_view host);

bool is_loopback_name(std::string_view name);  // "localhost", "127.0.0.1", "::1", "x.localhost"

// Throws ApiError{forbidden_host}, {bad_request} for a missing Host, {forbidden_origin}. A WebSocket
// is checked as if it changed something: browsers let any page open one.
void check_gate(const Gate& gate, const Request& request, bool websocket);

// Adds what a browser needs to be safe with us, where the handler did not say otherwise.
void add_security_headers(Response& response);
// And what lets the pages of cors_origins in. `request` is the one that is answered.
void add_cors_headers(const Gate& gate, const Request& request, Response& response);

}  // namespace belay::api

// auth.hpp — on whose behalf a request comes.
#pragma once

#include <string>

#include "api/rate_limit.hpp"
#include "api/request.hpp"
#include "api/tokens.hpp"

namespace belay::api {

struct AuthOptions {
    std::string default_organization = "default";  // of whoever needs no token
    bool loopback =
        true;  // bound to this machine only: while no token was ever made, none is needed
};

// May block: it looks at the database. Any thread.
class Auth {
public:
    Auth(Tokens& tokens, RateLimiter& limiter, AuthOptions options)
        : tokens_(tokens), limiter_(limiter), options_(std::move(options)) {}

    // From `Authorization: Bearer belay_…`; for a WebSocket, to which a page cannot give headers, from
    // the subprotocol `belay.bearer.belay_…`. Throws ApiError{unauthorized}, {rate_limited}.
    Caller caller_of(const Request& request);

private:
    Tokens& tokens_;
    RateLimiter& limiter_;
    const AuthOptions options_;
};

inline constexpr std::string_view kTokenSubprotocol = "belay.bearer.";

}  // namespace belay::api

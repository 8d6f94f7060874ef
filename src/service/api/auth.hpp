// auth.hpp — on whose behalf a request comes.
#pragma once

#include <set>
#include <string>

#include "service/api/rate_limit.hpp"
#include "service/api/request.hpp"
#include "service/api/tokens.hpp"

namespace belay::api {

struct AuthOptions {
    std::string default_organization = "default";  // of whoever needs no token
    bool loopback =
        true;  // bound to this machine only: while no token was ever made, none is needed
};

// May block: it looks at the database. Any thread.
class Auth {
public:
    // `guesses` counts wrong tokens by the address that they come from.
    Auth(Tokens& tokens, RateLimiter& limiter, RateLimiter& guesses, AuthOptions options)
        : tokens_(tokens), limiter_(limiter), guesses_(guesses), options_(std::move(options)) {}

    // From `Authorization: Bearer belay_…`; for a WebSocket, to which a page cannot give headers, from
    // the subprotocol `belay.bearer.belay_…`. Throws ApiError{unauthorized}, {rate_limited}.
    Caller caller_of(const Request& request);

    // The server's, which whoever needs no token speaks for.
    const std::string& own_organization() const { return options_.default_organization; }

    // The ids of tokens that no longer speak for anybody: what still goes on in their name ends.
    std::set<std::string> revoked() { return tokens_.revoked(); }

private:
    [[noreturn]] void refuse_guess(const Request& request);

    Tokens& tokens_;
    RateLimiter& limiter_;
    RateLimiter& guesses_;
    const AuthOptions options_;
};

// Nobody types a wrong token twenty times in a row.
inline constexpr RateLimit kGuesses{.per_second = 1, .burst = 20};

// Where no token is needed, who calls may name the organization that he speaks for; elsewhere a token does.
inline constexpr std::string_view kOrganizationHeader = "X-Belay-Organization";

inline constexpr std::string_view kTokenSubprotocol = "belay.bearer.";

}  // namespace belay::api

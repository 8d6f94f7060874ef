// auth.hpp — on whose behalf a request comes.
#pragma once

#include <set>
#include <string>

#include "service/api/rate_limit.hpp"
#include "service/api/request.hpp"
#include "service/api/sessions.hpp"
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
    // Without `sessions` a cookie says nothing.
    Auth(Tokens& tokens, RateLimiter& limiter, RateLimiter& guesses, AuthOptions options,
         Sessions* sessions = nullptr)
        : tokens_(tokens), limiter_(limiter), guesses_(guesses), options_(std::move(options)),
          sessions_(sessions) {}

    // From `Authorization: Bearer belay_…`; for a WebSocket, to which a page cannot give headers, from
    // the subprotocol `belay.bearer.belay_…`; or from the page's session. Throws ApiError{unauthorized}, {rate_limited},
    // and {forbidden_origin} for a session that changes something without its X-CSRF-Token.
    Caller caller_of(const Request& request);

    // The token of that secret, as if a request had sent it: wrong ones are counted. Throws as above.
    Token token_of(const Request& request, std::string_view secret);

    // Whether a stranger needs a token.
    bool token_needed() { return !options_.loopback || tokens_.any(); }

    // The server's, which whoever needs no token speaks for.
    const std::string& own_organization() const { return options_.default_organization; }

    // The ids of tokens and sessions that no longer speak for anybody: what still goes on in their name ends.
    std::set<std::string> revoked();

private:
    [[noreturn]] void refuse_guess(const Request& request);
    void take_turn(const std::string& token_id, const std::string& token_name);
    std::optional<Caller> caller_in_session(const Request& request);

    Tokens& tokens_;
    RateLimiter& limiter_;
    RateLimiter& guesses_;
    const AuthOptions options_;
    Sessions* const sessions_;
};

// Nobody types a wrong token twenty times in a row.
inline constexpr RateLimit kGuesses{.per_second = 1, .burst = 20};

// Where no token is needed, who calls may name the organization that he speaks for; elsewhere a token does.
inline constexpr std::string_view kOrganizationHeader = "X-Belay-Organization";

inline constexpr std::string_view kTokenSubprotocol = "belay.bearer.";

}  // namespace belay::api

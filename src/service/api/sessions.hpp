// sessions.hpp — a page that has shown a token once goes on without it: a cookie that scripts cannot read.
//
// A session is 256 random bits in a cookie (HttpOnly, SameSite=Strict); the database has only their SHA-256. It ends when
// it is signed out of, when it is too old, or when the token it was opened with is revoked, which every request looks
// at. What a browser sends by itself proves nothing, so a request that changes something also carries `X-CSRF-Token`,
// which only a page of ours has been told (GET /api/session). On a server that needs no token a session only chooses
// whose files are looked at; it ends when the first token is made.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <belay/time.hpp>

#include "core/env/clock.hpp"
#include "service/api/request.hpp"
#include "service/api/tables.hpp"

namespace belay::api {

inline constexpr std::string_view kSessionsOwner = "belay.sessions";
std::vector<std::string> session_migrations();

inline constexpr Duration kSessionLasts = std::chrono::hours{14 * 24};
inline constexpr std::string_view kCsrfHeader = "X-CSRF-Token";

struct PageSession {
    std::string id{};  // "ses_3f2a9c01d4e5"
    std::string organization_id{};
    std::string token_id{};  // empty: none was needed
    std::string token_name{};
    Time created_at{};
    Time expires_at{};
};

// All functions may be called from any thread, and may block.
class Sessions {
public:
    Sessions(Tables& tables, const env::Clock& clock) : tables_(tables), clock_(clock) {}

    struct Opened {
        PageSession session{};
        std::string secret{};  // for the cookie, kept nowhere
    };
    // Durable when it returns. Forgets what ended long ago.
    Opened open(const std::string& organization_id, const std::string& token_id);

    // The session of that secret, if it goes on. `tokens_are_needed`: one without a token does not.
    std::optional<PageSession> find(std::string_view secret, bool tokens_are_needed);

    void end(const std::string& id);

    // The ids of those that have ended and are not forgotten yet: a watcher that one of them began is cut.
    std::set<std::string> ended();

private:
    Tables& tables_;
    const env::Clock& clock_;
};

// What a request that changes something has to carry beside the cookie.
std::string csrf_of(std::string_view secret);

// Browsers keep cookies by host, not by port: two servers of one machine have two names. From the Host header.
std::string cookie_name(const Request& request);
// The secret that the request's cookie holds; nothing if there is none.
std::optional<std::string> session_secret(const Request& request);
// The header Set-Cookie; an empty secret takes the cookie away.
std::string set_cookie(const Request& request, std::string_view secret);

}  // namespace belay::api

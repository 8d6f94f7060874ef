// account.hpp — who one is here and what one has decided: sessions of the page, tokens, settings, and who did what.
//
// An organization sees and makes its own tokens; the server's own also those of others, because somebody has to make the
// first. A token's secret is in the answer that made it and nowhere else, so making one is not remembered under a key.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/env/clock.hpp"
#include "service/api/api.hpp"
#include "service/api/sessions.hpp"
#include "service/api/settings.hpp"

namespace belay::api {

// What every request is held against, for people to see.
struct ServerLimitsShown {
    std::uint64_t upload_bytes_max = 0;
    double requests_per_second = 0;  // of one token; 0: no limit
    std::int64_t connections_max = 0;
};

// All of it outlives the routes.
struct AccountParts {
    Auth& auth;
    Tokens& tokens;
    Sessions& sessions;
    Tables& tables;
    ServerLimitsShown limits{};
    std::string webhook_given{};  // the address that it was started with, which no setting changes
    std::function<void()> webhook_changed{};
};

void add_account_routes(Routes& routes, AccountParts parts);

}  // namespace belay::api

// account_views.hpp — the shapes of account.hpp, for /openapi.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include <belay/time.hpp>

namespace belay::api {

struct SessionTokenView {
    std::string id;
    std::string name;
};
BOOST_DESCRIBE_STRUCT(SessionTokenView, (), (id, name))

struct SessionView {
    bool signed_in;                              // false: this server asks for a token first
    bool token_needed;                           // whether it asks strangers for one
    std::optional<std::string> organization_id;  // whose files are looked at
    std::optional<SessionTokenView> token;
    std::optional<Time> expires_at;  // of the session; null without one
    std::optional<std::string>
        csrf;    // what to send as X-CSRF-Token with everything that changes something
    bool owner;  // it speaks for the server's own organization
    std::vector<std::string> organizations;  // that can be chosen without a token
};
BOOST_DESCRIBE_STRUCT(SessionView, (),
                      (signed_in, token_needed, organization_id, token, expires_at, csrf, owner,
                       organizations))

// One of the two.
struct SignInBody {
    std::optional<std::string> token;
    std::optional<std::string> organization;  // where no token is needed: whose files to look at
};
BOOST_DESCRIBE_STRUCT(SignInBody, (), (token, organization))

struct TokenView {
    std::string id;
    std::string organization_id;
    std::string name;
    Time created_at;
    std::optional<Time> last_used_at;  // to the minute
    std::optional<Time> revoked_at;
    bool current;  // the one that asks
};
BOOST_DESCRIBE_STRUCT(TokenView, (),
                      (id, organization_id, name, created_at, last_used_at, revoked_at, current))

struct TokensView {
    std::vector<TokenView> tokens;
};
BOOST_DESCRIBE_STRUCT(TokensView, (), (tokens))

struct NewTokenBody {
    std::string name;
    std::optional<std::string>
        organization_id;  // another than one's own: only for the server's own
};
BOOST_DESCRIBE_STRUCT(NewTokenBody, (), (name, organization_id))

struct NewTokenView {
    std::string id;
    std::string organization_id;
    std::string name;
    std::string token;  // shown once
};
BOOST_DESCRIBE_STRUCT(NewTokenView, (), (id, organization_id, name, token))

struct LimitsView {
    std::int64_t upload_bytes_max;
    double requests_per_second;
    std::int64_t connections_max;
};
BOOST_DESCRIBE_STRUCT(LimitsView, (), (upload_bytes_max, requests_per_second, connections_max))

// Its secret is told to nobody.
struct WebhookView {
    std::string url;
    bool fixed;  // the server was started with it
};
BOOST_DESCRIBE_STRUCT(WebhookView, (), (url, fixed))

struct SettingsView {
    std::optional<std::string> language;
    std::optional<std::string> home_currency;
    std::map<std::string, std::string> accounts;  // of the proposals → of the SIE file
    std::optional<WebhookView> webhook;           // the server's, for its owner
    LimitsView limits;                            // the server's, not to be changed here
};
BOOST_DESCRIBE_STRUCT(SettingsView, (), (language, home_currency, accounts, webhook, limits))

struct AuditView {
    std::string id;
    Time at;
    std::optional<std::string> token_id;  // null: the server needed none
    std::optional<std::string> token_name;
    std::string action;
    std::optional<std::string> target;
    std::optional<std::string> detail;
};
BOOST_DESCRIBE_STRUCT(AuditView, (), (id, at, token_id, token_name, action, target, detail))

}  // namespace belay::api

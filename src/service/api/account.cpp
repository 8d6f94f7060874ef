#include "service/api/account.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "service/api/account_views.hpp"
#include "service/api/audit.hpp"

namespace belay::api {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 3> kLanguages{"en", "sv", "de"};
constexpr std::size_t kAccountsMax = 500;
constexpr std::size_t kWebhookSecretCharsMin = 16;  // as webhooks/webhook.hpp wants it
constexpr std::size_t kWebhookUrlCharsMax = 2000;
constexpr std::size_t kOrganizationsMax = 200;

json::value time_json(const std::optional<Time>& time) {
    return time ? json::value(base::format_time(*time)) : json::value(nullptr);
}
json::value or_null(const std::string& text) {
    return text.empty() ? json::value(nullptr) : json::value(text);
}

// ---- sessions

// By jumping from one to the next in the index: there are few organizations and many runs.
std::vector<std::string> organizations_of(Tables& tables, const std::string& own) {
    std::vector<std::string> out{own};
    try {
        std::string last;
        while (out.size() < kOrganizationsMax) {
            const SqlRows rows = tables.rows(
                "SELECT min(organization_id) FROM workflow_runs WHERE organization_id > ?", last);
            const auto next = rows[0].get<std::optional<std::string>>(0);
            if (!next) break;
            last = *next;
            if (last != own) out.push_back(last);
        }
    } catch (const Error& error) {
        // Runs are not kept in SQL here.
        if (error.code() != ErrorCode::InvalidArgument) throw;
    }
    return out;
}

json::object session_json(const AccountParts& parts, const Caller& caller,
                          const std::optional<PageSession>& session, std::string_view secret) {
    const bool needed = parts.auth.token_needed();
    json::array organizations;
    if (!needed) {
        for (const auto& one : organizations_of(parts.tables, parts.auth.own_organization()))
            organizations.emplace_back(one);
    }
    json::value token = nullptr;
    if (!caller.token_id.empty())
        token = json::object{{"id", caller.token_id}, {"name", caller.token_name}};
    json::value expires = nullptr, csrf = nullptr;
    if (session) {
        expires = base::format_time(session->expires_at);
        csrf = csrf_of(secret);
    }
    return {{"signed_in", true},
            {"token_needed", needed},
            {"organization_id", caller.organization_id},
            {"token", std::move(token)},
            {"expires_at", std::move(expires)},
            {"csrf", std::move(csrf)},
            {"owner", caller.organization_id == parts.auth.own_organization()},
            {"organizations", std::move(organizations)}};
}

Response no_store(Response response) {
    response.headers.set("Cache-Control", "no-store");
    return response;
}

Response show_session(const AccountParts& parts, const Request& request) {
    try {
        const Caller caller = parts.auth.caller_of(request);
        const std::string secret = session_secret(request).value_or("");
        std::optional<PageSession> session;
        if (!caller.session_id.empty())
            session = parts.sessions.find(secret, parts.auth.token_needed());
        return no_store(json_response(200, session_json(parts, caller, session, secret)));
    } catch (const ApiError& error) {
        if (error.problem() != Problem::Unauthorized) throw;
        return no_store(json_response(200, {{"signed_in", false},
                                            {"token_needed", true},
                                            {"organization_id", nullptr},
                                            {"token", nullptr},
                                            {"expires_at", nullptr},
                                            {"csrf", nullptr},
                                            {"owner", false},
                                            {"organizations", json::array{}}}));
    }
}

// The page's new session; the one that it had ends.
Response opened(const AccountParts& parts, const Request& request, const std::string& organization,
                const Token* token) {
    if (const auto old = session_secret(request)) {
        if (const auto had = parts.sessions.find(*old, false)) parts.sessions.end(had->id);
    }
    const auto made = parts.sessions.open(organization, token != nullptr ? token->id : "");
    Caller caller{organization, made.session.token_id, token != nullptr ? token->name : "",
                  made.session.id};
    Response response = json_response(200, session_json(parts, caller, made.session, made.secret));
    response.headers.add("Set-Cookie", set_cookie(request, made.secret));
    return no_store(std::move(response));
}

Response sign_in(const AccountParts& parts, const Request& request) {
    const auto body = body_as<SignInBody>(request);
    if (body.token) {
        const Token token = parts.auth.token_of(request, trimmed(*body.token));
        return opened(parts, request, token.organization_id, &token);
    }
    const std::string organization = body.organization.value_or("");
    if (parts.auth.token_needed())
        throw ApiError(Problem::Unauthorized, "send {\"token\": \"belay_…\"}");
    make_token(organization, "session");  // says what is wrong with the name
    return opened(parts, request, organization, nullptr);
}

Response sign_out(const AccountParts& parts, const Request& request) {
    if (!request.caller.session_id.empty()) parts.sessions.end(request.caller.session_id);
    Response response;
    response.status = 204;
    response.headers.add("Set-Cookie", set_cookie(request, ""));
    return response;
}

// ---- tokens

bool owns(const AccountParts& parts, const Caller& caller) {
    return caller.organization_id == parts.auth.own_organization();
}

Response list_tokens(const AccountParts& parts, const Request& request) {
    request.query.allow_only({});
    json::array rows;
    for (const Token& token : parts.tokens.list()) {
        if (!owns(parts, request.caller) && token.organization_id != request.caller.organization_id)
            continue;
        rows.push_back({{"id", token.id},
                        {"organization_id", token.organization_id},
                        {"name", token.name},
                        {"created_at", base::format_time(token.created_at)},
                        {"last_used_at", time_json(token.last_used_at)},
                        {"revoked_at", time_json(token.revoked_at)},
                        {"current", token.id == request.caller.token_id}});
    }
    return json_response(200, {{"tokens", std::move(rows)}});
}

Response new_token(const AccountParts& parts, const Request& request) {
    const auto body = body_as<NewTokenBody>(request);
    const std::string organization = body.organization_id.value_or(request.caller.organization_id);
    if (organization != request.caller.organization_id && !owns(parts, request.caller))
        throw ApiError(Problem::Forbidden, "a token is made for one's own organization");
    // The first one shuts out whoever has none, so it is this page's from now on.
    const bool first = !parts.tokens.any();
    const NewToken made = make_token(organization, body.name);
    AuditNote note = audit_note(request);
    note.target = made.id;
    note.detail = body.name;
    parts.tables.transact([&](Tx& tx) {
        token_request(tx, made.request);
        write_audit(tx, note);
    });
    Response response = json_response(201, {{"id", made.id},
                                            {"organization_id", organization},
                                            {"name", body.name},
                                            {"token", made.secret}});
    if (first) {
        const auto session = parts.sessions.open(organization, made.id);
        response.headers.add("Set-Cookie", set_cookie(request, session.secret));
    }
    return no_store(std::move(response));
}

Response revoke_token(const AccountParts& parts, const Request& request) {
    const std::string& id = request.parameter("id");
    const auto all = parts.tokens.list();
    const auto found = std::ranges::find(all, id, &Token::id);
    if (found == all.end() ||
        (!owns(parts, request.caller) && found->organization_id != request.caller.organization_id))
        throw ApiError(Problem::NotFound, fmt::format("there is no token `{}`", shown(id)));
    AuditNote note = audit_note(request);
    note.detail = found->name;
    parts.tables.transact([&](Tx& tx) {
        token_request(tx, revoke_request(id));
        write_audit(tx, note);
    });
    Response response;
    response.status = 204;
    return response;
}

// ---- settings

std::string text_in(const std::string& written) {
    const json::value value = json::parse(written);
    return value.is_string() ? std::string(value.as_string()) : std::string();
}

Response show_settings(const AccountParts& parts, const Caller& caller) {
    const auto known = settings_of(parts.tables, caller.organization_id);
    const auto text = [&](std::string_view name) -> json::value {
        const auto found = known.find(std::string(name));
        return found == known.end() ? json::value(nullptr) : or_null(text_in(found->second));
    };
    json::object accounts;
    if (const auto found = known.find(std::string(kAccountsSetting)); found != known.end())
        accounts = json::parse(found->second).as_object();
    json::value webhook = nullptr;
    if (owns(parts, caller)) {
        const auto kept = webhook_setting(parts.tables, caller.organization_id);
        if (!parts.webhook_given.empty())
            webhook = json::object{{"url", parts.webhook_given}, {"fixed", true}};
        else if (kept)
            webhook = json::object{{"url", kept->url}, {"fixed", false}};
    }
    return json_response(200, {{"language", text(kLanguageSetting)},
                               {"home_currency", text(kCurrencySetting)},
                               {"accounts", std::move(accounts)},
                               {"webhook", std::move(webhook)},
                               {"limits",
                                {{"upload_bytes_max", parts.limits.upload_bytes_max},
                                 {"requests_per_second", parts.limits.requests_per_second},
                                 {"connections_max", parts.limits.connections_max}}}});
}

[[noreturn]] void refuse(std::string_view field, std::string_view why) {
    throw ApiError(Problem::InvalidJson, fmt::format("`{}` {}", field, why));
}

bool is_account(std::string_view text) {
    return text.size() == 4 &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

void check_webhook(std::string_view name, const json::value& value) {
    const auto text = [&](std::string_view field) -> std::string_view {
        const auto* found = value.is_object() ? value.as_object().if_contains(field) : nullptr;
        return found != nullptr && found->is_string() ? std::string_view(found->as_string())
                                                      : std::string_view{};
    };
    const std::string_view url = text("url");
    const bool web = url.starts_with("http://") || url.starts_with("https://");
    if (!web || url.size() > kWebhookUrlCharsMax ||
        text("secret").size() < kWebhookSecretCharsMin || value.as_object().size() != 2)
        refuse(name, fmt::format("is null, or an address (url) with a secret of at least {} "
                                 "characters",
                                 kWebhookSecretCharsMin));
}

// What is to be written: a JSON text, or nothing for what is not decided any more.
std::string checked(std::string_view name, const json::value& value) {
    if (value.is_null()) return {};
    if (name == kLanguageSetting) {
        if (!value.is_string() ||
            std::ranges::find(kLanguages, std::string_view(value.as_string())) == kLanguages.end())
            refuse(name, "is one of en, sv, de, or null");
    } else if (name == kCurrencySetting) {
        const bool code = value.is_string() && value.as_string().size() == 3 &&
                          std::ranges::all_of(std::string_view(value.as_string()),
                                              [](char c) { return c >= 'A' && c <= 'Z'; });
        if (!code) refuse(name, "is a currency's three letters, SEK, or null");
    } else if (name == kAccountsSetting) {
        if (!value.is_object() || value.as_object().size() > kAccountsMax)
            refuse(name, "says which account stands for which: {\"5790\": \"6990\"}");
        for (const auto& [from, to] : value.as_object()) {
            if (!is_account(from) || !to.is_string() || !is_account(to.as_string()))
                refuse(name, fmt::format("has accounts of four digits, not `{}`",
                                         shown(std::string(from))));
        }
        if (value.as_object().empty()) return {};
    } else if (name == kWebhookSetting) {
        check_webhook(name, value);
    } else {
        refuse(shown(std::string(name)),
               "is no setting: there are language, home_currency, accounts, webhook");
    }
    return json::serialize(value);
}

Response change_settings(const AccountParts& parts, const Request& request) {
    boost::system::error_code broken;
    const json::value body = json::parse(request.body, broken);
    if (broken || !body.is_object())
        throw ApiError(Problem::InvalidJson, R"(say what is to be: {"language": "sv"})");
    std::vector<std::pair<std::string, std::string>> wanted;
    for (const auto& [name, value] : body.as_object())
        wanted.emplace_back(name, checked(name, value));
    const bool webhook = body.as_object().contains(kWebhookSetting);
    AuditNote note = audit_note(request);
    if (webhook) {
        if (!owns(parts, request.caller))
            throw ApiError(Problem::Forbidden,
                           "whom the server tells is for its own organization to say");
        if (!parts.webhook_given.empty())
            throw ApiError(Problem::Conflict,
                           "the server was started with a webhook, which no setting changes");
        note.detail = "webhook";  // not the secret
    }
    parts.tables.transact([&](Tx& tx) {
        for (const auto& [name, text] : wanted)
            write_setting(tx, request.caller.organization_id, name, text);
        write_audit(tx, note);
    });
    if (webhook && parts.webhook_changed) parts.webhook_changed();
    return show_settings(parts, request.caller);
}

// ---- audit

Response list_audit(const AccountParts& parts, const Request& request) {
    constexpr std::array<std::string_view, 5> kNames{"action", "token_id", "target", "limit",
                                                     "cursor"};
    request.query.allow_only(kNames);
    AuditFilter filter;
    filter.action = request.query.text("action");
    filter.token_id = request.query.text("token_id");
    filter.target = request.query.text("target");
    filter.limit =
        static_cast<int>(request.query.integer("limit", kListLimitDefault, 1, kListLimitMax));
    if (const auto cursor = request.query.find("cursor"); cursor && !cursor->empty())
        filter.before = read_cursor(*cursor);
    auto rows = audit_rows(parts.tables, request.caller.organization_id, filter);
    json::object out{{"audit", json::array{}}, {"next_cursor", nullptr}};
    if (rows.size() > static_cast<std::size_t>(filter.limit)) {
        rows.pop_back();
        out["next_cursor"] = cursor_text(rows.back().seq);
    }
    json::array told;
    for (const AuditRow& row : rows) {
        told.push_back({{"id", std::to_string(row.seq)},
                        {"at", base::format_time(row.at)},
                        {"token_id", or_null(row.token_id)},
                        {"token_name", or_null(row.token_name)},
                        {"action", row.action},
                        {"target", or_null(row.target)},
                        {"detail", or_null(row.detail)}});
    }
    out["audit"] = std::move(told);
    return json_response(200, out);
}

using Parts = std::shared_ptr<const AccountParts>;
using Handle = Response (*)(const AccountParts&, const Request&);

Route account_route(std::string path, std::string summary, JsonSchema schema) {
    Route route;
    route.path = std::move(path);
    route.summary = std::move(summary);
    route.group = "account";
    route.response_schema = std::move(schema);
    return route;
}
Handler with(const Parts& parts, Handle handle) {
    return [parts, handle](Request& request) { return handle(*parts, request); };
}

void add_sessions(Routes& routes, const Parts& parts) {
    Route show = account_route("/api/session", "Whose page this is, and what it sends with changes",
                               schema_of<SessionView>());
    show.access = Access::Anyone;
    show.problems = {Problem::Unauthorized, Problem::RateLimited};
    show.handler = with(parts, show_session);
    routes.add(std::move(show));

    Route in = account_route("/api/session", "Sign in: a token opens a session of the page",
                             schema_of<SessionView>());
    in.access = Access::Anyone;
    in.takes = Takes::Json;
    in.request_schema = schema_of<SignInBody>(SchemaFor::Request);
    in.problems = {Problem::Unauthorized, Problem::RateLimited, Problem::InvalidParameter};
    in.on<Method::Post>(
        Repeatable{"a second session is another cookie for the same token", with(parts, sign_in)});
    routes.add(std::move(in));

    Route out = account_route("/api/session", "Sign out", {});
    out.success = 204;
    out.on<Method::Delete>(with(parts, sign_out));
    routes.add(std::move(out));
}

void add_tokens(Routes& routes, const Parts& parts) {
    Route list =
        account_route("/api/tokens", "Who may speak for the organization", schema_of<TokensView>());
    list.handler = with(parts, list_tokens);
    routes.add(std::move(list));

    Route make = account_route("/api/tokens", "Make a token; its secret is shown once",
                               schema_of<NewTokenView>());
    make.takes = Takes::Json;
    make.request_schema = schema_of<NewTokenBody>(SchemaFor::Request);
    make.success = 201;
    make.audit = "make_token";
    make.problems = {Problem::Forbidden, Problem::InvalidParameter};
    make.on<Method::Post>(Repeatable{
        "its answer holds a secret, which is kept nowhere: a second token can be revoked",
        with(parts, new_token)});
    routes.add(std::move(make));

    Route revoke = account_route("/api/tokens/{id}", "Revoke a token, and end its sessions", {});
    revoke.parameters = {path_parameter("id", "the token's id, tok_…")};
    revoke.success = 204;
    revoke.audit = "revoke_token";
    revoke.problems = {Problem::NotFound};
    revoke.on<Method::Delete>(with(parts, revoke_token));
    routes.add(std::move(revoke));
}

void add_settings(Routes& routes, const Parts& parts) {
    Route show = account_route("/api/settings", "What the organization has decided",
                               schema_of<SettingsView>());
    show.handler = [parts](const Request& request) {
        return show_settings(*parts, request.caller);
    };
    routes.add(std::move(show));

    Route change = account_route("/api/settings", "Decide something; null takes it back",
                                 schema_of<SettingsView>());
    change.takes = Takes::Json;
    change.request_schema = {{"type", "object"}};
    change.problems = {Problem::Forbidden, Problem::Conflict};
    change.audit = "settings";
    change.audit_body = true;
    change.on<Method::Patch>(with(parts, change_settings));
    routes.add(std::move(change));

    Route audit = account_route("/api/audit", "Which token did what, newest first",
                                list_schema("audit", schema_of<AuditView>()));
    audit.parameters = {query_parameter("action", "only this: approve, correct, delete, retry, …"),
                        query_parameter("token_id", "only what this token did"),
                        query_parameter("target", "only what was done to this")};
    for (Parameter& parameter : list_parameters()) audit.parameters.push_back(std::move(parameter));
    audit.handler = with(parts, list_audit);
    routes.add(std::move(audit));
}

}  // namespace

void add_account_routes(Routes& routes, AccountParts parts) {
    const auto shared = std::make_shared<const AccountParts>(std::move(parts));
    add_sessions(routes, shared);
    add_tokens(routes, shared);
    add_settings(routes, shared);
}

}  // namespace belay::api

#include "service/api/sessions.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/base64.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/env/secret.hpp"
#include "service/api/gate.hpp"
#include "service/api/tokens.hpp"

namespace belay::api {

namespace {

constexpr std::size_t kLookupChars = 16;
constexpr std::size_t kSecretCharsMax = 100;
constexpr std::size_t kCsrfChars = 32;
constexpr std::string_view kPrefix = "ses_";
constexpr std::string_view kCookie = "belay_session";
// An ended session is told to watchers until then; any look is seconds after it ended.
constexpr Duration kForgottenAfter = std::chrono::hours{1};

std::string fresh_secret() {
    std::array<std::byte, 32> bits{};
    env::fill_with_secret(bits);
    return base::to_hex(bits);
}
std::string fresh_id() {
    std::array<std::byte, 6> bits{};
    env::fill_with_secret(bits);
    return std::string(kPrefix) + base::to_hex(bits);
}

}  // namespace

std::vector<std::string> session_migrations() {
    return {R"(
CREATE TABLE api_sessions (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    token_id TEXT NOT NULL,  -- '': none was needed when it was opened
    lookup TEXT NOT NULL,    -- the first digits of the hash: finding compares no secret
    hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at INTEGER
);
CREATE INDEX api_sessions_lookup ON api_sessions (lookup);
)"};
}

Sessions::Opened Sessions::open(const std::string& organization_id, const std::string& token_id) {
    Opened opened;
    opened.secret = fresh_secret();
    PageSession& session = opened.session;
    session.id = fresh_id();
    session.organization_id = organization_id;
    session.token_id = token_id;
    session.created_at = clock_.now();
    session.expires_at = session.created_at + kSessionLasts;
    const std::string hash = base::sha256_hex(opened.secret);
    const Time long_ago = session.created_at - kForgottenAfter;
    tables_.transact([&](Tx& tx) {
        tx.exec("DELETE FROM api_sessions WHERE expires_at < ? OR ended_at < ?", long_ago,
                long_ago);
        tx.exec(
            "INSERT INTO api_sessions (id, organization_id, token_id, lookup, hash, created_at, "
            "expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            session.id, organization_id, token_id, hash.substr(0, kLookupChars), hash,
            session.created_at, session.expires_at);
    });
    return opened;
}

std::optional<PageSession> Sessions::find(std::string_view secret, bool tokens_are_needed) {
    if (secret.empty() || secret.size() > kSecretCharsMax) return std::nullopt;
    const std::string hash = base::sha256_hex(secret);
    const SqlRows rows = tables_.rows(
        "SELECT s.id, s.organization_id, s.token_id, coalesce(t.name, ''), s.created_at, "
        "s.expires_at, s.hash FROM api_sessions s LEFT JOIN api_tokens t ON t.id = s.token_id "
        "WHERE s.lookup = ? AND s.ended_at IS NULL AND s.expires_at > ? AND t.revoked_at IS NULL",
        hash.substr(0, kLookupChars), clock_.now());
    for (const SqlRow& row : rows) {
        if (!equal_in_constant_time(row.get<std::string>(6), hash)) continue;
        PageSession session{row.get<std::string>(0), row.get<std::string>(1),
                            row.get<std::string>(2), row.get<std::string>(3),
                            row.get<Time>(4),        row.get<Time>(5)};
        if (session.token_id.empty() && tokens_are_needed) return std::nullopt;
        return session;
    }
    return std::nullopt;
}

void Sessions::end(const std::string& id) {
    tables_.transact([&](Tx& tx) {
        tx.exec("UPDATE api_sessions SET ended_at = ? WHERE id = ? AND ended_at IS NULL",
                clock_.now(), id);
    });
}

std::set<std::string> Sessions::ended() {
    std::set<std::string> ids;
    for (const SqlRow& row : tables_.rows(
             "SELECT s.id FROM api_sessions s LEFT JOIN api_tokens t ON t.id = s.token_id "
             "WHERE s.ended_at IS NOT NULL OR s.expires_at <= ? OR t.revoked_at IS NOT NULL OR "
             "(s.token_id = '' AND EXISTS (SELECT 1 FROM api_tokens))",
             clock_.now()))
        ids.insert(row.get<std::string>(0));
    return ids;
}

std::string csrf_of(std::string_view secret) {
    return base::sha256_hex(fmt::format("csrf {}", secret)).substr(0, kCsrfChars);
}

std::string cookie_name(const Request& request) {
    const std::string_view host = request.headers.get("Host");
    const std::string_view name = host_name(host);
    const auto colon = host.rfind(':');
    std::string out(kCookie);
    if (colon == std::string_view::npos || colon < name.size()) return out;
    const std::string_view port = host.substr(colon + 1);
    const bool plain = !port.empty() && std::all_of(port.begin(), port.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; });
    return plain ? fmt::format("{}_{}", kCookie, port) : out;
}

std::optional<std::string> session_secret(const Request& request) {
    const std::string wanted = cookie_name(request) + "=";
    for (const auto& [name, value] : request.headers) {
        if (!same_word(name, "Cookie")) continue;
        std::string_view rest = value;
        while (!rest.empty()) {
            const auto end = rest.find(';');
            const std::string_view one = trimmed(rest.substr(0, end));
            rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
            if (one.starts_with(wanted)) return std::string(one.substr(wanted.size()));
        }
    }
    return std::nullopt;
}

std::string set_cookie(const Request& request, std::string_view secret) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(kSessionLasts).count();
    return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}",
                       cookie_name(request), secret, secret.empty() ? 0 : seconds,
                       request.secure ? "; Secure" : "");
}

}  // namespace belay::api

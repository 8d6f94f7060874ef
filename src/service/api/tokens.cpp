#include "service/api/tokens.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <boost/describe.hpp>
#include <openssl/crypto.h>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/base64.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/base/utf8.hpp"
#include "core/env/secret.hpp"

namespace belay::api {

// The payload of a control request "tokens".
struct TokenRequest {
    std::string action;  // "create", "revoke"
    std::string id;
    std::string organization_id;
    std::string name;
    std::string hash;
};
BOOST_DESCRIBE_STRUCT(TokenRequest, (), (action, id, organization_id, name, hash))

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPrefix = "belay_";
constexpr std::size_t kNameCharsMax = 100;
constexpr std::size_t kLookupChars = 16;
// Writing each use would be a commit per request; people ask "is it still in use", not "when exactly".
constexpr Duration kNoteUseEvery = 1min;

std::string secret_text() {
    std::array<std::byte, 32> bits{};
    env::fill_with_secret(bits);
    std::string text;
    base::append_base64(text, bits);
    while (text.ends_with('=')) text.pop_back();
    for (char& c : text) {
        if (c == '+') c = '-';
        if (c == '/') c = '_';
    }
    return std::string(kPrefix) + text;
}

std::string fresh_id() {
    std::array<std::byte, 6> bits{};
    env::fill_with_secret(bits);
    return "tok_" + base::to_hex(bits);
}

void check_name(std::string_view what, std::string_view text) {
    const bool plain = base::is_utf8(text) && std::none_of(text.begin(), text.end(), [](char c) {
                           return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
                       });
    if (text.empty() || text.size() > kNameCharsMax || !plain) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("the {} of a token has 1 to {} printable characters", what, kNameCharsMax));
    }
}

// It is the first part of every key of its files, so it keeps the rule of those (objects/key.hpp): otherwise its uploads
// would be refused one by one.
void check_organization(std::string_view organization) {
    check_name("organization", organization);
    const auto refuse = [&](std::string_view why) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("`{}` cannot be the organization of a token: {}", organization, why));
    };
    if (organization.find('/') != std::string_view::npos)
        refuse("it has a slash, and a file's key is `organization/name`");
    if (organization == "." || organization == "..") refuse("it is no name");
}

Token read_token(const SqlRow& row) {
    return {row.get<std::string>(0),         row.get<std::string>(1),
            row.get<std::string>(2),         row.get<Time>(3),
            row.get<std::optional<Time>>(4), row.get<std::optional<Time>>(5)};
}

}  // namespace

std::vector<std::string> token_migrations() {
    return {R"(
CREATE TABLE api_tokens (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    name TEXT NOT NULL,
    lookup TEXT NOT NULL,  -- the first digits of the hash: finding compares no secret
    hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER
);
CREATE INDEX api_tokens_lookup ON api_tokens (lookup);
)"};
}

NewToken make_token(std::string_view organization_id, std::string_view name) {
    check_organization(organization_id);
    check_name("name", name);
    NewToken token;
    token.secret = secret_text();
    token.id = fresh_id();
    TokenRequest request;
    request.action = "create";
    request.id = token.id;
    request.organization_id = organization_id;
    request.name = name;
    request.hash = base::sha256_hex(token.secret);
    token.request = to_json(request);
    return token;
}

std::string revoke_request(std::string_view token_id) {
    TokenRequest request;
    request.action = "revoke";
    request.id = token_id;
    return to_json(request);
}

std::string token_request(Tx& tx, const std::string& payload) {
    const auto request = from_json<TokenRequest>(payload);
    if (request.action == "create") {
        check_organization(request.organization_id);
        check_name("name", request.name);
        if (request.hash.size() != 64)
            throw Error(ErrorCode::InvalidArgument, "a token needs its hash");
        tx.exec(
            "INSERT INTO api_tokens (id, organization_id, name, lookup, hash, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            request.id, request.organization_id, request.name, request.hash.substr(0, kLookupChars),
            request.hash, tx.now());
        return request.id;
    }
    if (request.action == "revoke") {
        const auto changed =
            tx.exec("UPDATE api_tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?",
                    tx.now(), request.id);
        if (changed == 0)
            throw Error(ErrorCode::NotFound, fmt::format("there is no token `{}`", request.id));
        return request.id;
    }
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("`{}` is nothing that is done to tokens", request.action));
}

std::optional<Token> Tokens::find(std::string_view secret) {
    if (!secret.starts_with(kPrefix) || secret.size() > 100) return std::nullopt;
    const std::string hash = base::sha256_hex(secret);
    const SqlRows rows = tables_.rows(
        "SELECT id, organization_id, name, created_at, last_used_at, revoked_at, hash "
        "FROM api_tokens WHERE lookup = ?",
        hash.substr(0, kLookupChars));
    for (const SqlRow& row : rows) {
        if (!equal_in_constant_time(row.get<std::string>(6), hash)) continue;
        Token token = read_token(row);
        if (token.revoked_at) return std::nullopt;
        note_use(token);
        return token;
    }
    return std::nullopt;
}

void Tokens::note_use(const Token& token) {
    const Time now = clock_.now();
    if (token.last_used_at && now - *token.last_used_at < kNoteUseEvery) return;
    try {
        tables_.transact([&](Tx& tx) {
            tx.exec("UPDATE api_tokens SET last_used_at = ? WHERE id = ?", now, token.id);
        });
    } catch (const Error&) {
        // A store that cannot be written must not keep a reader out; the request says what it needs.
    }
}

bool Tokens::any() {
    if (any_) return true;
    any_ = !tables_.rows("SELECT 1 FROM api_tokens LIMIT 1").empty();
    return any_;
}

std::vector<Token> Tokens::list() {
    std::vector<Token> tokens;
    for (const SqlRow& row :
         tables_.rows("SELECT id, organization_id, name, created_at, last_used_at, revoked_at "
                      "FROM api_tokens ORDER BY created_at, id")) {
        tokens.push_back(read_token(row));
    }
    return tokens;
}

std::set<std::string> Tokens::revoked() {
    std::set<std::string> ids;
    for (const SqlRow& row : tables_.rows("SELECT id FROM api_tokens WHERE revoked_at IS NOT NULL"))
        ids.insert(row.get<std::string>(0));
    return ids;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace belay::api

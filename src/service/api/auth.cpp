#include "service/api/auth.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/utf8.hpp"
#include "service/api/errors.hpp"
#include "service/api/query.hpp"

namespace belay::api {

namespace {

// The token that a request sends; nothing if it sends none.
std::optional<std::string_view> token_sent(const Request& request) {
    constexpr std::string_view kScheme = "Bearer ";
    if (const auto header = request.headers.find("Authorization")) {
        if (request.headers.count("Authorization") > 1)
            throw ApiError(Problem::BadRequest, "there is more than one Authorization header");
        if (header->size() <= kScheme.size() ||
            !same_word(header->substr(0, kScheme.size()), kScheme))
            throw ApiError(Problem::Unauthorized,
                           "send the token as `Authorization: Bearer belay_…`");
        return trimmed(header->substr(kScheme.size()));
    }
    for (const auto item : list_items(request.headers.get("Sec-WebSocket-Protocol"))) {
        if (item.starts_with(kTokenSubprotocol)) return item.substr(kTokenSubprotocol.size());
    }
    return std::nullopt;
}

// Whoever sits at this machine speaks for all of its organizations, and says for which one.
std::string organization_asked(const Request& request, const std::string& own) {
    const auto asked = request.headers.find(kOrganizationHeader);
    if (!asked) return own;
    const auto name = percent_decoded(trimmed(*asked), false);
    constexpr std::size_t kCharsMax = 80;
    const auto is_wrong = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '/';
    };
    if (!name || name->empty() || name->size() > kCharsMax || *name == "*" || *name == "." ||
        *name == ".." || !base::is_utf8(*name) || std::any_of(name->begin(), name->end(), is_wrong))
        throw ApiError(
            Problem::BadRequest,
            fmt::format("{} is the name of an organization, percent-encoded", kOrganizationHeader));
    return *name;
}

}  // namespace

Caller Auth::caller_of(const Request& request) {
    const auto sent = token_sent(request);
    if (!sent) {
        if (auto caller = caller_in_session(request)) return *std::move(caller);
        if (!token_needed())
            return {organization_asked(request, options_.default_organization), ""};
        throw ApiError(
            Problem::Unauthorized,
            "this needs a token: send `Authorization: Bearer belay_…`. `belay tokens create` "
            "makes one");
    }
    const Token token = token_of(request, *sent);
    return {token.organization_id, token.id, token.name};
}

Token Auth::token_of(const Request& request, std::string_view secret) {
    auto token = tokens_.find(secret);
    if (!token) refuse_guess(request);
    take_turn(token->id, token->name);
    return *std::move(token);
}

void Auth::take_turn(const std::string& token_id, const std::string& token_name) {
    if (const Duration wait = limiter_.take(token_id); wait > Duration{0}) {
        const auto seconds = (wait.count() + 999) / 1000;
        throw ApiError(Problem::RateLimited,
                       fmt::format("token {} ({}) has used up its rate; try again in {} s",
                                   token_id, token_name, seconds),
                       {{"Retry-After", std::to_string(seconds)}});
    }
}

// A browser sends the cookie with whatever any page makes it send: what changes something, or opens a live feed (which
// SameSite and the Origin check keep to our own pages), is held against what only our page was told.
std::optional<Caller> Auth::caller_in_session(const Request& request) {
    if (sessions_ == nullptr) return std::nullopt;
    const auto secret = session_secret(request);
    if (!secret) return std::nullopt;
    const auto session = sessions_->find(*secret, token_needed());
    if (!session) return std::nullopt;
    if (changes_state(request.method) &&
        !equal_in_constant_time(request.headers.get(kCsrfHeader), csrf_of(*secret))) {
        throw ApiError(Problem::ForbiddenOrigin,
                       fmt::format("a session that changes something sends {}, which GET "
                                   "/api/session tells its page",
                                   kCsrfHeader));
    }
    if (!session->token_id.empty()) take_turn(session->token_id, session->token_name);
    return Caller{session->organization_id, session->token_id, session->token_name, session->id};
}

std::set<std::string> Auth::revoked() {
    std::set<std::string> ids = tokens_.revoked();
    if (sessions_ != nullptr) ids.merge(sessions_->ended());
    return ids;
}

// A right token is never kept out by somebody's wrong ones: it is looked up first.
void Auth::refuse_guess(const Request& request) {
    if (const Duration wait = guesses_.take(request.remote); wait > Duration{0}) {
        const auto seconds = (wait.count() + 999) / 1000;
        throw ApiError(Problem::RateLimited,
                       fmt::format("too many wrong tokens from {}; try again in {} s",
                                   request.remote, seconds),
                       {{"Retry-After", std::to_string(seconds)}});
    }
    throw ApiError(Problem::Unauthorized, "the token is unknown or revoked");
}

}  // namespace belay::api

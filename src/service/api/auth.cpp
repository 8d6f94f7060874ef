#include "service/api/auth.hpp"

#include <fmt/format.h>

#include "service/api/errors.hpp"

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

}  // namespace

Caller Auth::caller_of(const Request& request) {
    const auto sent = token_sent(request);
    if (!sent) {
        if (options_.loopback && !tokens_.any()) return {options_.default_organization, ""};
        throw ApiError(
            Problem::Unauthorized,
            "this needs a token: send `Authorization: Bearer belay_…`. `belay tokens create` "
            "makes one");
    }
    const auto token = tokens_.find(*sent);
    if (!token) refuse_guess(request);
    if (const Duration wait = limiter_.take(token->id); wait > Duration{0}) {
        const auto seconds = (wait.count() + 999) / 1000;
        throw ApiError(Problem::RateLimited,
                       fmt::format("token {} ({}) has used up its rate; try again in {} s",
                                   token->id, token->name, seconds),
                       {{"Retry-After", std::to_string(seconds)}});
    }
    return {token->organization_id, token->id};
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

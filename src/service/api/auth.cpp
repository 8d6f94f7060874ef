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
        if (options_.loopback && !tokens_.any())
            return {organization_asked(request, options_.default_organization), ""};
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

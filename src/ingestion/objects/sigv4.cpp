#include "ingestion/objects/sigv4.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "service/http/digest.hpp"
#include "service/http/headers.hpp"
#include "service/http/url.hpp"

namespace belay::objects::sigv4 {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string day_of(Time time) { return amz_date(time).substr(0, 8); }

std::string scope_text(const Scope& scope, Time time) {
    return fmt::format("{}/{}/{}/aws4_request", day_of(time), scope.region, scope.service);
}

std::string signed_headers(const ToSign& request) {
    std::string names;
    for (const auto& [name, value] : request.headers) names += (names.empty() ? "" : ";") + name;
    return names;
}

// Outer spaces go, inner ones count once.
std::string canonical_value(std::string_view value) {
    std::string result;
    for (const char c : http::trim(value))
        if (c != ' ' || result.empty() || result.back() != ' ') result += c;
    return result;
}

http::HmacDigest sign(const http::HmacDigest& key, std::string_view text) {
    return http::hmac_sha256(std::as_bytes(std::span(key)), text);
}

}  // namespace

std::string amz_date(Time time) {
    const auto text = base::format_time(time);  // 2013-05-24T00:00:00.000Z
    return fmt::format("{}{}{}T{}{}{}Z", text.substr(0, 4), text.substr(5, 2), text.substr(8, 2),
                       text.substr(11, 2), text.substr(14, 2), text.substr(17, 2));
}

std::string canonical_query(const Query& query) {
    Query escaped;
    for (const auto& [name, value] : query)
        escaped.emplace_back(http::percent_encode(name), http::percent_encode(value));
    std::ranges::sort(escaped);
    std::string text;
    for (const auto& [name, value] : escaped)
        text += fmt::format("{}{}={}", text.empty() ? "" : "&", name, value);
    return text;
}

std::string canonical_request(const ToSign& request) {
    std::string headers;
    for (const auto& [name, value] : request.headers)
        headers += fmt::format("{}:{}\n", name, canonical_value(value));
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, request.path,
                       canonical_query(request.query), headers, signed_headers(request),
                       request.payload_hash);
}

std::string signature(const ToSign& request, const Credentials& credentials, const Scope& scope,
                      Time time) {
    const auto text =
        fmt::format("{}\n{}\n{}\n{}", kAlgorithm, amz_date(time), scope_text(scope, time),
                    base::sha256_hex(std::string_view{canonical_request(request)}));
    auto key = http::hmac_sha256("AWS4" + credentials.secret_key, day_of(time));
    key = sign(key, scope.region);
    key = sign(key, scope.service);
    key = sign(key, "aws4_request");
    const auto digest = sign(key, text);
    return base::to_hex(std::as_bytes(std::span(digest)));
}

std::string authorization(const ToSign& request, const Credentials& credentials, const Scope& scope,
                          Time time) {
    return fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm,
                       credentials.access_key, scope_text(scope, time), signed_headers(request),
                       signature(request, credentials, scope, time));
}

std::string presigned_query(ToSign request, const Credentials& credentials, const Scope& scope,
                            Time time, std::chrono::seconds valid_for) {
    request.payload_hash = kUnsignedPayload;
    request.query.emplace_back("X-Amz-Algorithm", kAlgorithm);
    request.query.emplace_back(
        "X-Amz-Credential", fmt::format("{}/{}", credentials.access_key, scope_text(scope, time)));
    request.query.emplace_back("X-Amz-Date", amz_date(time));
    request.query.emplace_back("X-Amz-Expires", std::to_string(valid_for.count()));
    request.query.emplace_back("X-Amz-SignedHeaders", signed_headers(request));
    if (!credentials.session_token.empty())
        request.query.emplace_back("X-Amz-Security-Token", credentials.session_token);
    return fmt::format("{}&X-Amz-Signature={}", canonical_query(request.query),
                       signature(request, credentials, scope, time));
}

}  // namespace belay::objects::sigv4

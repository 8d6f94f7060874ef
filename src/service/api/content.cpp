#include "service/api/content.hpp"

#include <array>

#include <fmt/format.h>

#include "service/api/conditional.hpp"
#include "service/api/errors.hpp"

namespace belay::api {

namespace {

// What a browser shows without running any of it. SVG is not among them: it can hold scripts.
constexpr std::array<std::string_view, 5> kShownInline{"image/png", "image/jpeg", "image/webp",
                                                       "image/gif", "application/pdf"};

bool shown_inline(std::string_view type) {
    for (const std::string_view known : kShownInline) {
        if (same_word(trimmed(type.substr(0, type.find(';'))), known)) return true;
    }
    return false;
}

// RFC 6266: an ASCII form for old clients, and the name itself.
std::string disposition(const Content& content) {
    std::string text = shown_inline(content.content_type) ? "inline" : "attachment";
    if (content.file_name.empty()) return text;
    std::string plain;
    for (const char c : content.file_name) {
        const bool safe = c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
        plain += safe ? c : '_';
    }
    return fmt::format("{}; filename=\"{}\"; filename*=UTF-8''{}", text, plain,
                       percent_encoded(content.file_name));
}

void add_headers(Response& response, const Content& content) {
    response.headers.set("ETag", content.etag);
    response.headers.set("Cache-Control", content.cache_control);
    response.headers.set("Accept-Ranges", "bytes");
    response.headers.set("Content-Security-Policy", "default-src 'none'; sandbox");
}

}  // namespace

Response content_response(const Request& request, const Content& content, const OpenRange& open) {
    Response response;
    add_headers(response, content);
    if (const auto known = request.headers.find("If-None-Match");
        known && etag_matches(*known, content.etag)) {
        response.status = 304;
        return response;
    }
    WantedBytes wanted = WholeThing{};
    if (const auto range = request.headers.find("Range");
        range && range_still_valid(request.headers.find("If-Range"), content.etag)) {
        wanted = wanted_bytes(*range, content.size);
    }
    if (std::holds_alternative<NoSuchRange>(wanted)) {
        Response refused = error_response(
            Problem::RangeNotSatisfiable,
            fmt::format("the range begins after the end: there are {} bytes", content.size));
        refused.headers.set("Content-Range", fmt::format("bytes */{}", content.size));
        return refused;
    }
    ByteRange part{0, content.size};
    if (const auto* range = std::get_if<ByteRange>(&wanted)) {
        part = *range;
        response.status = 206;
        response.headers.set(
            "Content-Range",
            fmt::format("bytes {}-{}/{}", part.first, part.first + part.length - 1, content.size));
    }
    response.headers.set("Content-Type", content.content_type.empty() ? "application/octet-stream"
                                                                      : content.content_type);
    response.headers.set("Content-Disposition", disposition(content));
    StreamBody body;
    body.length = part.length;
    // A HEAD reads nothing.
    if (request.method != Method::Head && part.length > 0)
        body.source = open(part.first, part.length);
    response.body = std::move(body);
    return response;
}

}  // namespace belay::api

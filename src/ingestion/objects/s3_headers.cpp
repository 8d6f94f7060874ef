#include "ingestion/objects/s3_headers.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "service/http/date.hpp"
#include "service/http/url.hpp"

namespace belay::objects {
namespace {

constexpr std::string_view kPrefix = "x-amz-meta-";
constexpr std::string_view kSha256 = "belay_sha256";

// Spaces too: servers and proxies trim and join them.
std::string escaped(std::string_view value) {
    std::string result;
    for (const char c : value) {
        if (c > 0x20 && c < 0x7f && c != '%') {
            result += c;
        } else {
            result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return result;
}

std::string header_name(std::string_view name) {
    auto header = fmt::format("{}{}", kPrefix, name);
    std::ranges::replace(header, '_', '-');
    return header;
}

}  // namespace

std::map<std::string, std::string> s3_headers_of(const Description& description,
                                                 const std::string& sha256) {
    std::map<std::string, std::string> headers{{"content-type", description.content_type},
                                               {header_name(kSha256), sha256}};
    for (const auto& [name, value] : description.metadata)
        headers[header_name(name)] = escaped(value);
    return headers;
}

Object s3_object_of(const Key& key, const http::Headers& headers) {
    Object object{key, unquoted_etag(headers.get("etag")),
                  0,   headers.find("content-type").value_or("application/octet-stream"),
                  "",  http::parse_date(headers.get("last-modified")).value_or(Time{}),
                  {}};
    const auto length = headers.get("content-length");
    std::from_chars(length.data(), length.data() + length.size(), object.size);
    for (const auto& [field, value] : headers) {
        const auto lowered = http::lower(field);
        if (!lowered.starts_with(kPrefix)) continue;
        auto name = lowered.substr(kPrefix.size());
        std::ranges::replace(name, '-', '_');
        if (name == kSha256) {
            object.sha256 = value;
        } else {
            object.metadata[name] = http::percent_decode(value);
        }
    }
    return object;
}

std::string unquoted_etag(std::string_view etag) {
    if (etag.starts_with("W/")) etag.remove_prefix(2);
    if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"')
        etag = etag.substr(1, etag.size() - 2);
    return std::string(etag);
}

}  // namespace belay::objects

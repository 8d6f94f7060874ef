#include "ingestion/objects/s3_headers.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/base/base64.hpp"
#include "service/http/date.hpp"
#include "service/http/url.hpp"

namespace belay::objects {
namespace {

constexpr std::string_view kPrefix = "x-amz-meta-";
constexpr std::string_view kSha256 = "belay_sha256";

// Spaces too: servers and proxies trim and join them. And question marks, which begin an encoded word.
std::string escaped(std::string_view value) {
    std::string result;
    for (const char c : value) {
        if (c > 0x20 && c < 0x7f && c != '%' && c != '?') {
            result += c;
        } else {
            result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return result;
}

std::string from_q(std::string_view text) {
    std::string escapes(text);
    std::ranges::replace(escapes, '_', ' ');
    std::ranges::replace(escapes, '=', '%');
    return http::percent_decode(escapes);
}

std::string from_b(std::string_view text) {
    const auto bytes = base::decode_base64(text);
    if (!bytes) return std::string(text);
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// =?UTF-8?B?…?= and =?UTF-8?Q?…?= (RFC 2047), which is how S3 tells what is not ASCII. What another program wrote in another
// way stands as it is.
std::string without_encoded_words(std::string_view value) {
    std::string out;
    bool after_word = false;
    while (!value.empty()) {
        const auto start = std::min(value.find("=?"), value.size());
        const auto charset_end = value.find('?', start + 2);
        const bool is_word =
            start < value.size() && charset_end != std::string_view::npos &&
            charset_end + 2 < value.size() && value[charset_end + 2] == '?' &&
            http::lower(value.substr(start + 2, charset_end - start - 2)) == "utf-8";
        const auto end = is_word ? value.find("?=", charset_end + 3) : std::string_view::npos;
        const std::string kind =
            is_word ? http::lower(value.substr(charset_end + 1, 1)) : std::string{};
        if (end == std::string_view::npos || (kind != "b" && kind != "q")) {
            const auto plain = std::min(start + 2, value.size());
            out += value.substr(0, plain);
            value.remove_prefix(plain);
            after_word = false;
            continue;
        }
        // Space between two words is only there because a word may not be long.
        const auto between = value.substr(0, start);
        if (!after_word || between.find_first_not_of(' ') != std::string_view::npos) out += between;
        const auto text = value.substr(charset_end + 3, end - charset_end - 3);
        out += kind == "b" ? from_b(text) : from_q(text);
        value.remove_prefix(end + 2);
        after_word = true;
    }
    return out;
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
            object.metadata[name] = value.find("=?") == std::string::npos
                                        ? http::percent_decode(value)
                                        : without_encoded_words(value);
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

#include "service/http/url.hpp"

#include <curl/curl.h>

#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "service/http/headers.hpp"

namespace belay::http {
namespace {

using Handle = std::unique_ptr<CURLU, void (*)(CURLU*)>;

Handle parse(std::string_view text) {
    Handle handle{curl_url(), curl_url_cleanup};
    // curl reads a text to its first zero: an address with one would be read in two ways.
    if (text.find('\0') != std::string_view::npos || text.size() > 8192)
        return {nullptr, curl_url_cleanup};
    const std::string zero_ended{text};
    if (curl_url_set(handle.get(), CURLUPART_URL, zero_ended.c_str(), CURLU_URLENCODE) != CURLUE_OK)
        return {nullptr, curl_url_cleanup};
    return handle;
}

std::optional<std::string> part(const Handle& handle, CURLUPart which, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_url_get(handle.get(), which, &text, flags) != CURLUE_OK) return std::nullopt;
    std::string copy{text};
    curl_free(text);
    return copy;
}

bool is_web(const Handle& handle) {
    const auto scheme = part(handle, CURLUPART_SCHEME);
    return scheme == "http" || scheme == "https";
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string Url::host_and_port() const {
    const bool is_usual = port == (scheme == "https" ? 443 : 80);
    return is_usual ? host : fmt::format("{}:{}", host, port);
}

std::string Url::origin() const { return fmt::format("{}://{}", scheme, host_and_port()); }

std::optional<Url> parse_url(std::string_view text) {
    const auto handle = parse(text);
    if (!handle || !is_web(handle)) return std::nullopt;
    Url url;
    url.scheme = part(handle, CURLUPART_SCHEME).value_or("");
    url.host = lower(part(handle, CURLUPART_HOST).value_or(""));
    const auto port = part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT).value_or("0");
    std::from_chars(port.data(), port.data() + port.size(), url.port);
    url.path = part(handle, CURLUPART_PATH).value_or("/");
    url.query = part(handle, CURLUPART_QUERY).value_or("");
    url.has_credentials = part(handle, CURLUPART_USER) || part(handle, CURLUPART_PASSWORD);
    if (url.host.empty() || url.port == 0) return std::nullopt;
    return url;
}

std::optional<std::string> resolve_url(std::string_view base, std::string_view reference) {
    const auto handle = parse(base);
    const std::string zero_ended{trim(reference)};
    if (!handle || reference.find('\0') != std::string_view::npos || zero_ended.size() > 8192)
        return std::nullopt;
    if (curl_url_set(handle.get(), CURLUPART_URL, zero_ended.c_str(), CURLU_URLENCODE) != CURLUE_OK)
        return std::nullopt;
    if (!is_web(handle)) return std::nullopt;
    curl_url_set(handle.get(), CURLUPART_FRAGMENT, nullptr, 0);
    return part(handle, CURLUPART_URL);
}

std::string percent_encode(std::string_view text, bool keep_slashes) {
    std::string result;
    result.reserve(text.size());
    for (const char c : text) {
        const bool is_plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                              (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
                              c == '~' || (c == '/' && keep_slashes);
        if (is_plain) {
            result += c;
        } else {
            fmt::format_to(std::back_inserter(result), "%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return result;
}

std::string percent_decode(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
            hex_value(text[i + 2]) >= 0) {
            result += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

}  // namespace belay::http

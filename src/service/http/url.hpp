// url.hpp — web addresses as libcurl reads them: taken apart, put together, and their characters escaped.
//
// For whoever is about to connect: host and port are those that curl will use, by curl's own parser, so nobody can
// be made to check one host and reach another. Texts that are compared, stored or resolved on a page without
// connecting belong to web/url.hpp, which follows the browsers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belay::http {

struct Url {
    std::string scheme;  // "http" or "https"
    std::string host;    // as for a Host header: IPv6 in brackets
    int port = 0;
    std::string path;              // begins with a slash
    std::string query;             // without the question mark; may be empty
    bool has_credentials = false;  // somebody wrote user:password@

    // https://example.org:8443 — the port only if it is not the usual one.
    std::string origin() const;
    std::string host_and_port() const;
};

// Nothing if it is not an absolute http or https address.
std::optional<Url> parse_url(std::string_view text);

// The address that `reference` (absolute, or relative as in a Location header) means on the page `base`,
// without its fragment; nothing if it is none, or neither http nor https.
std::optional<std::string> resolve_url(std::string_view base, std::string_view reference);

// RFC 3986: all but letters, digits, `-`, `.`, `_`, `~` (and slashes, if they stay) becomes %XX.
std::string percent_encode(std::string_view text, bool keep_slashes = false);

// %XX becomes its byte; what is no %XX stays as it is.
std::string percent_decode(std::string_view text);

}  // namespace belay::http

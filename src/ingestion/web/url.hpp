// url.hpp — web addresses: taken apart, resolved, and brought to one spelling.
//
// Pure functions over text. http and https are understood fully; other schemes only as far as needed
// to say that they are something else. Addresses that are about to be connected to are read by http/url.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belay::web {

// Longer addresses are refused everywhere: no server answers them, and they end up in indexes.
inline constexpr std::size_t kUrlBytesMax = 8192;

struct Url {
    std::string scheme{};    // lower case, without the colon
    std::string userinfo{};  // "user:password", as written
    std::string host{};      // lower case; an IPv6 address keeps its brackets
    std::uint16_t port = 0;  // 0: the scheme's default
    std::string path{};      // starts with "/" if there is a host
    std::string query{};     // without "?"
    std::string fragment{};  // without "#"
    bool has_authority = false;
    bool has_query = false;
    bool has_fragment = false;

    // The address as text.
    std::string text() const;
    // The same without the fragment.
    std::string without_fragment() const;
    bool is_web() const { return scheme == "http" || scheme == "https"; }
    // The port that a connection would use: the one given, or the scheme's own.
    std::uint16_t port_or_default() const;
};

// An absolute address; nothing if `text` is not one (no scheme, no host for http, a bad port, …).
std::optional<Url> parse_url(std::string_view text);

// `reference` as seen from the page at `base` (RFC 3986 §5), with dot segments resolved and illegal
// characters percent-encoded; nothing if `base` is not absolute or the result is not an address.
std::optional<std::string> resolve(std::string_view base, std::string_view reference);

// One spelling for addresses that lead to the same page: scheme and host in lower case, default port,
// dot segments, fragment and tracking parameters (utm_*, gclid, fbclid, …) gone, percent-encoding of
// ordinary characters undone. Nothing for what is not http(s).
std::optional<std::string> normalize(std::string_view url);

// The host without "www.", for comparing where two pages live; empty if `url` is no web address.
std::string site_of(std::string_view url);

}  // namespace belay::web

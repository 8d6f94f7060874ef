#include "ingestion/web/url.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <vector>

namespace belay::web {
namespace {

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::string lower(std::string_view text) {
    std::string out{text};
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return out;
}

// Browsers drop tabs and newlines anywhere in an address, and spaces around it.
std::string tidy(std::string_view text) {
    while (!text.empty() && static_cast<unsigned char>(text.front()) <= 0x20) text.remove_prefix(1);
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= 0x20) text.remove_suffix(1);
    std::string out;
    out.reserve(text.size());
    for (const char c : text)
        if (c != '\t' && c != '\n' && c != '\r') out += c;
    return out;
}

// Percent-encodes what may not stand in an address as it is. Text that is already encoded stays.
std::string encode(std::string_view text, std::string_view also) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte >= 0x7F || also.find(c) != std::string_view::npos) {
            out += '%';
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += c;
        }
    }
    return out;
}

// Splits off "scheme:"; empty if there is none.
std::string_view take_scheme(std::string_view& rest) {
    if (rest.empty() || !is_alpha(rest[0])) return {};
    std::size_t end = 1;
    while (end < rest.size() && (is_alpha(rest[end]) || is_digit(rest[end]) || rest[end] == '+' ||
                                 rest[end] == '-' || rest[end] == '.'))
        ++end;
    if (end == rest.size() || rest[end] != ':') return {};
    const std::string_view scheme = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return scheme;
}

// An IPv6 address has many spellings ("[0:0::1]", "[::1]") and is one host; empty if it is none.
std::string one_spelling(std::string_view bracketed) {
    if (bracketed.size() < 2 || bracketed.back() != ']') return {};
    const std::string inside{bracketed.substr(1, bracketed.size() - 2)};
    in6_addr address{};
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (::inet_pton(AF_INET6, inside.c_str(), &address) != 1) return {};
    return '[' + std::string(::inet_ntop(AF_INET6, &address, text.data(), text.size())) + ']';
}

bool take_authority(std::string_view authority, Url& url) {
    if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
        url.userinfo = authority.substr(0, at);
        authority.remove_prefix(at + 1);
    }
    std::size_t colon = authority.rfind(':');
    if (const auto bracket = authority.rfind(']');
        bracket != std::string_view::npos && colon != std::string_view::npos && colon < bracket)
        colon = std::string_view::npos;
    if (colon != std::string_view::npos) {
        unsigned port = 0;
        for (const char c : authority.substr(colon + 1)) {
            if (!is_digit(c)) return false;
            port = port * 10 + static_cast<unsigned>(c - '0');
            if (port > 65535) return false;
        }
        url.port = static_cast<std::uint16_t>(port);
        authority = authority.substr(0, colon);
    }
    url.host = lower(authority);
    while (url.host.ends_with('.')) url.host.pop_back();
    if (url.host.starts_with('[')) {
        url.host = one_spelling(url.host);
        return !url.host.empty();
    }
    return std::none_of(url.host.begin(), url.host.end(), [](char c) {
        return static_cast<unsigned char>(c) <= 0x20 ||
               std::string_view{"<>\"\\^`{|}%/?#@[]"}.find(c) != std::string_view::npos;
    });
}

void take_tail(std::string_view rest, Url& url) {
    if (const auto hash = rest.find('#'); hash != std::string_view::npos) {
        url.fragment = encode(rest.substr(hash + 1), "\"<>`");
        url.has_fragment = true;
        rest = rest.substr(0, hash);
    }
    if (const auto mark = rest.find('?'); mark != std::string_view::npos) {
        url.query = encode(rest.substr(mark + 1), "\"<>'");
        url.has_query = true;
        rest = rest.substr(0, mark);
    }
    url.path = encode(rest, "\"<>`{}");
}

// RFC 3986 §5.2.4.
std::string remove_dots(std::string_view path) {
    std::vector<std::string_view> kept;
    bool ends_open = false;
    const bool rooted = path.starts_with('/');
    if (rooted) path.remove_prefix(1);
    while (true) {
        const auto slash = path.find('/');
        const std::string_view segment = path.substr(0, slash);
        const std::string low = lower(segment);
        ends_open = false;
        if (segment == ".." || low == "%2e%2e" || low == ".%2e" || low == "%2e.") {
            if (!kept.empty()) kept.pop_back();
            ends_open = true;
        } else if (segment == "." || low == "%2e") {
            ends_open = true;
        } else {
            kept.push_back(segment);
        }
        if (slash == std::string_view::npos) break;
        path.remove_prefix(slash + 1);
    }
    std::string out = rooted ? "/" : "";
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (i > 0) out += '/';
        out += kept[i];
    }
    if (ends_open && !kept.empty()) out += '/';
    return out;
}

std::uint16_t default_port(std::string_view scheme) {
    return scheme == "https" ? 443 : scheme == "http" ? 80 : 0;
}

bool is_unreserved(char c) {
    return is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

// "%7Euser" and "~user" are one path; "%2F" and "/" are two. Hex digits in upper case.
std::string unify_encoding(std::string_view text) {
    const auto value = [](char c) { return is_digit(c) ? c - '0' : (c | 32) - 'a' + 10; };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%' || i + 2 >= text.size() || !is_hex(text[i + 1]) ||
            !is_hex(text[i + 2])) {
            out += text[i];
            continue;
        }
        const char decoded = static_cast<char>(value(text[i + 1]) * 16 + value(text[i + 2]));
        if (is_unreserved(decoded)) {
            out += decoded;
        } else {
            out += '%';
            out += static_cast<char>(is_digit(text[i + 1]) ? text[i + 1] : (text[i + 1] & ~32));
            out += static_cast<char>(is_digit(text[i + 2]) ? text[i + 2] : (text[i + 2] & ~32));
        }
        i += 2;
    }
    return out;
}

bool is_tracking(std::string_view parameter) {
    const std::string name = lower(parameter.substr(0, parameter.find('=')));
    constexpr auto kNames = std::to_array<std::string_view>(
        {"gclid", "fbclid", "dclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid", "_hsenc",
         "_hsmi", "gbraid", "wbraid"});
    return name.starts_with("utm_") ||
           std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string without_tracking(std::string_view query) {
    std::string out;
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        const std::string_view one = query.substr(0, end);
        if (!one.empty() && !is_tracking(one)) {
            if (!out.empty()) out += '&';
            out += one;
        }
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return out;
}

std::optional<Url> parse_with(std::string_view scheme, std::string_view rest) {
    Url url;
    url.scheme = lower(scheme);
    std::string unix_slashes;
    if (url.is_web()) {  // browsers read "http:\\host\path" as meant
        unix_slashes = rest;
        const auto end = std::min(unix_slashes.find_first_of("?#"), unix_slashes.size());
        std::replace(unix_slashes.begin(), unix_slashes.begin() + static_cast<std::ptrdiff_t>(end),
                     '\\', '/');
        rest = unix_slashes;
    }
    if (rest.starts_with("//")) {
        rest.remove_prefix(2);
        const auto end = std::min(rest.find_first_of("/?#"), rest.size());
        if (!take_authority(rest.substr(0, end), url)) return std::nullopt;
        url.has_authority = true;
        rest.remove_prefix(end);
    }
    if (url.is_web() && url.host.empty()) return std::nullopt;
    take_tail(rest, url);
    if (url.has_authority) {
        url.path = remove_dots(url.path.empty() ? "/" : url.path);
        if (url.path.empty()) url.path = "/";
    }
    if (url.port == default_port(url.scheme)) url.port = 0;
    return url;
}

// An address that takes more is a bomb, not an address.
constexpr int kPassesMax = 16;

std::optional<std::string> normalize_once(std::string_view text) {
    std::optional<Url> url = parse_url(text);
    if (!url || !url->is_web()) return std::nullopt;
    url->path = remove_dots(unify_encoding(url->path));
    if (url->path.empty()) url->path = "/";
    url->query = unify_encoding(without_tracking(url->query));
    url->has_query = !url->query.empty();
    return url->without_fragment();
}

}  // namespace

std::uint16_t Url::port_or_default() const { return port != 0 ? port : default_port(scheme); }

std::string Url::without_fragment() const {
    std::string out = scheme + ":";
    if (has_authority) {
        out += "//";
        if (!userinfo.empty()) out += userinfo + "@";
        out += host;
        if (port != 0) out += ":" + std::to_string(port);
    }
    out += path;
    if (has_query) out += "?" + query;
    return out;
}

std::string Url::text() const {
    return has_fragment ? without_fragment() + "#" + fragment : without_fragment();
}

std::optional<Url> parse_url(std::string_view text) {
    if (text.size() > kUrlBytesMax) return std::nullopt;
    const std::string clean = tidy(text);
    std::string_view rest = clean;
    const std::string_view scheme = take_scheme(rest);
    if (scheme.empty()) return std::nullopt;
    return parse_with(scheme, rest);
}

std::optional<std::string> resolve(std::string_view base, std::string_view reference) {
    const std::optional<Url> from = parse_url(base);
    if (!from || reference.size() > kUrlBytesMax) return std::nullopt;
    const std::string clean = tidy(reference);
    std::string_view rest = clean;
    if (const std::string_view scheme = take_scheme(rest); !scheme.empty()) {
        const std::optional<Url> url = parse_with(scheme, rest);
        if (!url) return std::nullopt;
        return url->text();
    }
    if (!from->has_authority) return std::nullopt;
    if (rest.starts_with("//") || rest.starts_with("\\\\")) {
        const std::optional<Url> url = parse_with(from->scheme, rest);
        if (!url) return std::nullopt;
        return url->text();
    }
    Url url = *from;
    url.fragment.clear();
    url.has_fragment = false;
    Url given;
    take_tail(rest, given);
    if (!given.path.empty()) {
        std::replace(given.path.begin(), given.path.end(), '\\', '/');
        if (!given.path.starts_with('/'))
            given.path = url.path.substr(0, url.path.rfind('/') + 1) + given.path;
        url.path = remove_dots(given.path);
        if (!url.path.starts_with('/')) url.path.insert(0, "/");
        url.query.clear();
        url.has_query = false;
    }
    if (given.has_query) {
        url.query = given.query;
        url.has_query = true;
    }
    url.fragment = given.fragment;
    url.has_fragment = given.has_fragment;
    return url.text();
}

std::optional<std::string> normalize(std::string_view text) {
    // Undoing one escape may make another of what is around it ("%%34%31" is "%41" is "A"), or a parameter that is known
    // for tracking: what comes out is what comes out of itself.
    std::string last{text};
    for (int pass = 0; pass < kPassesMax; ++pass) {
        std::optional<std::string> next = normalize_once(last);
        if (!next || *next == last) return next;
        last = *std::move(next);
    }
    return std::nullopt;
}

std::string site_of(std::string_view text) {
    const std::optional<Url> url = parse_url(text);
    if (!url || !url->is_web()) return {};
    return url->host.starts_with("www.") ? url->host.substr(4) : url->host;
}

}  // namespace belay::web

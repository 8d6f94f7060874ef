// sitemap.hpp — the pages that a site lists (sitemaps.org: XML, an index of others, or plain text).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace belay::web {

inline constexpr std::size_t kSitemapBytesMax = 50 * 1024 * 1024;  // the protocol's own limits
inline constexpr std::size_t kSitemapUrlsMax = 50'000;

struct SitemapEntry {
    std::string url{};
    std::string last_modified{};  // as written, usually RFC 3339 or a day; empty if not given
};

struct Sitemap {
    std::vector<SitemapEntry> pages{};
    std::vector<SitemapEntry> sitemaps{};  // of an index: others to read
    bool truncated = false;                // there was more than the limits allow
};

// Reads a sitemap that is already decompressed. Also takes RSS and Atom feeds, which sites give as
// sitemaps, and a text with one address on each line. Only http(s) addresses are kept; anything
// else gives an empty result, never an error.
Sitemap parse_sitemap(std::string_view text);

}  // namespace belay::web

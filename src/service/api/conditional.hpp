// conditional.hpp — ETag, If-None-Match, Range and If-Range, as RFC 9110 has them; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace belay::api {

// `"abc"`: the strong tag of some content, from a hash of it.
std::string quoted_etag(std::string_view hash);

// Whether an If-None-Match (or If-Match, weakly) header names this tag: a list of tags, or `*`.
bool etag_matches(std::string_view header, std::string_view etag);

// What of a thing of `size` bytes is wanted.
struct WholeThing {};
struct ByteRange {
    std::uint64_t first = 0;
    std::uint64_t length = 0;  // never 0
    friend bool operator==(const ByteRange&, const ByteRange&) = default;
};
struct NoSuchRange {};
using WantedBytes = std::variant<WholeThing, ByteRange, NoSuchRange>;

// Reads a Range header: one range of bytes. Several at once, another unit and nonsense mean the whole
// thing, as the RFC allows; a range that begins after the end is NoSuchRange.
WantedBytes wanted_bytes(std::string_view range, std::uint64_t size);

// Whether a Range may be honoured: there is no If-Range, or it names this very (strong) tag.
bool range_still_valid(std::optional<std::string_view> if_range, std::string_view etag);

// Whether an Accept-Encoding header takes gzip: named, or by `*`, with a q above 0.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace belay::api

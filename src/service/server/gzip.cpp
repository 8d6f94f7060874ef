#include "service/server/gzip.hpp"

#include <array>

#include <fmt/format.h>
#include <zlib.h>

#include "core/base/assert.hpp"
#include "service/api/conditional.hpp"

namespace belay::server {

namespace {

// Below this a packet is a packet.
constexpr std::size_t kBytesMin = 1024;

bool is_text(std::string_view type) {
    constexpr std::array<std::string_view, 4> kTypes{"application/json", "application/javascript",
                                                     "application/xml", "image/svg+xml"};
    if (type.starts_with("text/")) return true;
    for (const std::string_view known : kTypes) {
        if (type.starts_with(known)) return true;
    }
    return false;
}

}  // namespace

std::string gzipped(std::string_view text) {
    constexpr int kWindowBitsForGzip = 15 + 16;
    constexpr int kLevel = 4;  // nearly as small as 6 for JSON, in half the time
    z_stream stream{};
    const int begun =
        deflateInit2(&stream, kLevel, Z_DEFLATED, kWindowBitsForGzip, 8, Z_DEFAULT_STRATEGY);
    BELAY_ASSERT(begun == Z_OK, "zlib: {}", begun);
    std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int ended = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    BELAY_ASSERT(ended == Z_STREAM_END, "zlib: {}", ended);
    return out;
}

void compress(const api::Request& request, api::Response& response) {
    auto* text = std::get_if<std::string>(&response.body);
    if (text == nullptr || !is_text(response.headers.get("Content-Type"))) return;
    response.headers.add("Vary", "Accept-Encoding");
    if (text->size() < kBytesMin || response.headers.find("Content-Encoding") ||
        !api::accepts_gzip(request.headers.get("Accept-Encoding"))) {
        return;
    }
    std::string smaller = gzipped(*text);
    if (smaller.size() >= text->size()) return;
    *text = std::move(smaller);
    response.headers.set("Content-Encoding", "gzip");
    if (const auto etag = response.headers.find("ETag"); etag && !etag->starts_with("W/"))
        response.headers.set("ETag", fmt::format("W/{}", *etag));
}

}  // namespace belay::server

// content.hpp — content of a known size and hash as a response: 200, 206, 304 or 416.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "service/api/request.hpp"
#include "service/api/response.hpp"

namespace belay::api {

struct Content {
    std::uint64_t size = 0;
    std::string etag{};  // quoted: quoted_etag(hash)
    std::string content_type{};
    std::string file_name{};                          // offered for saving; may be empty
    std::string cache_control = "private, no-cache";  // keep it, and ask each time with its tag
};

// Opens the bytes of a range; called only if a body is sent.
using OpenRange =
    std::function<std::unique_ptr<ByteSource>(std::uint64_t first, std::uint64_t length)>;

// What somebody uploaded is never run as a page of ours: it is sent with nosniff and a
// Content-Security-Policy that allows nothing, and as an attachment unless it is an image or a PDF.
Response content_response(const Request& request, const Content& content, const OpenRange& open);

}  // namespace belay::api

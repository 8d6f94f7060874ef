// response.hpp — what a handler answers: a status, headers, and a body that is text or is read later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <boost/json/object.hpp>

#include "service/api/headers.hpp"

namespace belay::api {

// Bytes that are read while they are sent: a file, a range of it, an object far away. Read from a
// thread that may block, one call at a time.
class ByteSource {
public:
    virtual ~ByteSource() = default;

    // Fills the beginning of `space` with the next bytes; gives how many, 0 at the end. Throws on a
    // failure: the connection is then cut, so that the client sees that the body is not whole.
    virtual std::size_t read(std::span<std::byte> space) = 0;
};

// Bytes of the program itself: the embedded page.
struct StaticBytes {
    std::string_view bytes{};
};

struct StreamBody {
    std::unique_ptr<ByteSource> source{};
    std::uint64_t length = 0;  // exactly so many bytes will come
};

using Body = std::variant<std::string, StaticBytes, StreamBody>;

struct Response {
    int status = 200;
    Headers headers{};
    Body body{};

    std::uint64_t body_length() const;
};

Response json_response(int status, const boost::json::object& json);
Response text_response(int status, std::string content_type, std::string text);

// A part of a file that is open, so that it can be read to its end even if it is deleted meanwhile.
// Throws Error{StoreUnavailable} if it cannot be opened.
std::unique_ptr<ByteSource> file_source(const std::string& path, std::uint64_t offset,
                                        std::uint64_t length);

}  // namespace belay::api

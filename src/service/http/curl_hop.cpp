#include "service/http/curl_hop.hpp"

#include <sys/socket.h>
#include <cerrno>

#include <charconv>

#include <fmt/format.h>

#include "core/base/shortage.hpp"
#include "service/http/address.hpp"

namespace belay::http {
namespace {

// Larger than any honest answer's; libcurl bounds a single line, not their sum.
constexpr std::size_t kHeaderBytesMax = 256 * 1024;

// A redirect's own body is of no use; this much is read so that the connection can be used again.
constexpr std::size_t kIgnoredBytesMax = 256 * 1024;

}  // namespace

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool CurlHop::ignores_body() const {
    return follows && is_redirect(response.status) && response.headers.has("location");
}

curl_socket_t CurlHop::open_socket(const curl_sockaddr& address) {
    const auto to = Address::of(address.addr);
    const auto why = to ? options.addresses.refuses(*to) : "not an internet address";
    if (why) {
        refused = fmt::format("{} is {}", to ? to->text() : "it", *why);
        return CURL_SOCKET_BAD;
    }
    const int socket = ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
    if (socket < 0) base::note_shortage(errno);
    return socket;
}

bool CurlHop::take_header(std::string_view line) {
    header_bytes += line.size();
    if (header_bytes > kHeaderBytesMax) {
        own_reason = FailureKind::TooLarge;
        return false;
    }
    if (line.starts_with("HTTP/")) {  // again after a 100 Continue
        response.headers = {};
        const auto space = line.find(' ');
        if (space != std::string_view::npos)
            std::from_chars(line.data() + space + 1, line.data() + line.size(), response.status);
        return true;
    }
    const auto colon = line.find(':');
    if (colon != std::string_view::npos)
        response.headers.add(std::string(trim(line.substr(0, colon))),
                             std::string(trim(line.substr(colon + 1))));
    return true;
}

bool CurlHop::take_body(std::span<const std::byte> bytes) {
    if (body_bytes == 0 && request.on_headers && !ignores_body()) {
        try {
            request.on_headers(response.status, response.headers);
        } catch (...) {
            thrown = std::current_exception();
            return false;
        }
    }
    body_bytes += bytes.size();
    const auto limit = ignores_body() ? kIgnoredBytesMax : request.limits.body_bytes_max;
    if (body_bytes > limit) {
        own_reason = FailureKind::TooLarge;
        return false;
    }
    if (ignores_body()) return true;
    if (request.sink && response.status >= 200 && response.status < 300) {
        try {
            request.sink(bytes);
        } catch (...) {
            thrown = std::current_exception();
            return false;
        }
    } else {
        response.body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return true;
}

std::size_t CurlHop::give_body(std::span<std::byte> space) {
    try {
        return request.source(space);
    } catch (...) {
        thrown = std::current_exception();
        return CURL_READFUNC_ABORT;
    }
}

}  // namespace belay::http

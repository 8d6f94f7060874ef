// curl_hop.hpp — one answer while it comes: what libcurl's callbacks are told, checked against the limits.
#pragma once

#include <curl/curl.h>

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "service/http/client.hpp"
#include "service/http/curl_client.hpp"

namespace belay::http {

// One that is followed if it says where to.
bool is_redirect(int status);

struct CurlHop {
    const CurlOptions& options;
    const Request& request;
    bool follows = false;

    Response response{};
    std::size_t header_bytes = 0;
    std::uint64_t body_bytes = 0;
    std::string refused{};                    // an address, and why
    std::optional<FailureKind> own_reason{};  // why a callback ended the transfer
    std::exception_ptr thrown{};              // by the caller's functions

    // The body of a redirect that is followed is read over.
    bool ignores_body() const;

    // CURL_SOCKET_BAD if the policy refuses the address.
    curl_socket_t open_socket(const curl_sockaddr& address);

    // False ends the transfer.
    bool take_header(std::string_view line);
    bool take_body(std::span<const std::byte> bytes);
    // The next bytes of the request's source; libcurl's word for "end it" if that throws.
    std::size_t give_body(std::span<std::byte> space);
};

}  // namespace belay::http

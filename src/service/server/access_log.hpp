// access_log.hpp — one line of JSON per request, and the id that ties it to other lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <belay/time.hpp>

#include "service/api/request.hpp"

namespace belay::server {

struct Served {
    Time at{};  // when its headers were there
    Duration took{};
    int status = 0;
    std::uint64_t bytes_in = 0;   // of the body
    std::uint64_t bytes_out = 0;  // of the answer's body
    std::string route{};          // its pattern; empty if none fitted
};

// The query is left out: it may hold what people search for.
std::string access_line(const api::Request& request, const Served& served);

// What the client calls its request, if that is 1 to 64 letters, digits, dots, dashes and underscores.
bool is_request_id(std::string_view text);

}  // namespace belay::server

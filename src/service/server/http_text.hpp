// http_text.hpp — the head of a response as the bytes that are sent; pure.
#pragma once

#include <string>
#include <string_view>

#include <belay/time.hpp>

#include "service/api/response.hpp"

namespace belay::server {

// Status line, headers, the empty line. A line break inside a header's value becomes a blank: nothing
// that a client sent can add a header.
std::string head_text(const api::Response& response, bool keep_alive, Time now);

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(Time time);

// "http://host/path?x" → "/path?x": what a client sends that believes to speak to a proxy.
std::string origin_form(std::string_view target);

}  // namespace belay::server

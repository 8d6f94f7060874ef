// gzip.hpp — text answers, compressed.
#pragma once

#include <string>
#include <string_view>

#include "service/api/request.hpp"
#include "service/api/response.hpp"

namespace belay::server {

std::string gzipped(std::string_view text);

// Compresses the body if the client takes it, and if it is text that gains by it.
void compress(const api::Request& request, api::Response& response);

}  // namespace belay::server

// s3_headers.hpp — what is known about an object, as HTTP headers and back.
//
// A metadata name's `_` travels as `-`: some gateways drop header names with an underscore, others turn it
// into a dash. Values are escaped as %XX where headers cannot be trusted with them.
#pragma once

#include <map>
#include <string>

#include "ingestion/objects/object.hpp"
#include "service/http/headers.hpp"

namespace belay::objects {

std::map<std::string, std::string> s3_headers_of(const Description& description,
                                                 const std::string& sha256);

Object s3_object_of(const Key& key, const http::Headers& headers);

// Without its quotes, and without W/.
std::string unquoted_etag(std::string_view etag);

}  // namespace belay::objects

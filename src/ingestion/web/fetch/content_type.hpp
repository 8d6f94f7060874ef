// content_type.hpp — what a server says its bytes are, and what they look like where it does not say.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ingestion/web/fetch/page.hpp"

namespace belay::web::fetch {

struct ContentType {
    std::string type{};     // "text/html", in lower case; empty if there is none
    std::string charset{};  // in lower case, without quotes
};

// A Content-Type header; whatever cannot be read in it is left out.
ContentType parse_content_type(std::string_view header);

// Whether bytes of this type may be a page: false ends a download before its body.
bool may_be_page(const ContentType& type);

// The kind of a page; nothing if it is none of ours. The bytes of a PDF win over what the server says; a
// missing type or application/octet-stream is decided by the bytes and the end of the address.
std::optional<PageKind> kind_of_page(const ContentType& type, std::string_view url,
                                     std::string_view body);

}  // namespace belay::web::fetch

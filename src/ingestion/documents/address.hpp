// address.hpp — what may be fetched: a web address, or a document of a content system.
//
//   https://example.org/page            one spelling for one page (web/url.hpp)
//   sanity://PROJECT/DATASET/DOCUMENT   a document of Sanity's API
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belay::documents {

struct Address {
    std::string url{};  // what documents.source_url has
    std::string cms_platform{};
    std::string cms_instance{};  // "PROJECT/DATASET"
    std::string cms_document_id{};
};

// Nothing for anything else.
std::optional<Address> read_address(std::string_view text);

// What to say about a text that is none.
std::string no_address(std::string_view text);

}  // namespace belay::documents

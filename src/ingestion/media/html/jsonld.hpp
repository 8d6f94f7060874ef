// jsonld.hpp — what a page says about itself in JSON-LD (schema.org).
#pragma once

#include <string>
#include <vector>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

struct JsonLd {
    std::string headline{};
    std::vector<std::string> authors{};
    std::string published{};
    std::string modified{};
    std::string publisher{};
    std::string site{};  // of a WebSite object
    std::string description{};
    std::string language{};
    std::string body{};
    std::string image{};
    std::string url{};
};

// The first article-like object of the page, completed from the others. Broken JSON is skipped, as
// are blocks over 1 MiB and nesting beyond 32 levels.
JsonLd read_jsonld(const Document& document);

}  // namespace belay::media::html

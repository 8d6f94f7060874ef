// metadata.hpp — what a page says about itself: title, author, date, site, and the rest.
//
// Pages say each thing in several places (JSON-LD, OpenGraph, meta tags, microdata, visible bylines,
// the address) and contradict themselves. Each function asks the places in the order in which they
// were right most often, and cleans what it finds.
#pragma once

#include <string>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

struct Metadata {
    std::string title{};
    std::string author{};
    std::string date{};
    std::string modified{};
    std::string site{};
    std::string description{};
    std::string language{};
    std::string canonical_url{};
    std::string image{};
    std::string article_body{};  // JSON-LD's, to check the selection against
    std::string base_url{};      // that relative links are resolved against; empty if not known
};

// Reads the untouched document. `url` is where it came from, or empty.
Metadata read_metadata(const Document& document, const std::string& url);

}  // namespace belay::media::html

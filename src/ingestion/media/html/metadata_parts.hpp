// metadata_parts.hpp — the places that metadata is read from, and one function for each thing read.
#pragma once

#include <string>

#include "ingestion/media/html/jsonld.hpp"
#include "ingestion/media/html/meta_tags.hpp"

namespace belay::media::html {

struct Sources {
    const Document& document;
    MetaTags tags;
    JsonLd jsonld;
    std::string url{};
};

struct TitleAndSite {
    std::string title{};
    std::string site{};
};
TitleAndSite find_title_and_site(const Sources& sources);
std::string find_author(const Sources& sources, const std::string& site);
struct Dates {
    std::string published{};
    std::string modified{};
};
Dates find_dates(const Sources& sources);

}  // namespace belay::media::html

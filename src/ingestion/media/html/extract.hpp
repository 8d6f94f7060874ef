// extract.hpp — a web page's bytes to the article in it: the door of this room.
//
// Decode, parse, read what the page says about itself, choose the part that is the article, clean it,
// write it as Markdown and as text. Everything is computed from the bytes: no network, no clock.
#pragma once

#include <string>
#include <string_view>

#include "ingestion/media/article.hpp"
#include "ingestion/media/html/parse.hpp"

namespace belay::media::html {

struct ExtractOptions {
    std::string url{};           // where the page came from; relative links are resolved against it
    std::string content_type{};  // the HTTP header, for its charset
    ParseLimits limits{};
};

// The article of a page. Its text may be empty: a page can have nothing to read. Throws PageRefused
// for a page over a limit.
Article extract(std::string_view bytes, const ExtractOptions& options = {});

}  // namespace belay::media::html

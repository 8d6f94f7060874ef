// clean.hpp — takes out of the chosen part what is not the article.
#pragma once

#include <string>

#include "ingestion/media/html/dom.hpp"
#include "ingestion/media/html/select.hpp"

namespace belay::media::html {

struct CleanOptions {
    std::string title{};  // of the page: a heading that only repeats it goes
    Trust trust{};
};

// Works on the content that select_content made, in place.
void clean_content(Node& content, const CleanOptions& options);

}  // namespace belay::media::html

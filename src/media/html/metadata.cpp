#include "media/html/metadata.hpp"

#include "media/html/text.hpp"

namespace belay::media::html {

Metadata read_metadata(const Document& document, const std::string& url) {
    Metadata found;
    for (const Node* title : elements(document.html(), Tag::Title)) {
        found.title = collapse(raw_text(*title));
        break;
    }
    found.base_url = url;
    return found;
}

}  // namespace belay::media::html

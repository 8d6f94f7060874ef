// article.hpp — what a web page says: the value that extraction gives and everybody else reads.
//
// Empty means that the page did not say it; nothing here is guessed from nothing. Texts are UTF-8.
#pragma once

#include <string>
#include <vector>

#include <boost/describe.hpp>

namespace belay::media {

struct Article {
    std::string url{};     // where it was fetched from, or what the page says of itself
    std::string title{};   // without the site's name
    std::string author{};  // several: separated by ", "
    std::string date{};    // when it was published, YYYY-MM-DD
    std::string site{};    // the site's name, not its host
    std::string description{};
    std::string language{};       // as the page says it: "en", "sv-SE"
    std::string canonical_url{};  // the address that the page asks to be known by
    std::string image{};          // the picture that it shows when it is shared
    std::string modified{};       // when it was last changed, YYYY-MM-DD
    std::string encoding{};       // that it was decoded from
    std::string text{};           // the article, paragraphs separated by an empty line
    std::string markdown{};
    std::vector<std::string> links{};  // of the article, absolute, each once, in order
};
BOOST_DESCRIBE_STRUCT(Article, (),
                      (url, title, author, date, site, description, language, canonical_url, image,
                       modified, encoding, text, markdown, links))

}  // namespace belay::media

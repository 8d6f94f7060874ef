// cues.hpp — what the names that authors gave to elements say about them.
//
// Class names, ids, roles and the like are words that a person chose: "article-body", "related-posts",
// "cookieBanner". Nothing here knows a site; the words are those that many sites use. Names lie, so
// whoever acts on them also looks at what is inside.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

// An element's class and id, ready to be asked: lower case, and cut into words at every character that
// is not a letter or digit and at every camelCase hump.
class Names {
public:
    explicit Names(const Node& node);

    bool empty() const { return joined_.empty(); }
    bool contains(std::string_view part) const { return joined_.find(part) != std::string::npos; }
    bool has_word(std::string_view word) const;
    const std::string& joined() const { return joined_; }

private:
    std::string joined_{};
    std::vector<std::string> words_{};
};

// -25 to 25 for each of class and id: does it sound like content or like something beside it?
int name_weight(const Node& node);

// Sounds like navigation, an advertisement, comments, …: not worth scoring.
bool sounds_unlikely(const Node& node);

// Sounds like something that is put into or around an article and is not part of it: share buttons,
// related links, newsletter forms, comment sections, bylines, tag lists.
bool sounds_like_furniture(const Node& node);

// Is a comment thread or the form for one.
bool sounds_like_comments(const Node& node);

// What stands below a picture: a caption, or who took it.
bool sounds_like_caption(const Node& node);

// Its names say that it holds the article's body ("articleBody", "post-content", …), or its itemprop.
bool sounds_like_body(const Node& node);

}  // namespace belay::media::html

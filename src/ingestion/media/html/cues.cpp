#include "ingestion/media/html/cues.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

using namespace std::string_view_literals;

constexpr auto kPositive = std::to_array<std::string_view>(
    {"article", "body", "content", "entry", "hentry", "h-entry", "main", "page", "post", "text",
     "blog", "story", "prose", "markdown"});

constexpr auto kNegative = std::to_array<std::string_view>(
    {"hidden",     "banner",     "combx",    "comment",    "com-",     "contact",
     "foot",       "gdpr",       "masthead", "media",      "meta",     "outbrain",
     "promo",      "related",    "scroll",   "share",      "shoutbox", "sidebar",
     "skyscraper", "sponsor",    "shopping", "tags",       "tool",     "widget",
     "taboola",    "newsletter", "subscri",  "disclaimer", "copyright"});

constexpr auto kUnlikely = std::to_array<std::string_view>(
    {"-ad-",       "ad-break",   "adbox",      "advert",       "agegate",   "ai2html",
     "banner",     "breadcrumb", "combx",      "comment",      "community", "consent",
     "cookie",     "cover-wrap", "disqus",     "extra",        "footer",    "gdpr",
     "header",     "legends",    "menu",       "newsletter",   "outbrain",  "pager",
     "pagination", "popup",      "promo",      "recirc",       "recommend", "related",
     "remark",     "replies",    "rss",        "shoutbox",     "sidebar",   "skyscraper",
     "social",     "sponsor",    "subscri",    "supplemental", "taboola",   "teaser",
     "yom-remote", "navbar",     "navigation", "share",        "sharing",   "disclaimer",
     "legal-",     "imprint"});

constexpr auto kMaybe =
    std::to_array<std::string_view>({"article", "body", "column", "content", "main", "mathjax",
                                     "shadow", "post", "entry", "story"});

// Found anywhere in the names.
constexpr auto kFurnitureParts = std::to_array<std::string_view>({"related-",
                                                                  "related_",
                                                                  "relatedpost",
                                                                  "relatedarticle",
                                                                  "relatedlink",
                                                                  "relatedstor",
                                                                  "relatedcontent",
                                                                  "recommended",
                                                                  "recommendation",
                                                                  "read-more",
                                                                  "readmore",
                                                                  "read-next",
                                                                  "readnext",
                                                                  "more-stories",
                                                                  "morestories",
                                                                  "most-popular",
                                                                  "mostpopular",
                                                                  "most-read",
                                                                  "mostread",
                                                                  "trending",
                                                                  "share-",
                                                                  "-share",
                                                                  "share_",
                                                                  "_share",
                                                                  "sharing",
                                                                  "sharebar",
                                                                  "sharebutton",
                                                                  "shareicon",
                                                                  "sharetool",
                                                                  "social-",
                                                                  "-social",
                                                                  "social_",
                                                                  "socialmedia",
                                                                  "socialicon",
                                                                  "addtoany",
                                                                  "sharedaddy",
                                                                  "jp-relatedposts",
                                                                  "newsletter",
                                                                  "subscribe",
                                                                  "subscription",
                                                                  "signup",
                                                                  "sign-up",
                                                                  "paywall",
                                                                  "breadcrumb",
                                                                  "pagination",
                                                                  "pager",
                                                                  "post-nav",
                                                                  "nav-links",
                                                                  "navigation",
                                                                  "cookie",
                                                                  "consent",
                                                                  "gdpr",
                                                                  "advert",
                                                                  "adsense",
                                                                  "adsbygoogle",
                                                                  "google-ad",
                                                                  "dfp-",
                                                                  "ad-slot",
                                                                  "adslot",
                                                                  "ad-container",
                                                                  "ad-wrapper",
                                                                  "ad-unit",
                                                                  "outbrain",
                                                                  "taboola",
                                                                  "sponsor",
                                                                  "promo-",
                                                                  "-promo",
                                                                  "promobox",
                                                                  "affiliate",
                                                                  "author-bio",
                                                                  "authorbio",
                                                                  "author-box",
                                                                  "authorbox",
                                                                  "about-author",
                                                                  "about-the-author",
                                                                  "author-info",
                                                                  "author-card",
                                                                  "author-details",
                                                                  "post-author",
                                                                  "byline",
                                                                  "post-meta",
                                                                  "entry-meta",
                                                                  "article-meta",
                                                                  "meta-data",
                                                                  "post-tags",
                                                                  "tags-links",
                                                                  "tag-list",
                                                                  "taglist",
                                                                  "article-tags",
                                                                  "entry-tags",
                                                                  "tag-cloud",
                                                                  "cat-links",
                                                                  "post-categories",
                                                                  "entry-footer",
                                                                  "post-footer",
                                                                  "article-footer",
                                                                  "sidebar",
                                                                  "skip-link",
                                                                  "skip-to",
                                                                  "screen-reader",
                                                                  "sr-only",
                                                                  "visually-hidden",
                                                                  "visuallyhidden",
                                                                  "toolbar",
                                                                  "print-only",
                                                                  "noprint",
                                                                  "no-print",
                                                                  "video-player",
                                                                  "jwplayer",
                                                                  "teaser",
                                                                  "feedback",
                                                                  "reactions",
                                                                  "rating",
                                                                  "comment-form",
                                                                  "commentform",
                                                                  "comments",
                                                                  "disqus",
                                                                  "livefyre",
                                                                  "respond",
                                                                  "back-to-top",
                                                                  "backtotop",
                                                                  "table-of-contents",
                                                                  "tableofcontents",
                                                                  "copyright",
                                                                  "disclaimer",
                                                                  "license-",
                                                                  "timestamp",
                                                                  "publish-date",
                                                                  "pub-date",
                                                                  "post-date",
                                                                  "entry-date",
                                                                  "dateline",
                                                                  "read-time",
                                                                  "reading-time",
                                                                  "readingtime",
                                                                  "see-also",
                                                                  "seealso",
                                                                  "infobox",
                                                                  "navbox",
                                                                  "catlinks",
                                                                  "editsection",
                                                                  "mw-jump",
                                                                  "hatnote",
                                                                  "popup",
                                                                  "modal",
                                                                  "overlay",
                                                                  "widget",
                                                                  "donat",
                                                                  "follow-us",
                                                                  "followus",
                                                                  "linkedin",
                                                                  "whatsapp",
                                                                  "slideshow-nav",
                                                                  "storylink",
                                                                  "also-like",
                                                                  "recirc",
                                                                  "rail-",
                                                                  "-rail",
                                                                  "tooltip"});

// Found as a whole word.
constexpr auto kFurnitureWords = std::to_array<std::string_view>(
    {"ad",        "ads",      "adv",     "advertisement", "nav",         "navi",      "menu",
     "share",     "shares",   "social",  "related",       "tags",        "comment",   "comments",
     "toc",       "print",    "promo",   "meta",          "breadcrumbs", "sponsored", "byline",
     "follow",    "facebook", "twitter", "pinterest",     "search",      "login",     "rail",
     "recommend", "toolbar",  "authors", "likes",         "upvote",      "votes",     "kicker",
     "eyebrow",   "bookmark", "subnav",  "pagenav"});

constexpr auto kBodyParts = std::to_array<std::string_view>(
    {"articlebody",      "article-body",    "article_body",    "article__body",  "article-content",
     "article__content", "articlecontent",  "article_content", "article-text",   "articletext",
     "article_text",     "post-content",    "post_content",    "postcontent",    "post-body",
     "post_body",        "postbody",        "entry-content",   "entry_content",  "entrycontent",
     "story-body",       "storybody",       "story-content",   "storycontent",   "story_body",
     "story-text",       "page-content",    "main-content",    "maincontent",    "body-content",
     "bodytext",         "body-text",       "content-body",    "contentbody",    "rich-text",
     "richtext",         "text-content",    "blog-content",    "single-content", "td-post-content",
     "markdown-body",    "mw-parser-output"});

bool any_part(const Names& names, std::span<const std::string_view> parts) {
    return contains_any(names.joined(), parts);
}

bool any_word(const Names& names, std::span<const std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](auto word) { return names.has_word(word); });
}

// An id that only repeats the heading below it, for links into the page: it says nothing about what
// the element is.
bool is_anchor(const Node& node) {
    if (node.id().empty()) return false;
    const Node* heading = is_heading(node.tag) ? &node : first_element(node);
    if (heading == nullptr || !is_heading(heading->tag)) return false;
    const auto letters = [](std::string_view text) {
        return replace_all(plain_words(text), " ", "");
    };
    return letters(node.id()) == letters(inner_text(*heading));
}

bool has_word_in(std::string_view text, std::initializer_list<std::string_view> wanted) {
    const auto words = words_of(text);
    return std::find_first_of(words.begin(), words.end(), wanted.begin(), wanted.end()) !=
           words.end();
}

// Utility classes ("md:hidden", "text-gray-500", "overflow-scroll") say how a thing looks, not what
// it is; frameworks put dozens of them on every element.
bool is_utility_class(std::string_view token) {
    if (token.find_first_of(":[]/%") != std::string_view::npos) return true;
    constexpr auto kFirst = std::to_array<std::string_view>(
        {"text", "bg", "border", "flex", "grid", "font", "overflow", "justify", "items", "max",
         "min", "space", "rounded", "shadow", "col", "row", "sr", "print"});
    constexpr auto kRest = std::to_array<std::string_view>(
        {"xs",     "sm",      "base",   "md",      "lg",    "xl",     "left",
         "center", "right",   "start",  "end",     "white", "black",  "bold",
         "hidden", "auto",    "scroll", "visible", "full",  "screen", "wrap",
         "nowrap", "between", "none",   "muted",   "col",   "row",    "justify"});
    const auto dash = token.find('-');
    if (dash == std::string_view::npos) return false;
    if (std::find(kFirst.begin(), kFirst.end(), token.substr(0, dash)) == kFirst.end())
        return false;
    // "text-gray-500" and "text-center" say how it looks; "text-description" says what it is.
    const std::string_view last = token.substr(token.rfind('-') + 1);
    if (!last.empty() && last.find_first_not_of("0123456789") == std::string_view::npos)
        return true;
    return std::find(kRest.begin(), kRest.end(), last) != kRest.end();
}

}  // namespace

Names::Names(const Node& node) {
    const auto add = [&](std::string_view value) {
        for (const std::string_view token : words_of(value)) {
            if (is_utility_class(token)) continue;
            joined_ += ' ';
            joined_ += lower_ascii(token);
            std::string word;
            for (std::size_t i = 0; i < token.size(); ++i) {
                const char c = token[i];
                const bool upper = c >= 'A' && c <= 'Z';
                const bool alnum = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
                const bool hump = upper && i > 0 && token[i - 1] >= 'a' && token[i - 1] <= 'z';
                if ((!alnum || hump) && !word.empty()) words_.push_back(std::exchange(word, {}));
                if (alnum) word += upper ? static_cast<char>(c + 32) : c;
            }
            if (!word.empty()) words_.push_back(std::move(word));
        }
    };
    add(node.classes());
    if (!is_anchor(node)) add(node.id());
}

bool Names::has_word(std::string_view word) const {
    return std::find(words_.begin(), words_.end(), word) != words_.end();
}

int name_weight(const Node& node) {
    int weight = 0;
    for (const std::string_view value : {node.classes(), node.id()}) {
        std::string kept;
        for (const auto token : words_of(value))
            if (!is_utility_class(token)) kept += lower_ascii(token) + ' ';
        if (kept.empty()) continue;
        if (contains_any(kept, kNegative)) weight -= 25;
        if (contains_any(kept, kPositive)) weight += 25;
    }
    return weight;
}

bool sounds_unlikely(const Node& node) {
    const std::string_view role = node.attribute("role");
    constexpr auto kRoles = std::to_array<std::string_view>({"menu", "menubar", "complementary",
                                                             "navigation", "alertdialog", "dialog",
                                                             "banner", "contentinfo", "search"});
    if (std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end()) return true;
    // Microdata is a stronger word than a class name: a "teaser" may be the article's first paragraph.
    if (has_word_in(node.attribute("itemprop"), {"articleBody", "description", "text"}))
        return false;
    const Names names{node};
    if (names.empty()) return false;
    return any_part(names, kUnlikely) && !any_part(names, kMaybe);
}

bool sounds_like_furniture(const Node& node) {
    const Names names{node};
    if (names.empty()) return false;
    return any_part(names, kFurnitureParts) || any_word(names, kFurnitureWords);
}

bool sounds_like_comments(const Node& node) {
    const Names names{node};
    if (names.empty()) return false;
    constexpr auto kWords = std::to_array<std::string_view>({"comments", "commentlist", "disqus",
                                                             "respond", "kommentare", "kommentarer",
                                                             "commentaires", "comentarios"});
    constexpr auto kParts = std::to_array<std::string_view>(
        {"comment-list", "comment_list", "comments-", "commentarea", "comment-area", "comment-form",
         "fb-comments", "livefyre"});
    return any_word(names, kWords) || any_part(names, kParts);
}

bool sounds_like_caption(const Node& node) {
    if (node.tag == Tag::Figcaption) return true;
    if (node.classes().empty()) return false;
    const Names names{node};
    return names.has_word("caption") || names.contains("caption") || names.has_word("credit") ||
           names.has_word("credits") || names.contains("photo-credit") ||
           names.contains("image-credit") || names.has_word("bildunterschrift") ||
           names.has_word("copyright");
}

bool sounds_like_body(const Node& node) {
    if (lower_ascii(node.attribute("itemprop")).find("articlebody") != std::string::npos)
        return true;
    const Names names{node};
    return !names.empty() && any_part(names, kBodyParts);
}

}  // namespace belay::media::html

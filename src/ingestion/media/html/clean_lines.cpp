#include "ingestion/media/html/clean_lines.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "ingestion/media/html/date_text.hpp"
#include "ingestion/media/html/measure.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

constexpr std::size_t kLineLength = 120;

// The whole line, in lower case and without marks.
constexpr auto kWhole = std::to_array<std::string_view>({"advertisement",
                                                         "advertisements",
                                                         "advertising",
                                                         "ad",
                                                         "anzeige",
                                                         "werbung",
                                                         "annons",
                                                         "publicité",
                                                         "publicidad",
                                                         "pubblicità",
                                                         "reklama",
                                                         "share",
                                                         "share this",
                                                         "share this article",
                                                         "share this story",
                                                         "share this post",
                                                         "teilen",
                                                         "dela",
                                                         "partager",
                                                         "compartir",
                                                         "condividi",
                                                         "share on facebook",
                                                         "share on twitter",
                                                         "share on whatsapp",
                                                         "share this on whatsapp",
                                                         "share on linkedin",
                                                         "tweet",
                                                         "email",
                                                         "print",
                                                         "facebook",
                                                         "twitter",
                                                         "linkedin",
                                                         "whatsapp",
                                                         "pinterest",
                                                         "reddit",
                                                         "telegram",
                                                         "comments",
                                                         "comment",
                                                         "kommentare",
                                                         "kommentar",
                                                         "commentaires",
                                                         "comentarios",
                                                         "leave a comment",
                                                         "leave a reply",
                                                         "add a comment",
                                                         "view comments",
                                                         "show comments",
                                                         "post a comment",
                                                         "related",
                                                         "related articles",
                                                         "related stories",
                                                         "related posts",
                                                         "related content",
                                                         "related topics",
                                                         "related news",
                                                         "verwandte artikel",
                                                         "mehr zum thema",
                                                         "das könnte sie auch interessieren",
                                                         "empfohlene beiträge",
                                                         "lire aussi",
                                                         "à lire aussi",
                                                         "lesen sie auch",
                                                         "läs också",
                                                         "läs mer",
                                                         "leia também",
                                                         "leia mais",
                                                         "leggi anche",
                                                         "lee también",
                                                         "read more",
                                                         "read next",
                                                         "read also",
                                                         "also read",
                                                         "see also",
                                                         "more",
                                                         "more stories",
                                                         "more news",
                                                         "more from",
                                                         "mehr lesen",
                                                         "weiterlesen",
                                                         "continue reading",
                                                         "keep reading",
                                                         "recommended",
                                                         "recommended for you",
                                                         "you may also like",
                                                         "you might also like",
                                                         "most popular",
                                                         "most read",
                                                         "trending",
                                                         "trending now",
                                                         "popular posts",
                                                         "what to read next",
                                                         "don t miss",
                                                         "up next",
                                                         "read this next",
                                                         "tags",
                                                         "tag",
                                                         "topics",
                                                         "filed under",
                                                         "categories",
                                                         "schlagwörter",
                                                         "stichworte",
                                                         "keywords",
                                                         "mots clés",
                                                         "subscribe",
                                                         "subscribe now",
                                                         "sign up",
                                                         "newsletter",
                                                         "sign up for our newsletter",
                                                         "follow us",
                                                         "get the newsletter",
                                                         "login",
                                                         "log in",
                                                         "sign in",
                                                         "loading",
                                                         "loading comments",
                                                         "skip to main content",
                                                         "skip to content",
                                                         "close",
                                                         "menu",
                                                         "search",
                                                         "back to top",
                                                         "nach oben",
                                                         "zurück",
                                                         "previous",
                                                         "next",
                                                         "text size",
                                                         "found this helpful",
                                                         "was this helpful",
                                                         "was this article helpful",
                                                         "jump to recipe",
                                                         "table of contents",
                                                         "like this",
                                                         "like loading",
                                                         "like this like loading",
                                                         "save",
                                                         "report this ad",
                                                         "story continues below advertisement",
                                                         "article continues below",
                                                         "continued below",
                                                         "story continues",
                                                         "play video",
                                                         "watch video",
                                                         "video",
                                                         "photos",
                                                         "gallery",
                                                         "enlarge",
                                                         "enlarge image",
                                                         "click to enlarge",
                                                         "view gallery",
                                                         "getty images"});

// How a line that points elsewhere begins; only if it is mostly a link.
constexpr auto kPointers = std::to_array<std::string_view>(
    {"read more",       "read also",     "also read",     "see also",        "see more",
     "more:",           "related:",      "related story", "related article", "read:",
     "watch:",          "watch now",     "don't miss",    "must read",       "recommended",
     "lesen sie",       "mehr zum",      "mehr dazu",     "siehe auch",      "lire aussi",
     "à lire",          "lire la suite", "läs också",     "läs mer",         "leia também",
     "leia mais",       "saiba mais",    "leggi anche",   "lee también",     "click here",
     "sign up",         "subscribe",     "follow us",     "follow ",         "get the",
     "download the",    "listen:",       "in pictures",   "explore more",    "view more",
     "continue reading"});

bool is_line(const Node& node) {
    if (node.tag == Tag::Li) return text_length(node) < kLineLength && !has_block_inside(node);
    return (node.tag == Tag::P || is_heading(node.tag) || node.tag == Tag::Div ||
            node.tag == Tag::Dt || node.tag == Tag::Dd) &&
           !has_block_inside(node);
}

bool is_furniture_line(const Node& node) {
    const std::string text = inner_text(node);
    if (text.empty() || text.size() > 2 * kLineLength) return false;
    const std::string words = plain_words(text);
    if (std::find(kWhole.begin(), kWhole.end(), words) != kWhole.end()) return true;
    if (node.tag == Tag::Li || is_heading(node.tag)) return false;
    const std::string low = lower(text);
    const bool points = std::any_of(kPointers.begin(), kPointers.end(),
                                    [&](auto lead) { return low.starts_with(lead); });
    return points && link_density(node) > 0.4;
}

// Who and when, above the first paragraph: the metadata has it.
bool is_dateline(const Node& node) {
    const std::string text = inner_text(node);
    if (text.empty() || text.size() > 90) return false;
    const std::string low = lower(text);
    if (find_date(text)) {
        const auto last = text.back();
        return last != '.' && last != '?' && last != '!' && words_of(text).size() <= 12;
    }
    constexpr auto kLeads = std::to_array<std::string_view>(
        {"by ", "von ", "par ", "por ", "av ", "written by ", "posted by ", "published by ",
         "updated ", "published ", "last updated", "posted on "});
    const bool byline =
        std::any_of(kLeads.begin(), kLeads.end(), [&](auto lead) { return low.starts_with(lead); });
    return byline && words_of(text).size() <= 8 && text.find_first_of(".!?") == std::string::npos;
}

}  // namespace

void remove_furniture_lines(Node& content) {
    std::size_t read = 0;  // text before this line
    for (Node* node : elements(content)) {
        if (node->parent == nullptr || !is_line(*node) ||
            ancestor_with(*node, Tag::Pre) != nullptr ||
            ancestor_with(*node, Tag::Table) != nullptr ||
            ancestor_with(*node, Tag::Blockquote) != nullptr)
            continue;
        const bool at_top = read < 80;
        if (is_furniture_line(*node) || (at_top && node->tag != Tag::H2 && is_dateline(*node))) {
            if (elements(*node, Tag::Img).empty()) remove(*node);
            continue;
        }
        read += text_length(*node);
    }
}

}  // namespace belay::media::html

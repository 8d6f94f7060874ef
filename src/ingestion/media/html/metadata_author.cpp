#include <algorithm>
#include <array>

#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/measure.hpp"
#include "ingestion/media/html/metadata_parts.hpp"
#include "ingestion/media/html/text.hpp"
#include "ingestion/web/url.hpp"

namespace belay::media::html {
namespace {

constexpr std::size_t kNameBytesMax = 120;

// What stands before a name in a byline.
constexpr auto kLeads = std::to_array<std::string_view>({"view all posts by ",
                                                         "more from ",
                                                         "posts by ",
                                                         "by ",
                                                         "by: ",
                                                         "by\xC2\xA0",
                                                         "written by ",
                                                         "posted by ",
                                                         "published by ",
                                                         "author: ",
                                                         "authors: ",
                                                         "author ",
                                                         "words by ",
                                                         "story by ",
                                                         "text by ",
                                                         "von ",
                                                         "von: ",
                                                         "autor: ",
                                                         "autorin: ",
                                                         "autor ",
                                                         "text: ",
                                                         "text von ",
                                                         "ein beitrag von ",
                                                         "redaktion: ",
                                                         "par ",
                                                         "auteur : ",
                                                         "auteur: ",
                                                         "por ",
                                                         "por: ",
                                                         "di ",
                                                         "av ",
                                                         "av: ",
                                                         "af ",
                                                         "door ",
                                                         "skrevet av ",
                                                         "napsal ",
                                                         "autor: ",
                                                         "yazan: ",
                                                         "from ",
                                                         "автор: ",
                                                         "作者：",
                                                         "作者:",
                                                         "文/"});

bool is_placeholder(std::string_view name) {
    const std::string words = plain_words(name);
    constexpr auto kWords = std::to_array<std::string_view>(
        {"admin",   "administrator", "author", "authors",   "by",          "anonymous",
         "unknown", "staff",         "guest",  "root",      "webmaster",   "user",
         "name",    "null",          "none",   "undefined", "author name", "n a",
         "na",      "default",       "editor", "wordpress", "siteadmin"});
    return words.empty() || std::find(kWords.begin(), kWords.end(), words) != kWords.end();
}

// One name out of a byline's text; empty if it does not look like one.
std::string clean_name(std::string_view text) {
    std::string name = collapse(text);
    for (bool again = true; again;) {
        again = false;
        const std::string low = lower(name);
        for (const auto lead : kLeads)
            if (low.starts_with(lead)) {
                name = collapse(name.substr(lead.size()));
                again = true;
                break;
            }
    }
    for (const std::string_view end :
         {" | ", " – ", " — ", " - ", " · ", " • ", " / ", "\t", " on ", " | ", " @", ", updated",
          " Updated", " Published", "("})
        if (const auto at = name.find(end); at != std::string::npos && at >= 3)
            name = name.substr(0, at);
    // The dash has three bytes, and one of them alone also ends "Ó" and "À".
    constexpr std::string_view kDash = "–";
    while (!name.empty()) {
        if (name.ends_with(kDash))
            name.resize(name.size() - kDash.size());
        else if (is_space(name.back()) ||
                 std::string_view{",;:|-/"}.find(name.back()) != std::string_view::npos)
            name.pop_back();
        else
            break;
    }
    while (!name.empty() && (is_space(name.front()) || std::string_view{",;:|-"}.find(
                                                           name.front()) != std::string_view::npos))
        name.erase(0, 1);
    if (name.size() < 2 || name.size() > kNameBytesMax) return {};
    if (name.starts_with("http") || name.find("://") != std::string::npos ||
        name.find("www.") == 0 || name.find('@') == name.size() - 1)
        return {};
    if (is_placeholder(name)) return {};
    const auto digits =
        std::count_if(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits > 3 || words_of(name).size() > 8) return {};
    return name;
}

std::string join(const std::vector<std::string>& raw) {
    std::vector<std::string> names;
    for (const auto& one : raw) {
        const std::string name = clean_name(one);
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
        if (names.size() == 10) break;
    }
    std::string out;
    for (const auto& name : names) out += (out.empty() ? "" : ", ") + name;
    return out;
}

bool in_comments_or_aside(const Node& node) {
    for (const Node* up = &node; up != nullptr; up = up->parent) {
        if (up->tag == Tag::Aside || up->tag == Tag::Footer || up->tag == Tag::Nav) return true;
        if (up->tag != Tag::Body && up->tag != Tag::Html && up->tag != Tag::Article &&
            up->tag != Tag::Main && sounds_like_comments(*up))
            return true;
        const Names names{*up};
        if (up->tag != Tag::Body && up->tag != Tag::Html &&
            (names.has_word("related") || names.has_word("sidebar") || names.has_word("widget") ||
             names.has_word("comment")))
            return true;
    }
    return false;
}

// Two to five words, each with a capital: "Uta Staschewski", not "the editors of this page".
bool looks_like_a_person(std::string_view name) {
    const auto words = words_of(name);
    if (words.size() < 2 || words.size() > 5) return false;
    std::size_t capitals = 0;
    for (const auto word : words) {
        std::size_t at = 0;
        const std::string first =
            std::string{word.substr(0, next_code_point(word, at) > 0 ? at : 1)};
        capitals += lower(first) != first;
    }
    return capitals + 1 >= words.size() && capitals >= 2;
}

// A short line that says nothing but who wrote it: "Von Claudia Lindner", "Autorin: Uta Staschewski, …".
std::string from_byline_text(const Node& body) {
    constexpr auto kBylines =
        std::to_array<std::string_view>({"by ", "von ", "par ", "por ", "text: ", "text von ",
                                         "autor: ", "autorin: ", "author: ", "written by ",
                                         "words: ", "av ", "auteur : ", "di ", "от ", "автор: "});
    for (const Node* node : elements(body)) {
        if (has_block_inside(*node) || text_length(*node) > 90 || text_length(*node) < 8) continue;
        const std::string text = inner_text(*node);
        const std::string low = lower(text);
        const bool byline = std::any_of(kBylines.begin(), kBylines.end(),
                                        [&](auto lead) { return low.starts_with(lead); });
        if (!byline || in_comments_or_aside(*node)) continue;
        std::string name = clean_name(text);
        name = name.substr(0, name.find(','));
        if (looks_like_a_person(name)) return name;
    }
    return {};
}

std::string from_page(const Document& document) {
    const Node* const body = document.body();
    if (body == nullptr) return {};
    const std::vector<Node*> all = elements(*body);
    const auto try_all = [&](const auto& matches) -> std::string {
        std::vector<std::string> names;
        for (const Node* node : all) {
            if (!matches(*node) || in_comments_or_aside(*node)) continue;
            std::string text;
            for (const Node* inner : elements(*node))  // microdata: the name inside the person
                if (has_property(*inner, "name")) {
                    text = property_value(*inner);
                    break;
                }
            if (text.empty()) text = inner_text(*node);
            if (text.size() > 200) continue;
            // One byline may link several people.
            const auto links = elements(*node, Tag::A);
            if (links.size() > 1 && links.size() <= 4) {
                for (const Node* link : links) names.push_back(inner_text(*link));
                if (const std::string found = join(names); !found.empty()) return found;
                names.clear();
            }
            if (const std::string name = clean_name(text); !name.empty()) return name;
        }
        return {};
    };
    std::string found = try_all([](const Node& n) { return has_property(n, "author"); });
    if (found.empty())
        found = try_all(
            [](const Node& n) { return n.attribute("rel") == "author" || has_class(n, "fn"); });
    if (found.empty())
        found = try_all([](const Node& n) {
            const Names names{n};
            return (names.has_word("byline") || names.contains("author-name") ||
                    names.contains("authorname") || names.contains("author_name") ||
                    names.contains("author__name") || names.contains("byline__name") ||
                    names.contains("byline-name")) &&
                   text_length(n) < 100;
        });
    if (found.empty())
        found = try_all([](const Node& n) {
            const Names names{n};
            return (names.has_word("author") || names.has_word("autor") ||
                    names.has_word("authors") || names.has_word("auteur") ||
                    names.has_word("writer")) &&
                   text_length(n) < 80 && n.tag != Tag::Img;
        });
    if (found.empty()) found = from_byline_text(*body);
    return found;
}

}  // namespace

std::string find_author(const Sources& sources, const std::string& site) {
    // The publisher as its own author says nothing, if the page also names a person.
    const auto squash = [](std::string_view text) {
        return replace_all(plain_words(text), " ", "");
    };
    const std::string publisher = squash(site), host = squash(web::site_of(sources.url));
    const auto acceptable = [&](const std::string& name) {
        const std::string words = squash(name);
        if (words.empty() || words == publisher) return false;
        if (words.size() >= 4 &&
            (host.find(words) != std::string::npos || publisher.find(words) != std::string::npos))
            return false;
        return publisher.size() < 4 || words.find(publisher) == std::string::npos;
    };
    std::string author = join(sources.jsonld.authors);
    if (acceptable(author)) return author;
    std::string fallback = author;
    for (const std::string_view name :
         {"author", "article:author", "og:article:author", "byl", "dc.creator", "dcterms.creator",
          "dc.creator.name", "citation_author", "parsely-author", "sailthru.author",
          "article.author", "article:author_name", "creator", "authors", "twitter:data1"}) {
        if (name == "twitter:data1") {
            const std::string label = lower(sources.tags.first({"twitter:label1"}));
            if (label.find("by") == std::string::npos &&
                label.find("author") == std::string::npos &&
                label.find("verfasst") == std::string::npos &&
                label.find("von") == std::string::npos && label.find("écrit") == std::string::npos)
                continue;
        }
        author = join(sources.tags.all(name));
        if (acceptable(author)) return author;
        if (fallback.empty()) fallback = author;
    }
    author = from_page(sources.document);
    if (!author.empty()) return author;
    return fallback;
}

}  // namespace belay::media::html

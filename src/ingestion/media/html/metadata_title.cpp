#include <algorithm>
#include <array>

#include "ingestion/media/html/metadata_parts.hpp"
#include "ingestion/media/html/text.hpp"
#include "ingestion/web/url.hpp"

namespace belay::media::html {
namespace {

constexpr auto kSeparators =
    std::to_array<std::string_view>({" | ", " – ", " — ", " - ", " :: ", " » ", " « ", " · ", " • ",
                                     " / ", " ‹ ", " ~ ", " -- ", "|", " > ", " – "});

// A title cut at its separators, with the separators kept.
struct Part {
    std::string text{};
    std::string before{};  // the separator in front of it
};

std::vector<Part> parts_of(const std::string& title) {
    std::vector<Part> parts{{}};
    for (std::size_t at = 0; at < title.size();) {
        std::string_view found;
        for (const auto separator : kSeparators)
            if (std::string_view{title}.substr(at).starts_with(separator)) {
                found = separator;
                break;
            }
        if (found.empty() || (parts.back().text.empty() && parts.size() == 1)) {
            parts.back().text += title[at++];
        } else {
            parts.push_back({.before = std::string{found}});
            at += found.size();
        }
    }
    for (Part& part : parts) part.text = collapse(part.text);
    return parts;
}

std::string joined(const std::vector<Part>& parts, std::size_t begin, std::size_t end) {
    std::string out;
    for (std::size_t i = begin; i < end; ++i) {
        if (i > begin) out += parts[i].before;
        out += parts[i].text;
    }
    return collapse(out);
}

// The host's own word: "example" of www.news.example.co.uk.
std::string host_word(const std::string& url) {
    std::string host = web::site_of(url);
    const auto labels = split(host, '.');
    if (labels.size() < 2) return {};
    std::size_t at = labels.size() - 2;
    if (labels.size() >= 3 && labels[at].size() <= 3 && labels.back().size() == 2) --at;
    return std::string{labels[at]};
}

bool same_name(std::string_view a, std::string_view b) {
    const auto squash = [](std::string_view text) {
        std::string out;
        for (const char c : plain_words(text))
            if (c != ' ') out += c;
        return out;
    };
    const std::string left = squash(a), right = squash(b);
    return !left.empty() && left == right;
}

bool is_site_name(std::string_view part, const std::string& site, const std::string& url) {
    if (same_name(part, site) || same_name(part, web::site_of(url))) return true;
    const std::string word = host_word(url);
    if (word.size() >= 3 && same_name(part, word)) return true;
    // "The Example" on example.com, "Example.com".
    std::string squashed;
    for (const char c : plain_words(part))
        if (c != ' ') squashed += c;
    return word.size() >= 5 && squashed.find(word) != std::string::npos &&
           squashed.size() <= word.size() + 4;
}

// Without the site's name at its end or beginning.
std::string without_site(const std::string& title, const std::string& site,
                         const std::string& url) {
    std::vector<Part> parts = parts_of(title);
    std::size_t begin = 0, end = parts.size();
    while (end - begin > 1 && is_site_name(parts[end - 1].text, site, url)) --end;
    while (end - begin > 1 && is_site_name(parts[begin].text, site, url)) ++begin;
    // "Title - Section of Example": what stands before the site's name in one breath goes with it only
    // if it is one; otherwise the title has a dash of its own.
    return joined(parts, begin, end);
}

std::vector<std::string> main_headings(const Document& document) {
    std::vector<std::string> found;
    for (const Tag tag : {Tag::H1, Tag::H2})
        for (const Node* heading : elements(document.html(), tag)) {
            std::string text = inner_text(*heading);
            if (!text.empty()) found.push_back(std::move(text));
            if (found.size() > 40) break;
        }
    return found;
}

std::size_t word_count(std::string_view text) { return words_of(text).size(); }

// A title that says the article's name and more: a heading that is a part of it is the name.
std::string part_that_is_a_heading(const std::vector<Part>& parts,
                                   const std::vector<std::string>& headings, std::string& site) {
    for (const std::string& heading : headings) {
        const std::string words = plain_words(heading);
        if (words.empty()) continue;
        for (std::size_t begin = 0; begin < parts.size(); ++begin)
            for (std::size_t end = parts.size(); end > begin; --end) {
                if (end - begin == parts.size() || plain_words(joined(parts, begin, end)) != words)
                    continue;
                if (site.empty() && begin == 0 && end == parts.size() - 1) site = parts.back().text;
                return joined(parts, begin, end);
            }
    }
    return {};
}

// The page's one most important heading, if there is exactly one.
std::string only_heading(const Document& document) {
    for (const Tag tag : {Tag::H1, Tag::H2}) {
        const auto all = elements(document.html(), tag);
        if (all.empty()) continue;
        return all.size() == 1 ? inner_text(*all.front()) : std::string{};
    }
    return {};
}

// The heading is the title written more fully: its letters are all there, in order.
bool spells_out(const std::string& heading, const std::string& title) {
    const std::string more = replace_all(plain_words(heading), " ", ""),
                      less = replace_all(plain_words(title), " ", "");
    const auto numbered = [](std::string_view text) {
        return !text.empty() && text[0] >= '0' && text[0] <= '9';
    };
    if (numbered(more) && !numbered(less))
        return false;  // a chapter's number is not part of its name
    std::size_t at = 0;
    for (const char c : more)
        if (at < less.size() && c == less[at]) ++at;
    return !less.empty() && at == less.size() && less.size() * 10 >= more.size() * 7;
}

std::string from_title_element(const std::string& title, const Sources& sources,
                               std::string& site) {
    const std::vector<Part> parts = parts_of(title);
    const std::string heading = only_heading(sources.document);
    if (parts.size() == 1) return spells_out(heading, title) ? heading : title;
    if (std::string found = part_that_is_a_heading(parts, main_headings(sources.document), site);
        !found.empty())
        return found;
    // A heading that says one of the parts and more: "Ausbildung" under "Bootsdienst Ausbildung".
    const std::string heading_words = " " + plain_words(heading) + " ";
    for (const Part& part : parts)
        if (!heading.empty() && heading.size() < 200 && !plain_words(part.text).empty() &&
            heading_words.find(" " + plain_words(part.text) + " ") != std::string::npos)
            return heading;
    // No heading to go by: a short last part after a bar or a dash is the site.
    const Part& last = parts.back();
    if (word_count(last.text) <= 4 && word_count(joined(parts, 0, parts.size() - 1)) >= 2) {
        if (site.empty() && parts.size() == 2) site = last.text;
        return joined(parts, 0, parts.size() - 1);
    }
    return title;
}

std::string microdata_headline(const Document& document) {
    for (const Node* node : elements(document.html()))
        if (has_property(*node, "headline") && node->tag != Tag::Meta)
            if (std::string text = inner_text(*node); !text.empty() && text.size() < 400)
                return text;
    return {};
}

}  // namespace

TitleAndSite find_title_and_site(const Sources& sources) {
    TitleAndSite found;
    const MetaTags& tags = sources.tags;
    found.site = tags.first({"og:site_name"});
    if (found.site.empty()) found.site = sources.jsonld.publisher;
    if (found.site.empty()) found.site = sources.jsonld.site;
    if (found.site.empty())
        found.site = tags.first({"application-name", "al:android:app_name", "al:ios:app_name",
                                 "dc.publisher", "dcterms.publisher", "citation_journal_title"});

    std::string element;
    for (const Node* node : elements(sources.document.html(), Tag::Title)) {
        if (ancestor_with(*node, Tag::Svg) != nullptr) continue;
        element = collapse(raw_text(*node));
        break;
    }
    std::string title = tags.first({"og:title", "twitter:title", "dc.title", "dcterms.title",
                                    "citation_title", "parsely-title", "sailthru.title", "title"});
    if (title.empty()) title = sources.jsonld.headline;
    if (title.empty()) title = microdata_headline(sources.document);
    const bool declared = !title.empty() && !is_site_name(title, found.site, sources.url);
    if (!declared)
        title = from_title_element(element, sources, found.site);
    else if (std::string part = part_that_is_a_heading(parts_of(title),
                                                       main_headings(sources.document), found.site);
             word_count(part) >= 2)
        title = part;
    title = without_site(title, found.site, sources.url);
    if (title.empty() || is_site_name(title, found.site, sources.url)) {
        const auto headings = main_headings(sources.document);
        if (!headings.empty() && headings.front().size() < 300) title = headings.front();
    }
    found.title = title;
    return found;
}

}  // namespace belay::media::html

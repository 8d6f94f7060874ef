#include "ingestion/media/html/metadata.hpp"

#include "ingestion/media/html/metadata_parts.hpp"
#include "ingestion/media/html/text.hpp"
#include "ingestion/web/url.hpp"

namespace belay::media::html {
namespace {

std::string link_rel(const Document& document, std::string_view rel) {
    for (const Node* link : elements(document.html(), Tag::Link))
        for (const auto one : words_of(link->attribute("rel")))
            if (lower_ascii(one) == rel)
                if (const auto href = trim(link->attribute("href")); !href.empty())
                    return std::string{href};
    return {};
}

// Saved pages say in a comment where they came from: `saved from url=(0042)https://…` (browsers) or
// `{"url": "https://…"}` (clippers).
std::string url_in_comments(const Document& document) {
    for (const std::string& comment : document.comments) {
        if (comment.size() > 4000) continue;
        std::size_t at = std::string::npos;
        if (const auto saved = comment.find("saved from url="); saved != std::string::npos)
            at = comment.find("http", saved);
        else if (const auto key = comment.find("\"url\"");
                 key != std::string::npos && trim(comment).starts_with('{'))
            at = comment.find("http", key);
        if (at == std::string::npos) continue;
        const auto end = std::min(comment.find_first_of(" \"\n\t", at), comment.size());
        if (web::parse_url(comment.substr(at, end - at))) return comment.substr(at, end - at);
    }
    return {};
}

std::string absolute(const std::string& base, const std::string& url) {
    if (url.empty() || base.empty()) return url;
    return web::resolve(base, url).value_or(url);
}

// Where relative links lead: the page's own address, bent by <base>.
std::string base_of(const Document& document, const std::string& page) {
    for (const Node* base : elements(document.html(), Tag::Base)) {
        const std::string href{trim(base->attribute("href"))};
        if (href.empty()) continue;
        const auto resolved = page.empty()
                                  ? (web::parse_url(href) ? std::optional{href} : std::nullopt)
                                  : web::resolve(page, href);
        if (resolved && (resolved->starts_with("http:") || resolved->starts_with("https:")))
            return *resolved;
        break;
    }
    return page;
}

std::string language_of(const Sources& sources) {
    const auto clean = [](std::string_view value) {
        std::string lang{trim(value.substr(0, value.find_first_of(",;")))};
        if (lang.size() > 20 || lang.size() < 2) lang.clear();
        for (char& c : lang)
            if (c == '_') c = '-';
        return lang;
    };
    std::string lang = clean(sources.document.html().attribute("lang"));
    if (lang.empty()) lang = clean(sources.document.html().attribute("xml:lang"));
    if (lang.empty())
        lang = clean(sources.tags.first(
            {"content-language", "language", "dc.language", "dcterms.language"}));
    if (lang.empty()) lang = clean(sources.jsonld.language);
    if (lang.empty()) lang = clean(sources.tags.first({"og:locale"}));
    return lang;
}

}  // namespace

Metadata read_metadata(const Document& document, const std::string& url) {
    Metadata found;
    Sources sources{document, MetaTags{document}, read_jsonld(document), url};
    if (sources.url.empty()) sources.url = url_in_comments(document);
    found.canonical_url = link_rel(document, "canonical");
    if (found.canonical_url.empty())
        found.canonical_url = sources.tags.first({"og:url", "twitter:url"});
    found.canonical_url = absolute(sources.url, found.canonical_url);
    if (!found.canonical_url.empty() && !web::parse_url(found.canonical_url))
        found.canonical_url.clear();
    if (sources.url.empty()) sources.url = found.canonical_url;
    found.base_url = base_of(document, sources.url);

    const TitleAndSite names = find_title_and_site(sources);
    found.title = names.title;
    found.site = names.site;
    found.author = find_author(sources, found.site);
    const Dates dates = find_dates(sources);
    found.date = dates.published;
    found.modified = dates.modified;
    found.description =
        sources.tags.first({"og:description", "description", "twitter:description",
                            "dc.description", "dcterms.description", "dcterms.abstract"});
    if (found.description.empty()) found.description = sources.jsonld.description;
    found.language = language_of(sources);
    found.image = absolute(found.base_url,
                           sources.tags.first({"og:image", "og:image:url", "og:image:secure_url",
                                               "twitter:image", "twitter:image:src"}));
    if (found.image.empty()) found.image = absolute(found.base_url, sources.jsonld.image);
    found.article_body = sources.jsonld.body;
    return found;
}

}  // namespace belay::media::html

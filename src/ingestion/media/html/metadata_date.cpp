#include <algorithm>

#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/date_text.hpp"
#include "ingestion/media/html/metadata_parts.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

std::string date_or_empty(std::string_view text, bool month_first) {
    return find_date(text, month_first).value_or(std::string{});
}

bool is_american(const Sources& sources) {
    const std::string lang = lower_ascii(sources.document.html().attribute("lang"));
    const std::string locale = lower_ascii(sources.tags.first({"og:locale"}));
    if (lang == "en-gb" || lang == "en-au" || locale == "en_gb" || locale == "en_au") return false;
    return lang.starts_with("en") || locale == "en_us" || (lang.empty() && locale.empty());
}

bool beside_the_article(const Node& node) {
    for (const Node* up = &node; up != nullptr; up = up->parent) {
        if (up->tag == Tag::Aside || up->tag == Tag::Nav) return true;
        if (up->tag == Tag::Body || up->tag == Tag::Html || up->tag == Tag::Article ||
            up->tag == Tag::Main)
            continue;
        const Names names{*up};
        if (names.has_word("related") || names.has_word("sidebar") || names.has_word("comment") ||
            names.has_word("comments") || names.has_word("teaser") || names.has_word("event"))
            return true;
    }
    return false;
}

std::string from_elements(const Sources& sources, bool month_first) {
    const Node* const body = sources.document.body();
    if (body == nullptr) return {};
    const std::vector<Node*> all = elements(*body);
    const auto try_all = [&](std::size_t length_max, const auto& matches,
                             bool anywhere = false) -> std::string {
        for (const Node* node : all) {
            if (!matches(*node) || (!anywhere && beside_the_article(*node))) continue;
            for (const std::string_view name : {"datetime", "content", "data-datetime", "title"})
                if (const auto value = node->attribute(name); !value.empty())
                    if (const std::string date = date_or_empty(value, month_first); !date.empty())
                        return date;
            const std::string text = inner_text(*node);
            if (text.size() > length_max) continue;
            if (const std::string date = date_or_empty(text, month_first); !date.empty())
                return date;
        }
        return {};
    };
    std::string date = try_all(200, [](const Node& n) {
        return has_property(n, "datePublished") || has_property(n, "dateCreated");
    });
    if (date.empty())
        date = try_all(100, [](const Node& n) {
            return n.tag == Tag::Time &&
                   (n.has_attribute("pubdate") || Names{n}.contains("publish") ||
                    Names{n}.contains("entry-date"));
        });
    if (date.empty()) date = try_all(100, [](const Node& n) { return n.tag == Tag::Time; });
    if (date.empty())
        date = try_all(100, [](const Node& n) {
            const Names names{n};
            return names.has_word("published") || names.has_word("date") ||
                   names.has_word("pubdate") || names.has_word("datum") ||
                   names.contains("publish") || names.has_word("dateline") ||
                   names.contains("post-date") || names.contains("timestamp") ||
                   names.has_word("fecha") || names.has_word("data");
        });
    if (date.empty())
        date = try_all(160, [](const Node& n) {
            const Names names{n};
            return names.has_word("byline") || names.has_word("meta") || names.has_word("info") ||
                   names.has_word("time") || names.contains("meta");
        });
    // Unclosed elements can put a whole page into its navigation.
    if (date.empty())
        date = try_all(
            100, [](const Node& n) { return n.tag == Tag::Time; }, true);
    return date;
}

// A short line near the top of the article that is mostly a date.
std::string from_short_lines(const Sources& sources, bool month_first, bool anywhere) {
    const Node* const body = sources.document.body();
    if (body == nullptr) return {};
    for (const Node* node = next_in(*body, *body); node != nullptr; node = next_in(*body, *node)) {
        if (!node->is_text() || node->text.size() < 6 || node->parent == nullptr) continue;
        const Tag parent = node->parent->tag;
        if (parent == Tag::Script || parent == Tag::Style || parent == Tag::Noscript ||
            parent == Tag::Option)
            continue;
        const std::string text = collapse(node->text);
        if (text.size() < 6) continue;
        // A long one only if the date is its first word, as in "27.1.2022 - The …".
        const bool opens = text[0] >= '0' && text[0] <= '9' && text.size() > 70;
        if (text.size() > 70 && !opens) continue;
        const std::string low = lower(text);
        if (low.find("copyright") != std::string::npos || low.find("©") != std::string::npos)
            continue;
        if (!anywhere && beside_the_article(*node->parent)) continue;
        if (const std::string date = date_or_empty(opens ? text.substr(0, 14) : text, month_first);
            !date.empty())
            return date;
    }
    return {};
}

}  // namespace

Dates find_dates(const Sources& sources) {
    const bool month_first = is_american(sources);
    Dates found;
    found.modified = date_or_empty(sources.jsonld.modified, month_first);
    if (found.modified.empty())
        found.modified =
            date_or_empty(sources.tags.first({"article:modified_time", "og:updated_time",
                                              "last-modified", "dcterms.modified", "datemodified",
                                              "date-modified", "modified", "revised"}),
                          month_first);

    const auto from_tags = [&](std::initializer_list<std::string_view> names) {
        for (const auto name : names)
            for (const auto& content : sources.tags.all(name))
                if (const std::string date = date_or_empty(content, month_first); !date.empty())
                    return date;
        return std::string{};
    };
    found.published = date_or_empty(sources.jsonld.published, month_first);
    if (found.published.empty())
        found.published = from_tags({"article:published_time",
                                     "og:published_time",
                                     "article:published",
                                     "og:article:published_time",
                                     "datepublished",
                                     "date-published",
                                     "publication_date",
                                     "parsely-pub-date",
                                     "sailthru.date",
                                     "pubdate",
                                     "publishdate",
                                     "publish-date",
                                     "dc.date.issued",
                                     "dcterms.issued",
                                     "dcterms.created",
                                     "dcterms.date",
                                     "dc.date",
                                     "dc.date.created",
                                     "citation_publication_date",
                                     "citation_date",
                                     "article.published",
                                     "published-date",
                                     "published_time",
                                     "cxenseparse:recs:publishtime",
                                     "cxenseparse:publishtime",
                                     "article.created",
                                     "rnews:datepublished",
                                     "date",
                                     "created",
                                     "datecreated",
                                     "release_date",
                                     "timestamp",
                                     "displaydate",
                                     "originalpublicationdate",
                                     "bt:pubdate",
                                     "shareaholic:article_published_time"});
    if (found.published.empty()) found.published = date_in_url(sources.url).value_or(std::string{});
    if (found.published.empty()) found.published = from_elements(sources, month_first);
    if (found.published.empty()) found.published = from_short_lines(sources, month_first, false);
    if (found.published.empty())
        found.published =
            date_or_empty(sources.tags.first({"description", "og:description"}), month_first);
    if (found.published.empty()) found.published = found.modified;
    if (found.published.empty()) found.published = from_short_lines(sources, month_first, true);
    return found;
}

}  // namespace belay::media::html

#include "ingestion/web/source/sanity_source.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "ingestion/web/links.hpp"
#include "ingestion/web/source/page_reader.hpp"
#include "service/http/date.hpp"
#include "service/http/url.hpp"

namespace belay::web::source {

namespace {

namespace json = boost::json;

std::string text_of(const json::object& object, std::string_view name) {
    const json::value* found = object.if_contains(name);
    if (found == nullptr) return {};
    if (const auto* text = found->if_string()) return std::string(*text);
    // {"current": "…"} is a slug, {"name": "…"} a person.
    if (const auto* inner = found->if_object()) {
        for (const char* key : {"current", "name", "title"}) {
            if (const auto* value = inner->if_contains(key); value != nullptr && value->is_string())
                return std::string(value->as_string());
        }
    }
    return {};
}

bool is_portable_text(const json::value& value) {
    const auto* blocks = value.if_array();
    return blocks != nullptr && !blocks->empty() && blocks->front().is_object() &&
           blocks->front().as_object().contains("_type");
}

// The text of a document, as Markdown.
std::string body_of(const json::object& document) {
    for (const char* name : {"body", "content", "text", "markdown"}) {
        const json::value* field = document.if_contains(name);
        if (field == nullptr) continue;
        if (const auto* text = field->if_string()) return std::string(*text);
        if (is_portable_text(*field)) return portable_text(*field);
    }
    for (const auto& field : document) {
        if (is_portable_text(field.value())) return portable_text(field.value());
    }
    return {};
}

std::string marked(std::string text, const json::object& span, const json::object& definitions) {
    const json::value* marks = span.if_contains("marks");
    if (marks == nullptr || !marks->is_array()) return text;
    for (const json::value& mark : marks->as_array()) {
        if (!mark.is_string()) continue;
        const std::string name{mark.as_string()};
        if (name == "strong") text = "**" + text + "**";
        if (name == "em") text = "*" + text + "*";
        if (name == "code") text = "`" + text + "`";
        if (const auto* link = definitions.if_contains(name);
            link != nullptr && link->is_object()) {
            if (const auto href = text_of(link->as_object(), "href"); !href.empty())
                text = fmt::format("[{}]({})", text, href);
        }
    }
    return text;
}

std::string spans_of(const json::object& block) {
    json::object definitions;
    if (const auto* list = block.if_contains("markDefs"); list != nullptr && list->is_array()) {
        for (const json::value& one : list->as_array()) {
            if (one.is_object()) definitions[text_of(one.as_object(), "_key")] = one;
        }
    }
    std::string text;
    const json::value* children = block.if_contains("children");
    if (children == nullptr || !children->is_array()) return text;
    for (const json::value& child : children->as_array()) {
        if (!child.is_object()) continue;
        text += marked(text_of(child.as_object(), "text"), child.as_object(), definitions);
    }
    return text;
}

std::string prefix_of(const json::object& block) {
    const std::string style = text_of(block, "style");
    const std::string item = text_of(block, "listItem");
    if (!item.empty()) {
        const json::value* level = block.if_contains("level");
        const std::int64_t depth = level != nullptr && level->is_int64() ? level->as_int64() : 1;
        const auto indent = static_cast<std::size_t>(std::clamp<std::int64_t>(depth - 1, 0, 8)) * 2;
        return std::string(indent, ' ') + (item == "number" ? "1. " : "- ");
    }
    if (style.size() == 2 && style[0] == 'h' && style[1] >= '1' && style[1] <= '6')
        return std::string(static_cast<std::size_t>(style[1] - '0'), '#') + " ";
    return style == "blockquote" ? "> " : "";
}

[[noreturn]] void refuse(const http::Response& response, const Wanted& wanted, Time now) {
    const auto message = fmt::format("{}: Sanity answered {}", wanted.url, response.status);
    if (response.status != 429 && response.status < 500) throw NonRetryable(message);
    if (const auto wait = http::parse_retry_after(response.headers.get("retry-after"), now))
        throw RetryAfter(message, *wait);
    throw std::runtime_error(message);
}

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// One part of a host's name, or of a path.
bool is_label(std::string_view text) {
    return !text.empty() && text.size() <= 63 && std::ranges::all_of(text, [](char c) {
        return is_letter_or_digit(c) || c == '-' || c == '_';
    });
}

}  // namespace

std::string portable_text(const json::value& blocks) {
    std::string markdown;
    bool was_item = false;
    for (const json::value& one : blocks.as_array()) {
        if (!one.is_object()) continue;
        const json::object& block = one.as_object();
        const std::string type = text_of(block, "_type");
        std::string text;
        if (type == "block") text = prefix_of(block) + spans_of(block);
        if (type == "code")
            text =
                fmt::format("```{}\n{}\n```", text_of(block, "language"), text_of(block, "code"));
        if (type == "image")
            text = fmt::format("![{}]({})", text_of(block, "alt"), text_of(block, "url"));
        if (text.empty()) continue;
        const bool is_item = block.contains("listItem");
        if (!markdown.empty()) markdown += is_item && was_item ? "\n" : "\n\n";
        markdown += text;
        was_item = is_item;
    }
    return markdown;
}

SanitySource::SanitySource(http::Client& client, const env::Clock& clock, SanityOptions options)
    : client_(client), clock_(clock), options_(std::move(options)) {}

Got SanitySource::fetch(Attempt& attempt, const Wanted& wanted) {
    const auto slash = wanted.cms_instance.find('/');
    // It becomes a part of the host's name, which is sent the token: `user@HOST:PORT?` would be another host.
    if (slash == std::string::npos || !is_label(wanted.cms_instance.substr(0, slash)) ||
        !is_label(wanted.cms_instance.substr(slash + 1)))
        throw NonRetryable(
            fmt::format("{}: `{}` is not PROJECT/DATASET", wanted.url, wanted.cms_instance));
    std::string base = options_.base_url;
    if (const auto at = base.find("{project}"); at != std::string::npos)
        base.replace(at, 9, wanted.cms_instance.substr(0, slash));
    http::Request request{
        .url = fmt::format("{}/data/query/{}?query={}&%24id={}", base,
                           wanted.cms_instance.substr(slash + 1),
                           http::percent_encode("*[_id == $id][0]{..., author->{name}}"),
                           http::percent_encode('"' + wanted.cms_document_id + '"')),
        .limits = {.total = options_.time_max},
        .redirects_max = 3,
        .accept_compressed = true};
    if (!options_.token.empty()) request.headers.add("Authorization", "Bearer " + options_.token);
    const http::Response response = client_.send(request, attempt.stop_token());
    if (response.status != 200) refuse(response, wanted, clock_.now());

    json::error_code error;
    const json::value answer = json::parse(response.body, error);
    const json::value* result =
        error || !answer.is_object() ? nullptr : answer.as_object().if_contains("result");
    if (result == nullptr)
        throw std::runtime_error(wanted.url + ": Sanity's answer is not understood");
    if (!result->is_object())
        throw NonRetryable(wanted.url + ": there is no such document, or it is not public");
    const json::object& document = result->as_object();
    Got got;
    got.version.etag = text_of(document, "_rev");
    got.final_url = wanted.url;
    got.kind = "markdown";
    got.bytes = static_cast<std::int64_t>(response.body.size());
    if (!got.version.etag.empty() && got.version.etag == wanted.known.etag) {
        got.unchanged = true;
        return got;
    }
    media::Article& article = got.article;
    article.markdown = body_of(document);
    article.text = plain_text(article.markdown);
    if (article.text.find_first_not_of(" \n\t") == std::string::npos)
        throw NonRetryable(wanted.url + ": no text was found in it");
    article.title = text_of(document, "title");
    article.author = text_of(document, "author");
    article.date = text_of(document, "publishedAt").substr(0, 10);
    article.description = text_of(document, "description");
    if (article.description.empty()) article.description = text_of(document, "excerpt");
    article.language = text_of(document, "language");
    for (const MarkdownLink& link : markdown_links(article.markdown))
        article.links.push_back(link.target);
    return got;
}

}  // namespace belay::web::source

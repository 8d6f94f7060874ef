#include "ingestion/media/html/jsonld.hpp"

#include <algorithm>
#include <array>

#include <boost/json.hpp>

#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

namespace json = boost::json;

constexpr std::size_t kBlockBytesMax = 1024 * 1024;
constexpr std::size_t kDepthMax = 32;
constexpr std::size_t kObjectsMax = 2000;

std::string text_of(const json::value& value) {
    if (const auto* text = value.if_string()) {
        std::string out = collapse(std::string_view{*text});
        for (const auto& [from, to] :
             std::initializer_list<std::pair<std::string_view, std::string_view>>{{"&quot;", "\""},
                                                                                  {"&#039;", "'"},
                                                                                  {"&#39;", "'"},
                                                                                  {"&#8217;", "’"},
                                                                                  {"&#8211;", "–"},
                                                                                  {"&nbsp;", " "},
                                                                                  {"&amp;", "&"}})
            out = replace_all(out, from, to);
        return out;
    }
    if (const auto* list = value.if_array(); list != nullptr && !list->empty())
        return text_of(list->front());
    if (const auto* object = value.if_object())
        for (const char* name : {"name", "@value", "url", "@id"})
            if (const auto* inner = object->if_contains(name);
                inner != nullptr && inner->is_string())
                return text_of(*inner);
    return {};
}

std::string member(const json::object& object, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (const auto* value = object.if_contains(name))
            if (std::string text = text_of(*value); !text.empty()) return text;
    return {};
}

bool has_type(const json::object& object, const auto& wanted) {
    const auto* type = object.if_contains("@type");
    if (type == nullptr) return false;
    const auto matches = [&](const json::value& one) {
        if (!one.is_string()) return false;
        std::string_view name = one.get_string();
        if (const auto slash = name.rfind('/'); slash != std::string_view::npos)
            name.remove_prefix(slash + 1);
        return wanted(name);
    };
    if (const auto* list = type->if_array())
        return std::any_of(list->begin(), list->end(), matches);
    return matches(*type);
}

bool is_article_type(std::string_view type) {
    constexpr auto kOthers = std::to_array<std::string_view>(
        {"Report", "WebPage", "Recipe", "HowTo", "QAPage", "Review", "CreativeWork", "Book",
         "Chapter", "Course", "Event", "PodcastEpisode", "VideoObject", "SocialMediaPosting",
         "DiscussionForumPosting"});
    return type.ends_with("Article") || type.ends_with("Posting") || type.ends_with("BlogPost") ||
           std::find(kOthers.begin(), kOthers.end(), type) != kOthers.end();
}

// An article proper outranks the page that it is on.
int rank_of(const json::object& object) {
    if (has_type(object, [](std::string_view t) {
            return t.ends_with("Article") || t.ends_with("Posting") || t.ends_with("BlogPost");
        }))
        return 3;
    if (has_type(object, [](std::string_view t) {
            return t == "Report" || t == "Recipe" || t == "HowTo" || t == "Review";
        }))
        return 2;
    return has_type(object, is_article_type) ? 1 : 0;
}

void collect(const json::value& value, std::size_t depth, std::vector<const json::object*>& found) {
    if (depth > kDepthMax || found.size() >= kObjectsMax) return;
    if (const auto* list = value.if_array()) {
        for (const auto& one : *list) collect(one, depth + 1, found);
    } else if (const auto* object = value.if_object()) {
        if (object->contains("@type")) found.push_back(object);
        for (const char* name : {"@graph", "mainEntity", "mainEntityOfPage", "hasPart",
                                 "itemListElement", "liveBlogUpdate"})
            if (const auto* inner = object->if_contains(name)) collect(*inner, depth + 1, found);
    }
}

void add_authors(const json::value& value, const std::vector<const json::object*>& all,
                 std::vector<std::string>& names) {
    if (names.size() >= 20) return;
    if (const auto* list = value.if_array()) {
        for (const auto& one : *list) add_authors(one, all, names);
        return;
    }
    std::string name;
    if (value.is_string()) name = text_of(value);
    if (const auto* object = value.if_object()) {
        name = member(*object, {"name"});
        // Only a reference to an object elsewhere in the graph.
        if (const auto* id = object->if_contains("@id");
            name.empty() && id != nullptr && id->is_string())
            for (const auto* other : all)
                if (const auto* other_id = other->if_contains("@id");
                    other_id != nullptr && *other_id == *id)
                    name = member(*other, {"name"});
    }
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
}

void take(const json::object& object, const std::vector<const json::object*>& all, JsonLd& found) {
    const auto fill = [&](std::string& field, std::initializer_list<const char*> names) {
        if (field.empty()) field = member(object, names);
    };
    fill(found.headline, {"headline", "name", "alternativeHeadline"});
    fill(found.published, {"datePublished", "dateCreated", "uploadDate"});
    fill(found.modified, {"dateModified"});
    fill(found.description, {"description"});
    fill(found.language, {"inLanguage"});
    if (const auto* body = object.if_contains("articleBody");
        body != nullptr && body->is_string() && found.body.empty())
        found.body = std::string_view{body->get_string()};  // with its line breaks
    fill(found.url, {"url"});
    if (found.publisher.empty()) {
        if (const auto* publisher = object.if_contains("publisher")) {
            std::vector<std::string> names;
            add_authors(*publisher, all, names);
            if (!names.empty()) found.publisher = names.front();
        }
    }
    if (found.authors.empty())
        for (const char* name : {"author", "creator"})
            if (const auto* author = object.if_contains(name);
                author != nullptr && found.authors.empty())
                add_authors(*author, all, found.authors);
    if (const auto* image = object.if_contains("image"); image != nullptr && found.image.empty()) {
        const json::value* one = image;
        if (const auto* list = one->if_array(); list != nullptr && !list->empty())
            one = &list->front();
        if (const auto* inner = one->if_object())
            found.image = member(*inner, {"url", "contentUrl", "@id"});
        else
            found.image = text_of(*one);
    }
}

// Control characters and comment markers that pages leave in, none of which JSON allows.
std::string repaired(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';  // "\\n" written out is not affected
    for (const std::string_view mark :
         {"<!--", "-->", "<![CDATA[", "]]>", "/*", "*/", "//<", "// <"})
        if (trim(text).starts_with(mark) || mark == "-->" || mark == "]]>")
            text = replace_all(text, mark, " ");
    std::string_view rest = trim(text);
    while (!rest.empty() && (rest.back() == ';' || is_space(rest.back()))) rest.remove_suffix(1);
    return std::string{rest};
}

}  // namespace

JsonLd read_jsonld(const Document& document) {
    JsonLd found;
    json::parse_options options;
    options.max_depth = kDepthMax;
    options.allow_comments = options.allow_trailing_commas = options.allow_invalid_utf8 = true;
    std::vector<json::value> blocks;
    for (const Node* script : elements(document.html(), Tag::Script)) {
        if (lower_ascii(script->attribute("type")).find("ld+json") == std::string::npos) continue;
        std::string code;
        for (const Node* child = script->first; child != nullptr; child = child->next)
            code += child->text;
        if (code.size() > kBlockBytesMax) continue;
        boost::system::error_code error;
        json::value value = json::parse(repaired(std::move(code)), error, {}, options);
        if (!error) blocks.push_back(std::move(value));
    }
    std::vector<const json::object*> all;
    for (const auto& block : blocks) collect(block, 0, all);
    for (int rank = 3; rank >= 1; --rank)
        for (const auto* object : all)
            if (rank_of(*object) == rank && (rank > 1 || found.headline.empty())) {
                take(*object, all, found);
                // Further articles on the page are other articles.
                if (rank == 3) break;
            }
    for (const auto* object : all) {
        if (has_type(*object, [](std::string_view t) { return t == "WebSite"; }) &&
            found.site.empty())
            found.site = member(*object, {"name"});
        if (has_type(*object,
                     [](std::string_view t) {
                         return t == "Organization" || t == "NewsMediaOrganization";
                     }) &&
            found.publisher.empty())
            found.publisher = member(*object, {"name"});
    }
    return found;
}

}  // namespace belay::media::html

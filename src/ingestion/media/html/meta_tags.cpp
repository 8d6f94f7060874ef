#include "ingestion/media/html/meta_tags.hpp"

#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

// Some pages escape twice: "&amp;quot;" arrives here as "&quot;".
std::string unescape_twice(std::string text) {
    if (text.find('&') == std::string::npos) return text;
    for (const auto& [from, to] :
         std::initializer_list<std::pair<std::string_view, std::string_view>>{{"&quot;", "\""},
                                                                              {"&#039;", "'"},
                                                                              {"&#39;", "'"},
                                                                              {"&apos;", "'"},
                                                                              {"&#8217;", "’"},
                                                                              {"&#8216;", "‘"},
                                                                              {"&#8220;", "“"},
                                                                              {"&#8221;", "”"},
                                                                              {"&#8211;", "–"},
                                                                              {"&#8212;", "—"},
                                                                              {"&#8230;", "…"},
                                                                              {"&nbsp;", " "},
                                                                              {"&lt;", "<"},
                                                                              {"&gt;", ">"},
                                                                              {"&amp;", "&"}})
        text = replace_all(text, from, to);
    return text;
}

}  // namespace

MetaTags::MetaTags(const Document& document) {
    for (const Node* meta : elements(document.html(), Tag::Meta)) {
        const std::string content =
            collapse(unescape_twice(std::string{meta->attribute("content")}));
        if (content.empty()) continue;
        for (const std::string_view name : {"name", "property", "itemprop", "http-equiv"}) {
            // One attribute may hold several names.
            for (const auto one : words_of(meta->attribute(name)))
                contents_.emplace(lower_ascii(one), content);
        }
    }
}

std::string MetaTags::first(std::initializer_list<std::string_view> names) const {
    for (const auto name : names)
        if (const auto at = contents_.find(name); at != contents_.end()) return at->second;
    return {};
}

std::vector<std::string> MetaTags::all(std::string_view name) const {
    std::vector<std::string> found;
    const auto [begin, end] = contents_.equal_range(name);
    for (auto at = begin; at != end; ++at) found.push_back(at->second);
    return found;
}

std::string property_value(const Node& node) {
    for (const std::string_view name : {"content", "datetime"})
        if (const auto value = node.attribute(name); !is_blank(value)) return collapse(value);
    return inner_text(node);
}

bool has_property(const Node& node, std::string_view name) {
    for (const std::string_view attribute : {"itemprop", "property"})
        for (const auto one : words_of(node.attribute(attribute)))
            if (one == name || (one.ends_with(name) && one.size() > name.size() &&
                                one[one.size() - name.size() - 1] == ':'))
                return true;
    return false;
}

}  // namespace belay::media::html

// meta_tags.hpp — a page's <meta> elements by name, and its microdata.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

class MetaTags {
public:
    explicit MetaTags(const Document& document);

    // The first content under any of the names (lower case), in the order given; empty if none has one.
    std::string first(std::initializer_list<std::string_view> names) const;
    // Every content under a name, in document order.
    std::vector<std::string> all(std::string_view name) const;

private:
    std::multimap<std::string, std::string, std::less<>> contents_{};
};

// The value of a microdata or RDFa property's element: content, datetime, or its text.
std::string property_value(const Node& node);
bool has_property(const Node& node, std::string_view name);  // itemprop or property, among others

}  // namespace belay::media::html

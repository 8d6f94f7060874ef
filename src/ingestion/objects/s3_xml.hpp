// s3_xml.hpp — the little XML that S3 speaks: elements and text, read without trust.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::objects {

struct XmlElement {
    std::string name;  // without its prefix
    std::string text;  // its own, entities decoded
    std::vector<XmlElement> children;

    // The first child of that name; null if there is none.
    const XmlElement* child(std::string_view name) const;

    // Its text; empty if there is none.
    std::string text_of(std::string_view name) const;
};

// The root element; nothing if it is not well-formed, nested deeper than 32, or has a DOCTYPE (which S3
// never sends, and which is how XML attacks its readers).
std::optional<XmlElement> parse_xml(std::string_view text);

std::string xml_escape(std::string_view text);

}  // namespace belay::objects

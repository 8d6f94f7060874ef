// xml.hpp — an XML document as a small tree: libxml2 behind walls.
//
// What a stranger's file may cost is decided before the parser sees it: a document type (and with it every entity) is
// refused, a tag is short, and the tree has limits of depth and number. Memory and time grow with the file's length.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace belay::media::einvoice {

inline constexpr std::size_t kXmlBytesMax = 32u << 20;  // an XRechnung carries its appendices in it
inline constexpr std::size_t kXmlTagBytesMax = 16u << 10;
inline constexpr std::size_t kXmlElementsMax = 200'000;
inline constexpr int kXmlDepthMax = 64;
inline constexpr int kXmlNamespacesMax = 256;     // in scope at once
inline constexpr std::size_t kXmlTextMax = 4096;  // of one element; the rest is left out

class XmlError : public std::runtime_error {
public:
    // `too_large`: one of the limits above; otherwise it is no well-formed document of ours.
    XmlError(const std::string& message, bool too_large = false)
        : std::runtime_error(message), too_large_(too_large) {}
    bool too_large() const { return too_large_; }

private:
    bool too_large_;
};

struct Attribute {
    std::string name{}, value{};
};

struct Element {
    std::string name{};        // without its prefix
    std::string name_space{};  // the URI
    std::vector<Attribute> attributes{};
    std::string text{};  // all of its own text, trimmed
    std::vector<Element> children{};

    // The first child of that name, or the first below a path of such; null if there is none.
    const Element* child(std::string_view child_name) const;
    const Element* below(std::initializer_list<std::string_view> path) const;
    // Its text; empty if there is no such element.
    std::string text_below(std::initializer_list<std::string_view> path) const;
    std::string_view attribute(std::string_view attribute_name) const;
};

// The root. Elements of other namespaces than those of invoices are left out with all below them. Throws XmlError.
Element parse_xml(std::string_view bytes);

}  // namespace belay::media::einvoice

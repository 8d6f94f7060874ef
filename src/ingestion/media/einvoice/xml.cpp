#include "ingestion/media/einvoice/xml.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include "core/base/utf8.hpp"
#include "ingestion/media/html/charset.hpp"

namespace belay::media::einvoice {
namespace {

// UN/CEFACT CII and its forerunner of ZUGFeRD 1; UBL; the envelope of Peppol.
constexpr std::array<std::string_view, 4> kNamespaces{
    "urn:un:unece:uncefact:data:standard:", "urn:ferd:CrossIndustryDocument:",
    "urn:oasis:names:specification:ubl:schema:xsd:",
    "http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader"};

bool is_ours(std::string_view name_space) {
    return std::ranges::any_of(kNamespaces,
                               [&](std::string_view ours) { return name_space.starts_with(ours); });
}

std::string_view of(const xmlChar* text) {
    return text == nullptr ? std::string_view{} : reinterpret_cast<const char*>(text);
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void trim(std::string& text) {
    while (!text.empty() && is_space(text.back())) text.pop_back();
    text.erase(0,
               static_cast<std::size_t>(std::ranges::find_if_not(text, is_space) - text.begin()));
}

// As UTF-8, by the mark or the declaration in its first line. Without a mark, 16 bits show by the zero beside the first
// letter.
std::string decoded(std::string_view bytes) {
    std::string_view mark;
    if (bytes.starts_with(std::string_view{"<\0", 2})) mark = "\xFF\xFE";
    if (bytes.starts_with(std::string_view{"\0<", 2})) mark = "\xFE\xFF";
    if (mark.empty()) return html::decode_page(bytes).utf8;
    return html::decode_page(std::string(mark) + std::string(bytes)).utf8;
}

// What lies between "<" and ">" costs the parser more than its length: attributes are compared with each other. And
// what a document type may say is nothing that an invoice needs.
void check_markup(std::string_view text) {
    const auto skip_past = [&](std::size_t from, std::string_view end) {
        const auto found = text.find(end, from);
        return found == std::string_view::npos ? text.size() : found + end.size();
    };
    for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
        const std::string_view rest = text.substr(at, 9);
        if (rest.starts_with("<!--")) {
            at = skip_past(at + 4, "-->");
        } else if (rest.starts_with("<![CDATA[")) {
            at = skip_past(at + 9, "]]>");
        } else if (rest.starts_with("<?")) {
            at = skip_past(at + 2, "?>");
        } else if (rest.starts_with("<!")) {
            throw XmlError(
                "the XML has a document type, which no invoice has and none is read with");
        } else {
            const std::size_t begun = at++;
            char quote = 0;
            for (; at < text.size() && (quote != 0 || text[at] != '>'); ++at) {
                if (quote != 0) {
                    if (text[at] == quote) quote = 0;
                } else if (text[at] == '"' || text[at] == '\'') {
                    quote = text[at];
                }
                if (at - begun > kXmlTagBytesMax)
                    throw XmlError(
                        fmt::format("a tag of the XML has more than {} bytes", kXmlTagBytesMax),
                        true);
            }
        }
    }
}

// Builds the tree from what the parser tells. Nothing may be thrown through C: a failure is kept and stops the parser.
class Builder {
public:
    explicit Builder(xmlParserCtxtPtr context) : context_(context) {}

    void start(const xmlChar* name, const xmlChar* uri, int namespaces, int attributes,
               const xmlChar** values) {
        guarded([&] {
            if (++depth_ > kXmlDepthMax)
                throw XmlError(fmt::format("the XML is nested more than {} deep", kXmlDepthMax),
                               true);
            if (++count_ > kXmlElementsMax)
                throw XmlError(fmt::format("the XML has more than {} elements", kXmlElementsMax),
                               true);
            scopes_.push_back(namespaces);
            in_scope_ += namespaces;
            if (in_scope_ > kXmlNamespacesMax)
                throw XmlError(
                    fmt::format("the XML has more than {} namespaces", kXmlNamespacesMax), true);
            if (left_out_at_ > 0) return;
            if (!is_ours(of(uri))) {
                if (open_.empty())
                    throw XmlError(fmt::format("this is no invoice: it is a <{}>",
                                               base::truncate(of(name), 60)));
                left_out_at_ = depth_;
                return;
            }
            auto element = std::make_unique<Element>();
            element->name = of(name);
            element->name_space = of(uri);
            for (int i = 0; i < attributes; ++i) {
                const xmlChar** one = values + static_cast<std::ptrdiff_t>(i) * 5;
                element->attributes.push_back(
                    {std::string(of(one[0])),
                     std::string(reinterpret_cast<const char*>(one[3]),
                                 static_cast<std::size_t>(one[4] - one[3]))});
            }
            open_.push_back(std::move(element));
        });
    }

    void end() {
        guarded([&] {
            const int depth = depth_--;
            in_scope_ -= scopes_.back();
            scopes_.pop_back();
            if (left_out_at_ > 0) {
                if (left_out_at_ == depth) left_out_at_ = 0;
                return;
            }
            auto done = std::move(open_.back());
            open_.pop_back();
            if (done->text.size() == kXmlTextMax)  // cut, perhaps through a letter
                done->text = base::to_valid_utf8(done->text);
            trim(done->text);
            if (open_.empty())
                root = std::move(*done);
            else
                open_.back()->children.push_back(std::move(*done));
        });
    }

    void text(const xmlChar* text, int length) {
        guarded([&] {
            if (left_out_at_ > 0 || open_.empty()) return;
            std::string& own = open_.back()->text;
            const auto room = kXmlTextMax - std::min(own.size(), kXmlTextMax);
            own.append(reinterpret_cast<const char*>(text),
                       std::min(static_cast<std::size_t>(length), room));
        });
    }

    void fail(const char* message) {
        if (!failure) failure = XmlError(message);
        xmlStopParser(context_);
    }

    std::optional<Element> root{};
    std::optional<XmlError> failure{};

private:
    template <class F>
    void guarded(F&& work) {
        if (failure) return;
        try {
            work();
        } catch (const XmlError& error) {
            failure = error;
            xmlStopParser(context_);
        } catch (const std::exception&) {
            failure = XmlError("there is not enough memory for this XML", true);
            xmlStopParser(context_);
        }
    }

    xmlParserCtxtPtr context_;
    std::vector<std::unique_ptr<Element>> open_{};
    std::vector<int> scopes_{};
    int depth_ = 0, in_scope_ = 0, left_out_at_ = 0;
    std::size_t count_ = 0;
};

xmlSAXHandler handlers() {
    xmlSAXHandler sax{};
    sax.initialized = XML_SAX2_MAGIC;
    sax.startElementNs = [](void* builder, const xmlChar* name, const xmlChar*, const xmlChar* uri,
                            int namespaces, const xmlChar**, int attributes, int,
                            const xmlChar** values) {
        static_cast<Builder*>(builder)->start(name, uri, namespaces, attributes, values);
    };
    sax.endElementNs = [](void* builder, const xmlChar*, const xmlChar*, const xmlChar*) {
        static_cast<Builder*>(builder)->end();
    };
    sax.characters = [](void* builder, const xmlChar* text, int length) {
        static_cast<Builder*>(builder)->text(text, length);
    };
    sax.cdataBlock = sax.characters;
    // A second wall behind check_markup.
    sax.internalSubset = [](void* builder, const xmlChar*, const xmlChar*, const xmlChar*) {
        static_cast<Builder*>(builder)->fail("the XML has a document type");
    };
    return sax;
}

}  // namespace

const Element* Element::child(std::string_view child_name) const {
    const auto found = std::ranges::find(children, child_name, &Element::name);
    return found == children.end() ? nullptr : &*found;
}

const Element* Element::below(std::initializer_list<std::string_view> path) const {
    const Element* at = this;
    for (const std::string_view step : path) {
        at = at->child(step);
        if (at == nullptr) return nullptr;
    }
    return at;
}

std::string Element::text_below(std::initializer_list<std::string_view> path) const {
    const Element* found = below(path);
    return found == nullptr ? std::string{} : found->text;
}

std::string_view Element::attribute(std::string_view attribute_name) const {
    const auto found = std::ranges::find(attributes, attribute_name, &Attribute::name);
    return found == attributes.end() ? std::string_view{} : std::string_view{found->value};
}

Element parse_xml(std::string_view bytes) {
    if (bytes.size() > kXmlBytesMax)
        throw XmlError(
            fmt::format("the XML has {} bytes; at most {} are read", bytes.size(), kXmlBytesMax),
            true);
    const std::string text = decoded(bytes);
    check_markup(text);

    const std::unique_ptr<xmlParserCtxt, decltype(&xmlFreeParserCtxt)> context{
        xmlCreateMemoryParserCtxt(text.data(), static_cast<int>(text.size())), xmlFreeParserCtxt};
    if (!context) throw XmlError("this is no XML: it is empty");
    // The bytes are UTF-8 by now, whatever they say of themselves; nothing is fetched, and nobody is told on stderr.
    xmlCtxtUseOptions(context.get(), XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                         XML_PARSE_IGNORE_ENC | XML_PARSE_NOCDATA |
                                         XML_PARSE_NOENT);
    Builder builder{context.get()};
    *context->sax = handlers();
    context->userData = &builder;
    xmlParseDocument(context.get());
    if (builder.failure) throw *builder.failure;
    if (!context->wellFormed || !builder.root) {
        const xmlError* error = xmlCtxtGetLastError(context.get());
        std::string why = error != nullptr && error->message != nullptr ? error->message : "";
        trim(why);
        throw XmlError(
            fmt::format("the XML is broken{}{}",
                        error != nullptr ? fmt::format(" in line {}", error->line) : "",
                        why.empty() ? "" : ": " + base::truncate(base::to_valid_utf8(why), 200)));
    }
    return *std::move(builder.root);
}

}  // namespace belay::media::einvoice

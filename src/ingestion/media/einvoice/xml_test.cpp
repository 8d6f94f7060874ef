#include "ingestion/media/einvoice/xml.hpp"

#include <gtest/gtest.h>

namespace belay::media::einvoice {
namespace {

constexpr std::string_view kOpen =
    "<Invoice xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2\" "
    "xmlns:x=\"urn:example:other\">";

std::string invoice(std::string_view inside) {
    return std::string(kOpen) + std::string(inside) + "</Invoice>";
}

struct Refused {
    std::string why{};
    bool too_large = false;
};
Refused refused(const std::string& bytes) {
    try {
        parse_xml(bytes);
    } catch (const XmlError& error) {
        return {error.what(), error.too_large()};
    }
    return {"it was read"};
}

std::string times(std::string_view what, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += what;
    return out;
}

TEST(Xml, a_document_is_a_tree_of_names_texts_and_attributes) {
    const Element root =
        parse_xml(invoice("<ID a=\"1 &amp; 2\"> 47<![CDATA[11 <&]]>\n</ID><ID>2</ID>"));

    EXPECT_EQ(root.name, "Invoice");
    EXPECT_EQ(root.text_below({"ID"}), "4711 <&");
    EXPECT_EQ(root.child("ID")->attribute("a"), "1 & 2");
    EXPECT_EQ(root.children.size(), 2u);
    EXPECT_EQ(root.child("IDs"), nullptr);
}

TEST(Xml, what_is_of_another_namespace_is_left_out_with_all_in_it) {
    const Element root = parse_xml(invoice("<x:ID>1</x:ID><x:Box><ID>2</ID></x:Box><ID>3</ID>"));

    ASSERT_EQ(root.children.size(), 1u);
    EXPECT_EQ(root.text_below({"ID"}), "3");
}

TEST(Xml, an_encoding_that_is_declared_or_marked_is_decoded) {
    const std::string latin = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" + invoice(
                                                                                      "<ID>Stra\xDF"
                                                                                      "e</ID>");
    EXPECT_EQ(parse_xml(latin).text_below({"ID"}), "Straße");

    std::string wide = "\xFF\xFE";
    for (const char c : "<?xml version='1.0' encoding='UTF-16'?>" + invoice("<ID>7</ID>")) {
        wide += c;
        wide += '\0';
    }
    EXPECT_EQ(parse_xml(wide).text_below({"ID"}), "7");
    EXPECT_EQ(parse_xml(wide.substr(2)).text_below({"ID"}), "7") << "without a mark";
}

TEST(Xml, a_document_type_is_refused_before_anything_of_it_is_read) {
    const std::string laughs = "<!DOCTYPE Invoice [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]>" +
                               invoice("<ID>&b;</ID>");
    EXPECT_NE(refused(laughs).why.find("document type"), std::string::npos);
    const std::string outside =
        "<?xml version=\"1.0\"?>\n<!-- < --><!DOCTYPE Invoice SYSTEM \"file:///etc/passwd\">" +
        invoice("");
    EXPECT_NE(refused(outside).why.find("document type"), std::string::npos);
    EXPECT_NE(refused(invoice("<ID>&undeclared;</ID>")).why.find("broken"), std::string::npos);
    // What only looks like one is text.
    EXPECT_EQ(parse_xml(invoice("<ID><![CDATA[<!DOCTYPE x>]]></ID><!-- <!DOCTYPE x> -->"))
                  .text_below({"ID"}),
              "<!DOCTYPE x>");
}

TEST(Xml, depth_number_length_and_namespaces_have_limits) {
    EXPECT_TRUE(refused(invoice(times("<ID>", 64) + times("</ID>", 64))).too_large);
    EXPECT_EQ(refused(invoice(times("<ID>", 63) + times("</ID>", 63))).why, "it was read");
    EXPECT_TRUE(refused(invoice(times("<x:a>", 64) + times("</x:a>", 64))).too_large)
        << "also what is left out";
    EXPECT_TRUE(refused(invoice(times("<ID/>", kXmlElementsMax))).too_large);
    EXPECT_TRUE(
        refused(invoice("<ID a=\"" + std::string(kXmlTagBytesMax, 'x') + "\"/>")).too_large);
    std::string many;
    for (int i = 0; i < 300; ++i) many += " xmlns:n" + std::to_string(i) + "=\"u\"";
    EXPECT_TRUE(refused(invoice("<ID" + many + "/>")).too_large);
    EXPECT_TRUE(refused(std::string(kXmlBytesMax + 1, ' ')).too_large);
    EXPECT_EQ(
        parse_xml(invoice("<ID>" + std::string(1 << 20, 'x') + "</ID>")).child("ID")->text.size(),
        kXmlTextMax);
}

TEST(Xml, what_is_broken_or_something_else_is_refused_with_a_reason) {
    EXPECT_NE(refused("").why, "it was read");
    EXPECT_NE(refused("no xml").why.find("broken"), std::string::npos);
    EXPECT_NE(refused(invoice("<ID>")).why.find("broken"), std::string::npos);
    EXPECT_NE(refused(std::string(kOpen)).why.find("broken"), std::string::npos);
    EXPECT_NE(refused("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"/>")
                  .why.find("<urlset>"),
              std::string::npos);
}

}  // namespace
}  // namespace belay::media::einvoice

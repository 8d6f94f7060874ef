#include "ingestion/objects/s3_xml.hpp"

#include <gtest/gtest.h>

namespace belay::objects {
namespace {

TEST(S3Xml, reads_elements_text_and_entities) {
    const auto root = parse_xml(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns='http://x/'>"
        "<Contents><Key>a&amp;b&#x2F;&#229;</Key><Size>3</Size></Contents>\n<!-- no -->"
        "<Contents><Key><![CDATA[<raw>]]></Key></Contents><Empty/></ListBucketResult>\n");

    ASSERT_TRUE(root);
    EXPECT_EQ(root->name, "ListBucketResult");
    ASSERT_EQ(root->children.size(), 3U);
    EXPECT_EQ(root->children[0].text_of("Key"), "a&b/å");
    EXPECT_EQ(root->children[0].text_of("Size"), "3");
    EXPECT_EQ(root->children[0].text_of("None"), "");
    EXPECT_EQ(root->children[1].text_of("Key"), "<raw>");
    EXPECT_EQ(root->child("Nobody"), nullptr);
}

TEST(S3Xml, refuses_what_is_broken_or_dangerous) {
    for (const auto* text :
         {"", "text", "<a>", "<a></b>", "<a", "<a><b></a></b>", "<a>&nope;</a>", "<a>&#0;</a>",
          "<a>&#xD800;</a>", "<a/><b/>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "<a b=c></a>",
          "<a b='c></a>", "<a>&amp</a>"}) {
        EXPECT_FALSE(parse_xml(text)) << text;
    }
    std::string deep;
    for (int i = 0; i < 100; ++i) deep += "<a>";
    for (int i = 0; i < 100; ++i) deep += "</a>";
    EXPECT_FALSE(parse_xml(deep));
}

TEST(S3Xml, what_is_escaped_comes_back) {
    const std::string text = "<\"&'>å";
    EXPECT_EQ(parse_xml("<a>" + xml_escape(text) + "</a>")->text, text);
}

}  // namespace
}  // namespace belay::objects

// The XML reader of S3's answers beside libxml2's, over answers and a great many broken ones: whatever both read, they
// read alike. (docs/decisions/0049: why the server does not use libxml2 itself.)
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "ingestion/objects/s3_xml.hpp"

namespace belay::objects {
namespace {

using Document = std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)>;

Document read_by_libxml(const std::string& text) {
    return {xmlReadMemory(
                text.data(), static_cast<int>(text.size()), nullptr, nullptr,
                XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_IGNORE_ENC),
            xmlFreeDoc};
}

std::string_view of(const xmlChar* text) {
    return text == nullptr ? std::string_view{} : reinterpret_cast<const char*>(text);
}

// Without its prefix, also where nothing declares it.
std::string_view name_of(const xmlNode& node) {
    const std::string_view name = of(node.name);
    return name.substr(name.find(':') + 1);
}

// Where the two differ first; empty: nowhere.
std::string difference(const XmlElement& ours, const xmlNode& theirs) {
    if (ours.name != name_of(theirs))
        return "<" + ours.name + "> is <" + std::string(name_of(theirs)) + ">";
    std::string text;
    std::size_t children = 0;
    for (const xmlNode* node = theirs.children; node != nullptr; node = node->next) {
        if (node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE) {
            text += of(node->content);
        } else if (node->type == XML_ELEMENT_NODE) {
            if (children == ours.children.size()) return "<" + ours.name + "> has more inside";
            if (auto inside = difference(ours.children[children++], *node); !inside.empty())
                return inside;
        }
    }
    if (children != ours.children.size()) return "<" + ours.name + "> has less inside";
    return text == ours.text ? "" : "`" + ours.text + "` is `" + text + "`";
}

constexpr std::array<std::string_view, 5> kAnswers{
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns='http://x/'><Name>b</Name>"
    "<Contents><Key>a&amp;b&#x2F;&#229;</Key><Size>3</Size><ETag>&quot;9a&quot;</ETag></Contents>"
    "<!-- no --><Contents><Key><![CDATA[<raw>]]></Key></Contents><Empty/></ListBucketResult>\n",
    "<Error><Code>NoSuchKey</Code><Message>The key \xc3\xa5 is not there</Message></Error>",
    "<CompleteMultipartUploadResult><ETag>\"x-2\"</ETag></CompleteMultipartUploadResult>",
    "<s:A xmlns:s=\"urn:s\"><s:B c=\"1\" d='2'>t</s:B> u <s:B/></s:A>",
    "<a><b><c>1</c>2</b>3<!---->4<![CDATA[]]>5</a>"};

TEST(S3XmlAgainstLibxml, what_both_read_they_read_alike) {
    constexpr std::string_view kBits[] = {
        "<", ">",  "/",    "&",  ";",  "]]>", "<![CDATA[", "<!--", "-->",  "\"", "'",     "=",
        " ", "&#", "&lt;", "?>", "<?", "<b>", "</b>",      "<!D",  "\xc3", "x:", "&#x41;"};
    std::mt19937_64 random{49};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    int both = 0;
    int ours_alone = 0;
    for (int i = 0; i < 60'000; ++i) {
        std::string text{kAnswers[below(kAnswers.size())]};
        for (std::size_t changes = below(4); changes > 0; --changes) {
            const std::size_t at = below(text.size());
            switch (below(3)) {
                case 0:
                    text.erase(at, 1 + below(6));
                    break;
                case 1:
                    text.insert(at, kBits[below(std::size(kBits))]);
                    break;
                default:
                    text[at] = static_cast<char>(32 + below(95));
                    break;
            }
            if (text.empty()) text = " ";
        }
        const auto ours = parse_xml(text);
        const Document theirs = read_by_libxml(text);
        if (ours && !theirs) ++ours_alone;
        if (!ours || !theirs) continue;
        ++both;
        ASSERT_EQ(difference(*ours, *xmlDocGetRootElement(theirs.get())), "") << text;
    }
    EXPECT_GT(both, 10'000);
    RecordProperty("both", both);
    RecordProperty("ours_alone", ours_alone);
    std::printf("both read %d, ours alone %d of 60000\n", both, ours_alone);
}

TEST(S3XmlAgainstLibxml, both_read_every_answer) {
    for (const std::string_view answer : kAnswers) {
        EXPECT_TRUE(parse_xml(answer)) << answer;
        EXPECT_TRUE(read_by_libxml(std::string(answer))) << answer;
    }
}

}  // namespace
}  // namespace belay::objects

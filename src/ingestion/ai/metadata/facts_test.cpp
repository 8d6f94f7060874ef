#include "ingestion/ai/metadata/facts.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "ingestion/ai/metadata/content_type.hpp"
#include "ingestion/ai/metadata/outline.hpp"

namespace belay::ai::metadata {
namespace {

std::string type_of(Document document) { return read_facts(document).content_type; }

const std::string kStory =
    "When the storm came in on Monday evening, the harbour master had already gone home, and "
    "nobody was left to close the gates that kept the old town dry.\n\n"
    "He said later that he had trusted the forecast, which promised a calm night, and that he "
    "would do the same again if anybody asked him to, which nobody did.\n\n"
    "The mayor was called at midnight, she said, and by then the water had reached the market, "
    "where the stalls floated away one by one into the dark street.\n\n"
    "They walked home through the flooded lanes and talked about what they had lost, and what they "
    "had saved, until the church bell told them it was morning.\n\n"
    "By noon the town had counted its losses, and the newspapers had arrived, and everybody was "
    "asked the same questions that had been asked ten years before.\n";

TEST(Facts, a_dated_story_by_an_author_is_a_blog_and_a_narrative) {
    const Facts facts = read_facts({.url = "https://example.com/2020/01/31/storm",
                                    .title = "The storm",
                                    .author = "Ada Berg",
                                    .date = "2020-01-31",
                                    .markdown = kStory});
    EXPECT_EQ(facts.content_type, "blog");
    EXPECT_TRUE(facts.has_narrative_structure);
    EXPECT_FALSE(facts.has_code_examples);
    EXPECT_FALSE(facts.has_step_by_step_procedures);
}

TEST(Facts, steps_with_code_are_a_tutorial) {
    const Facts facts = read_facts(
        {.title = "Getting started with Belay",
         .markdown = "In this tutorial you will learn.\n\n1. Install the package.\n2. Create a "
                     "file.\n3. Run it.\n\n```sh\nmake\n```\n\n```cpp\nint main() {}\n```\n"});
    EXPECT_EQ(facts.content_type, "tutorial");
    EXPECT_TRUE(facts.has_step_by_step_procedures);
    EXPECT_TRUE(facts.has_code_examples);
}

TEST(Facts, addresses_tell_the_other_kinds) {
    EXPECT_EQ(type_of({.url = "https://example.com/", .markdown = "Welcome."}), "homepage");
    EXPECT_EQ(
        type_of({.url = "https://example.com/solutions/retail", .markdown = "For your business."}),
        "solution_page");
    EXPECT_EQ(type_of({.url = "https://example.com/customers/acme", .markdown = "The challenge."}),
              "case_study");
    EXPECT_EQ(type_of({.url = "https://example.com/events/summit-2020", .markdown = "Join us."}),
              "event");
    EXPECT_EQ(type_of({.url = "https://example.com/about", .markdown = "Our mission."}), "info");
    EXPECT_EQ(type_of({.url = "https://example.com/products/rope", .markdown = "Add to cart."}),
              "product_page");
    EXPECT_EQ(type_of({.url = "https://docs.example.com/api/files",
                       .title = "API reference",
                       .markdown = "Parameters"}),
              "reference");
    EXPECT_EQ(type_of({.url = "https://example.com/lp/x",
                       .markdown = "Request a demo. Trusted by many."}),
              "landing_page");
    EXPECT_EQ(type_of({.url = "https://example.com/guides/knots",
                       .title = "How to tie knots",
                       .markdown = "Text."}),
              "guide");
    EXPECT_EQ(type_of({.markdown = "A few words."}), "other");
}

TEST(Facts, every_type_is_one_of_the_twelve) {
    for (const char* url :
         {"https://a.b/", "https://a.b/x", "https://a.b/blog/1", "nonsense", ""}) {
        const std::string type = type_of({.url = url, .markdown = kStory});
        EXPECT_NE(std::find(kContentTypes.begin(), kContentTypes.end(), type), kContentTypes.end())
            << type;
    }
}

TEST(Facts, topics_are_what_a_text_comes_back_to) {
    const Facts facts =
        read_facts({.title = "Storm surge barriers",
                    .markdown = "A storm surge is a rise of water. Storm surge barriers protect a "
                                "city. The city built storm surge barriers, and the barriers "
                                "held.\n\nMachine learning did not help the city."});
    ASSERT_FALSE(facts.topics.empty());
    EXPECT_EQ(facts.topics[0], "storm surge");
    EXPECT_LE(facts.topics.size(), 10u);
}

TEST(Facts, entities_are_names_with_their_kind_and_a_quote) {
    const Facts facts = read_facts(
        {.title = "Moving to PostgreSQL",
         .markdown = "Last year Acme Robotics GmbH moved its data to PostgreSQL. In the end, "
                     "engineers at Acme Robotics GmbH liked PostgreSQL, and the GitHub integration "
                     "too. We met Ada Berg there; later Ada Berg left."});
    const auto find = [&](std::string_view name) {
        const auto at = std::find_if(facts.entities.begin(), facts.entities.end(),
                                     [&](const Entity& one) { return one.name == name; });
        return at == facts.entities.end() ? Entity{} : *at;
    };
    EXPECT_EQ(find("PostgreSQL").type, "Technology");
    EXPECT_EQ(find("PostgreSQL").mentions, 2);
    EXPECT_EQ(find("Acme Robotics GmbH").type, "Company");
    EXPECT_EQ(find("Ada Berg").type, "Topic");
    EXPECT_NE(find("PostgreSQL").quote.find("moved its data to PostgreSQL"), std::string::npos);
    for (const auto& one : facts.entities) EXPECT_NE(one.name, "In");
}

TEST(Facts, the_title_is_the_first_heading_when_the_page_has_none) {
    EXPECT_EQ(read_facts({.markdown = "# The **flood**\n\ntext"}).extracted_title, "The flood");
}

TEST(Outline, counts_what_is_there) {
    const Outline outline = outline_of(
        "# A\n\ntext [x](y)\nmore\n\n- b\n- c\n\n1. d\n\n| e | f |\n| --- | --- |\n\n```\n# not a "
        "heading\n```\n");
    EXPECT_EQ(outline.headings, std::vector<std::string>{"A"});
    EXPECT_EQ(outline.paragraphs, std::vector<std::string>{"text x more"});
    EXPECT_EQ(outline.bullets, 2u);
    EXPECT_EQ(outline.numbered.size(), 1u);
    EXPECT_EQ(outline.table_rows, 2u);
    EXPECT_EQ(outline.code_blocks, 1u);
    EXPECT_EQ(outline.links, 1u);
}

}  // namespace
}  // namespace belay::ai::metadata

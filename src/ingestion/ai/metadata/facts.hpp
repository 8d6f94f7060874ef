// facts.hpp — what a document is, by written rules: the local form of the `extract_metadata` step.
//
// Pure functions over the document's Markdown; the same text always gives the same facts. A model does
// this better and costs money: it fills the same struct. Names and values are spec/FACTS.md's B1 and B2.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

namespace belay::ai::metadata {

// The twelve kinds of document.
inline constexpr auto kContentTypes = std::to_array<std::string_view>(
    {"reference", "tutorial", "guide", "blog", "product_page", "solution_page", "homepage",
     "case_study", "event", "info", "landing_page", "other"});

inline constexpr auto kEntityTypes = std::to_array<std::string_view>(
    {"Product", "Feature", "Technology", "Topic", "Company", "Integration"});

struct Entity {
    std::string name{};
    std::string type{};     // one of kEntityTypes
    double confidence = 0;  // 0 to 1
    int mentions = 0;
    std::string quote{};  // 50 to 200 characters around its first mention
};
BOOST_DESCRIBE_STRUCT(Entity, (), (name, type, confidence, mentions, quote))

struct Document {
    std::string url{};
    std::string title{};
    std::string author{};
    std::string date{};
    std::string markdown{};
};

struct Facts {
    std::string content_type = "other";
    double confidence = 0;  // in the content type, 0 to 1
    std::string extracted_title{};
    bool has_code_examples = false;
    bool has_step_by_step_procedures = false;
    bool has_narrative_structure = false;
    std::vector<std::string> topics{};  // at most 10, the most telling first
    std::vector<Entity> entities{};     // at most 30, the most mentioned first
};
BOOST_DESCRIBE_STRUCT(Facts, (),
                      (content_type, confidence, extracted_title, has_code_examples,
                       has_step_by_step_procedures, has_narrative_structure, topics, entities))

// Reads at most the first 100,000 bytes of the text.
Facts read_facts(const Document& document);

}  // namespace belay::ai::metadata

#include "ingestion/ai/metadata/facts.hpp"

#include "core/base/utf8.hpp"
#include "ingestion/ai/metadata/content_type.hpp"
#include "ingestion/ai/metadata/entities.hpp"
#include "ingestion/ai/metadata/outline.hpp"
#include "ingestion/ai/metadata/topics.hpp"

namespace belay::ai::metadata {
namespace {

constexpr std::size_t kTextBytesMax = 100'000;
constexpr std::size_t kTopics = 10;
constexpr std::size_t kEntities = 30;
constexpr std::size_t kTitleCharsMax = 300;

}  // namespace

Facts read_facts(const Document& document) {
    const Outline outline =
        outline_of(std::string_view{document.markdown}.substr(0, kTextBytesMax));
    const TypeGuess guess = guess_type(document, outline);
    Facts facts;
    facts.content_type = guess.type;
    facts.confidence = guess.confidence;
    facts.extracted_title = document.title;
    if (facts.extracted_title.empty() && !outline.headings.empty())
        facts.extracted_title = outline.headings.front();
    facts.extracted_title = base::truncate(facts.extracted_title, kTitleCharsMax);
    facts.has_code_examples = outline.code_blocks > 0;
    facts.has_step_by_step_procedures = has_steps(outline);
    facts.has_narrative_structure = is_narrative(outline);
    facts.topics = find_topics(facts.extracted_title, outline, kTopics);
    facts.entities = find_entities(facts.extracted_title, outline, kEntities);
    return facts;
}

}  // namespace belay::ai::metadata

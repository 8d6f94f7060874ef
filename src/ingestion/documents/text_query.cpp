#include "ingestion/documents/text_query.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "ingestion/ai/metadata/outline.hpp"

namespace belay::documents {

namespace {

// More words make a query slower, not better.
constexpr std::size_t kWordsMax = 16;

constexpr std::array<std::string_view, 118> kEmptyWords{
    "a",     "about", "all",    "an",   "and",  "any",  "are",   "as",   "at",    "be",   "but",
    "by",    "can",   "could",  "did",  "do",   "does", "for",   "from", "had",   "has",  "have",
    "he",    "her",   "his",    "how",  "i",    "if",   "in",    "into", "is",    "it",   "its",
    "me",    "more",  "most",   "my",   "no",   "not",  "of",    "on",   "one",   "or",   "our",
    "out",   "she",   "should", "so",   "some", "than", "that",  "the",  "their", "them", "then",
    "there", "these", "they",   "this", "to",   "up",   "was",   "we",   "were",  "what", "when",
    "where", "which", "who",    "why",  "will", "with", "would", "you",  "your",  "att",  "av",
    "den",   "det",   "en",     "ett",  "för",  "har",  "hur",   "inte", "med",   "och",  "om",
    "på",    "som",   "till",   "vad",  "är",   "aus",  "das",   "dem",  "der",   "des",  "die",
    "ein",   "eine",  "für",    "im",   "ist",  "mit",  "nicht", "oder", "sich",  "sie",  "sind",
    "und",   "von",   "wie",    "zu",   "zum",  "zur",  "auf",   "bei"};

bool is_empty_word(std::string_view word) {
    return std::ranges::find(kEmptyWords, word) != kEmptyWords.end();
}

std::vector<std::string> words_of(const std::string& query) {
    std::vector<std::string> telling, all;
    std::set<std::string> seen;
    for (const std::string& word : ai::metadata::split_words(query)) {
        const std::string lower = ai::metadata::lower_ascii(word);
        if (!seen.insert(lower).second) continue;
        all.push_back(lower);
        if (!is_empty_word(lower)) telling.push_back(lower);
    }
    auto& chosen = telling.empty() ? all : telling;
    if (chosen.size() > kWordsMax) chosen.resize(kWordsMax);
    return chosen;
}

// In quotes nothing is an operator; split_words leaves letters and digits only.
std::string joined(const std::vector<std::string>& words, std::string_view between) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += between;
        text += '"' + word + '"';
    }
    return text;
}

}  // namespace

std::string TextQuery::all() const { return joined(words, " AND "); }

std::string TextQuery::any() const { return joined(words, " OR "); }

TextQuery text_query(const std::string& query) { return {words_of(query)}; }

}  // namespace belay::documents

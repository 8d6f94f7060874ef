#include "documents/text_query.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "ai/metadata/outline.hpp"

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

}  // namespace

TextQuery text_query(const std::string& query) {
    TextQuery text;
    for (const std::string& word : words_of(query)) {
        // In quotes nothing is an operator; split_words leaves letters and digits only.
        const std::string quoted = '"' + word + '"';
        text.all += (text.all.empty() ? "" : " AND ") + quoted;
        text.any += (text.any.empty() ? "" : " OR ") + quoted;
    }
    return text;
}

}  // namespace belay::documents

#include "ingestion/ai/metadata/topics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace belay::ai::metadata {
namespace {

constexpr std::size_t kPhraseWords = 3;
constexpr std::size_t kTextWordsMax = 20'000;

struct Counted {
    double weight = 0;
    std::size_t words = 0;
};

class Phrases {
public:
    void add_text(std::string_view text, double weight) {
        std::vector<std::string> run;
        const auto finish = [&] {
            for (std::size_t begin = 0; begin < run.size(); ++begin) {
                std::string phrase;
                for (std::size_t length = 1; length <= kPhraseWords && begin + length <= run.size();
                     ++length) {
                    if (length > 1) phrase += ' ';
                    phrase += run[begin + length - 1];
                    auto& counted = found_[phrase];
                    counted.weight += weight;
                    counted.words = length;
                }
            }
            run.clear();
        };
        // A phrase does not cross a comma or the end of a sentence.
        std::size_t begin = 0;
        for (std::size_t i = 0; i <= text.size(); ++i) {
            if (i < text.size() &&
                std::string_view{".,;:!?()\"\n"}.find(text[i]) == std::string_view::npos)
                continue;
            for (const auto& word : split_words(text.substr(begin, i - begin))) {
                if (++words_ > kTextWordsMax) return;
                std::string low = lower_ascii(word);
                const bool number = low.find_first_not_of("0123456789.,-") == std::string::npos;
                if (low.size() < 3 || number || is_stop_word(low))
                    finish();
                else
                    run.push_back(std::move(low));
            }
            finish();
            begin = i + 1;
        }
    }

    std::vector<std::string> best(std::size_t count) const {
        std::vector<std::pair<double, std::string>> ranked;
        for (const auto& [phrase, counted] : found_) {
            if (counted.weight < 2) continue;  // said once
            const double length = counted.words == 1 ? 1 : counted.words == 2 ? 1.9 : 2.3;
            ranked.emplace_back(-std::log(1 + counted.weight) * counted.weight * length, phrase);
        }
        std::sort(ranked.begin(), ranked.end());
        std::vector<std::string> topics;
        std::set<std::string> used;
        for (const auto& [score, phrase] : ranked) {
            const auto words = split_words(phrase);
            const auto taken = std::count_if(words.begin(), words.end(), [&](const auto& word) {
                return used.count(word) != 0;
            });
            if (static_cast<std::size_t>(taken) * 2 >= words.size() && taken > 0) continue;
            topics.push_back(phrase);
            used.insert(words.begin(), words.end());
            if (topics.size() == count) break;
        }
        return topics;
    }

private:
    std::map<std::string, Counted> found_{};
    std::size_t words_ = 0;
};

}  // namespace

bool is_stop_word(std::string_view word) {
    static const std::set<std::string_view> kWords = {
        // English
        "a", "about", "above", "after", "again", "against", "all", "also", "although", "always",
        "am", "an", "and", "another", "any", "are", "around", "as", "at", "back", "be", "because",
        "been", "before", "being", "below", "between", "both", "but", "by", "can", "can't",
        "cannot", "come", "could", "did", "do", "does", "doesn't", "doing", "don't", "done", "down",
        "during", "each", "either", "else", "enough", "even", "ever", "every", "everything", "few",
        "first", "for", "from", "get", "gets", "getting", "give", "go", "goes", "going", "good",
        "got", "had", "has", "have", "having", "he", "he's", "her", "here", "hers", "him",
        "himself", "his", "how", "however", "i", "i'm", "i've", "if", "in", "into", "is", "isn't",
        "it", "it's", "its", "itself", "just", "keep", "know", "last", "least", "less", "let",
        "like", "likely", "little", "long", "look", "lot", "made", "make", "makes", "making",
        "many", "may", "me", "might", "more", "most", "much", "must", "my", "need", "needs",
        "never", "new", "next", "no", "nor", "not", "nothing", "now", "of", "off", "often", "on",
        "once", "one", "only", "or", "other", "others", "our", "out", "over", "own", "part",
        "people", "per", "put", "quite", "rather", "really", "same", "say", "says", "said", "see",
        "seem", "set", "several", "she", "should", "since", "so", "some", "something", "still",
        "such", "take", "than", "that", "that's", "the", "their", "them", "then", "there",
        "there's", "these", "they", "thing", "things", "think", "this", "those", "though", "three",
        "through", "time", "times", "to", "too", "two", "under", "until", "up", "upon", "us", "use",
        "used", "uses", "using", "very", "want", "was", "way", "ways", "we", "we're", "well",
        "were", "what", "when", "where", "whether", "which", "while", "who", "whose", "why", "will",
        "with", "within", "without", "won't", "work", "would", "year", "years", "yes", "yet", "you",
        "you'll", "you're", "your", "today", "read", "click", "figure", "image", "photo", "example",
        "examples", "page", "via",
        // Swedish
        "och", "att", "det", "som", "en", "ett", "på", "är", "av", "för", "med", "till", "den",
        "har", "de", "inte", "om", "vi", "kan", "man", "från", "men", "var", "jag", "sig", "så",
        "vid", "eller", "ska", "nu", "också", "efter", "än", "hade", "han", "hon", "där", "här",
        "alla", "när", "mot", "ut", "upp", "över", "under", "blir", "blev", "vara", "skulle",
        "mycket", "mer", "detta", "denna", "dessa", "sin", "sina",
        // German
        "und", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer",
        "eines", "ist", "sind", "war", "waren", "mit", "von", "für", "auf", "nicht", "sich", "auch",
        "als", "bei", "nach", "aus", "wie", "zum", "zur", "im", "am", "es", "er", "sie", "wir",
        "ich", "ihr", "wird", "werden", "wurde", "wurden", "kann", "können", "hat", "haben",
        "durch", "über", "unter", "noch", "nur", "oder", "aber", "wenn", "dass", "diese", "dieser",
        "dieses", "mehr", "sehr", "bis", "zu", "vor", "um", "so", "man", "sein", "seine", "ihre",
        "keine", "alle",
        // French
        "les", "des", "une", "est", "dans", "pour", "que", "qui", "sur", "par", "pas", "plus",
        "avec", "son", "ses", "sont", "aux", "ont", "cette", "mais", "comme", "nous", "vous", "ils",
        "elle", "leur", "été", "ces", "tout", "être", "fait", "du", "le", "la", "et", "à", "il",
        "au", "se", "ce",
        // Spanish
        "los", "las", "una", "por", "con", "para", "del", "como", "más", "pero", "sus", "entre",
        "está", "cuando", "muy", "sin", "sobre", "también", "hasta", "hay", "donde", "desde",
        "todo", "nos", "durante", "todos", "uno", "ni", "contra", "otros", "ese", "eso", "ante",
        "ellos", "esto", "mí", "antes", "algunos", "qué", "unos", "yo", "otro", "otras", "el", "y",
        "lo", "su"};
    return kWords.count(word) != 0;
}

std::vector<std::string> find_topics(std::string_view title, const Outline& outline,
                                     std::size_t count) {
    Phrases phrases;
    phrases.add_text(title, 3);
    for (const auto& heading : outline.headings) phrases.add_text(heading, 1.5);
    for (const auto& paragraph : outline.paragraphs) phrases.add_text(paragraph, 1);
    for (const auto& item : outline.numbered) phrases.add_text(item, 1);
    return phrases.best(count);
}

}  // namespace belay::ai::metadata

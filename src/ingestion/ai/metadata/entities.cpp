#include "ingestion/ai/metadata/entities.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/utf8.hpp"
#include "ingestion/ai/metadata/topics.hpp"

namespace belay::ai::metadata {
namespace {

constexpr std::size_t kNameWords = 4;

const std::set<std::string_view>& technologies() {
    static const std::set<std::string_view> kNames = {"python",
                                                      "javascript",
                                                      "typescript",
                                                      "java",
                                                      "kotlin",
                                                      "swift",
                                                      "rust",
                                                      "golang",
                                                      "ruby",
                                                      "php",
                                                      "perl",
                                                      "scala",
                                                      "haskell",
                                                      "c++",
                                                      "c#",
                                                      "html",
                                                      "css",
                                                      "sql",
                                                      "json",
                                                      "xml",
                                                      "yaml",
                                                      "http",
                                                      "https",
                                                      "rest",
                                                      "graphql",
                                                      "grpc",
                                                      "postgresql",
                                                      "postgres",
                                                      "mysql",
                                                      "sqlite",
                                                      "mongodb",
                                                      "redis",
                                                      "kafka",
                                                      "rabbitmq",
                                                      "elasticsearch",
                                                      "docker",
                                                      "kubernetes",
                                                      "terraform",
                                                      "ansible",
                                                      "linux",
                                                      "windows",
                                                      "macos",
                                                      "android",
                                                      "ios",
                                                      "react",
                                                      "vue",
                                                      "angular",
                                                      "svelte",
                                                      "node.js",
                                                      "nodejs",
                                                      "django",
                                                      "flask",
                                                      "rails",
                                                      "spring",
                                                      "tensorflow",
                                                      "pytorch",
                                                      "git",
                                                      "github",
                                                      "gitlab",
                                                      "nginx",
                                                      "apache",
                                                      "aws",
                                                      "azure",
                                                      "wordpress",
                                                      "bluetooth",
                                                      "wifi",
                                                      "5g",
                                                      "gpt",
                                                      "llm",
                                                      "llms",
                                                      "machine learning",
                                                      "blockchain",
                                                      "bitcoin",
                                                      "celery",
                                                      "temporal",
                                                      "pandas",
                                                      "numpy",
                                                      "spark",
                                                      "hadoop",
                                                      "webassembly",
                                                      "oauth",
                                                      "tls",
                                                      "dns",
                                                      "tcp"};
    return kNames;
}

bool is_company_ending(std::string_view word) {
    static const std::set<std::string_view> kEndings = {
        "Inc",      "Inc.",     "Corp", "Corp.",    "Corporation", "Ltd",          "Ltd.",
        "Limited",  "LLC",      "AB",   "GmbH",     "AG",          "SA",           "S.A",
        "SpA",      "Oy",       "ASA",  "BV",       "PLC",         "plc",          "Group",
        "Holdings", "Company",  "Bank", "Airlines", "Motors",      "Technologies", "Systems",
        "Labs",     "Software", "Media"};
    return kEndings.count(word) != 0;
}

bool starts_upper(std::string_view word) {
    if (word.empty()) return false;
    const auto a = static_cast<unsigned char>(word[0]);
    if (a >= 'A' && a <= 'Z') return true;
    if (a == 0xC3 && word.size() > 1) {
        const auto b = static_cast<unsigned char>(word[1]);
        return b >= 0x80 && b <= 0x9E;
    }
    return a == 0xD0 && word.size() > 1 && static_cast<unsigned char>(word[1]) <= 0xAF;
}

// "iPhone", "GitHub", "NASA": a capital that no sentence start explains.
bool has_inner_capital(std::string_view word) {
    return std::any_of(word.begin() + (word.empty() ? 0 : 1), word.end(),
                       [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string without_possessive(std::string word) {
    if (word.size() > 2 && word.ends_with("'s")) word.resize(word.size() - 2);
    return word;
}

struct Mention {
    int count = 0;
    int inside = 0;  // not at the start of a sentence
    bool followed_by_api = false, followed_by_integration = false, followed_by_feature = false;
    std::string quote{};
};

std::string quote_around(std::string_view paragraph, std::string_view name) {
    const auto at = paragraph.find(name);
    if (at == std::string_view::npos) return {};
    std::size_t begin = at > 60 ? at - 60 : 0;
    while (begin > 0 && begin < at && paragraph[begin - 1] != ' ') ++begin;
    std::size_t end = std::min(paragraph.size(), at + name.size() + 90);
    while (end < paragraph.size() && paragraph[end] != ' ' && end > at + name.size()) --end;
    return base::to_valid_utf8(paragraph.substr(begin, end - begin));
}

class Collector {
public:
    void add(std::string_view text) {
        // Sentence by sentence: the first word's capital says nothing.
        std::size_t begin = 0;
        for (std::size_t i = 0; i <= text.size(); ++i) {
            const bool ends =
                i == text.size() ||
                ((text[i] == '.' || text[i] == '!' || text[i] == '?' || text[i] == ':') &&
                 (i + 1 == text.size() || text[i + 1] == ' '));
            if (!ends) continue;
            sentence(text.substr(begin, i - begin), text);
            begin = i + 1;
        }
    }

    std::map<std::string, Mention> found{};

private:
    void sentence(std::string_view sentence, std::string_view paragraph) {
        // Names do not go across a comma.
        std::size_t begin = 0;
        bool first = true;
        for (std::size_t i = 0; i <= sentence.size(); ++i) {
            if (i < sentence.size() &&
                std::string_view{",;()\"/|"}.find(sentence[i]) == std::string_view::npos)
                continue;
            part(split_words(sentence.substr(begin, i - begin)), first, paragraph);
            first = false;
            begin = i + 1;
        }
    }

    void part(const std::vector<std::string>& words, bool sentence_start,
              std::string_view paragraph) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string low = lower_ascii(words[i]);
            const bool technology = technologies().count(low) != 0;
            const bool name = starts_upper(words[i]) || has_inner_capital(words[i]);
            if (!name && !technology) continue;
            const bool at_start = i == 0 && sentence_start;
            if (at_start && is_stop_word(low)) continue;
            if (words[i].size() < 2 || is_stop_word(low)) continue;
            std::size_t end = i + 1;
            while (end < words.size() && end - i < kNameWords && starts_upper(words[end]) &&
                   !is_stop_word(lower_ascii(words[end])))
                ++end;
            std::string joined;
            for (std::size_t k = i; k < end; ++k)
                joined +=
                    (k > i ? " " : "") + (k + 1 == end ? without_possessive(words[k]) : words[k]);
            Mention& mention = found[joined];
            ++mention.count;
            if (!at_start || end - i > 1 || has_inner_capital(words[i]) || technology)
                ++mention.inside;
            if (mention.quote.empty()) mention.quote = quote_around(paragraph, joined);
            if (end < words.size()) {
                const std::string next = lower_ascii(words[end]);
                mention.followed_by_api |=
                    next == "api" || next == "sdk" || next == "library" || next == "framework";
                mention.followed_by_integration |=
                    next == "integration" || next == "plugin" || next == "connector";
                mention.followed_by_feature |=
                    next == "feature" || next == "mode" || next == "tool";
            }
            i = end - 1;
        }
    }
};

std::string type_of(const std::string& name, const Mention& mention) {
    const auto words = split_words(name);
    if (technologies().count(lower_ascii(name)) != 0 || mention.followed_by_api)
        return "Technology";
    if (!words.empty() && words.size() > 1 && is_company_ending(words.back())) return "Company";
    if (mention.followed_by_integration) return "Integration";
    if (mention.followed_by_feature) return "Feature";
    if (has_inner_capital(name) && words.size() == 1 &&
        name.find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string::npos)
        return "Product";
    const bool versioned = !words.empty() && words.size() > 1 &&
                           words.back().find_first_not_of("0123456789.") == std::string::npos;
    return versioned ? "Product" : "Topic";
}

}  // namespace

std::vector<Entity> find_entities(std::string_view title, const Outline& outline,
                                  std::size_t count) {
    Collector collector;
    for (const auto& paragraph : outline.paragraphs) collector.add(paragraph);
    for (const auto& item : outline.numbered) collector.add(item);
    std::vector<Entity> entities;
    for (const auto& [name, mention] : collector.found) {
        if (mention.inside == 0) continue;
        const std::string type = type_of(name, mention);
        const bool in_title = title.find(name) != std::string_view::npos;
        const bool telling = type == "Company" || type == "Technology";
        if (mention.count < 2 && !in_title && !telling) continue;
        const double confidence =
            std::min(0.95, 0.3 + 0.08 * mention.count + (in_title ? 0.2 : 0) + (telling ? 0.2 : 0));
        entities.push_back({name, type, confidence, mention.count, mention.quote});
    }
    std::sort(entities.begin(), entities.end(), [](const Entity& a, const Entity& b) {
        return a.mentions != b.mentions ? a.mentions > b.mentions : a.name < b.name;
    });
    if (entities.size() > count) entities.resize(count);
    return entities;
}

}  // namespace belay::ai::metadata

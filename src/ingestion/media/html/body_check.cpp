#include "ingestion/media/html/body_check.hpp"

#include <string>
#include <unordered_set>
#include <vector>

#include "ingestion/media/html/parse.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

constexpr std::size_t kGroup = 4;  // words
constexpr std::size_t kParagraphLength = 40;

std::unordered_set<std::string> groups_of(std::string_view text) {
    const std::string plain = plain_words(text);
    const auto words = words_of(plain);
    std::unordered_set<std::string> groups;
    for (std::size_t i = 0; i + kGroup <= words.size(); ++i) {
        std::string group;
        for (std::size_t k = 0; k < kGroup; ++k) group.append(words[i + k]).append(1, ' ');
        groups.insert(std::move(group));
    }
    return groups;
}

Node* common_ancestor(Node* a, Node* b) {
    for (Node* at = a; at != nullptr; at = at->parent)
        if (is_inside(*b, *at)) return at;
    return nullptr;
}

}  // namespace

double shared_part(std::string_view wanted, std::string_view text) {
    const auto need = groups_of(wanted), have = groups_of(text);
    if (need.empty()) return 1;
    std::size_t shared = 0;
    for (const auto& group : need) shared += have.count(group);
    return static_cast<double>(shared) / static_cast<double>(need.size());
}

Node* holder_of(Node& body, std::string_view wanted) {
    const std::string plain = plain_words(wanted);
    Node* holder = nullptr;
    std::size_t found = 0;
    for (Node* paragraph : elements(body, {Tag::P, Tag::Li, Tag::Blockquote})) {
        const std::string words = plain_words(inner_text(*paragraph));
        if (words.size() < kParagraphLength || plain.find(words) == std::string::npos) continue;
        found += words.size();
        holder = holder == nullptr ? paragraph->parent : common_ancestor(holder, paragraph);
        if (holder == nullptr) return nullptr;
    }
    if (found * 2 < plain.size() || holder == &body) return nullptr;
    return holder;
}

Node& content_of_text(Document& document, std::string_view text) {
    Node& content = document.make_element(Tag::Div);
    std::string source{text};
    if (source.find("<p") != std::string::npos || source.find("<br") != std::string::npos) {
        const Document inside = parse(source);
        if (inside.body() != nullptr)
            for (const Node* child = inside.body()->first; child != nullptr; child = child->next)
                append(content, document.clone(*child));
        return content;
    }
    for (const auto line : split(source, '\n')) {
        if (is_blank(line)) continue;
        Node& paragraph = document.make_element(Tag::P);
        append(paragraph, document.make_text(line));
        append(content, paragraph);
    }
    return content;
}

}  // namespace belay::media::html

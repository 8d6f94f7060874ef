#include "ingestion/media/html/lead.hpp"

#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/measure.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

constexpr std::size_t kLeadLength = 80;
constexpr std::size_t kLeadParagraphs = 3;

const Node* headline(const Node& body, const std::string& title) {
    const std::string wanted = plain_words(title);
    if (wanted.empty()) return nullptr;
    for (const Node* heading : elements(body, {Tag::H1, Tag::H2}))
        if (const std::string words = plain_words(inner_text(*heading));
            words == wanted || word_similarity(words, wanted) > 0.8)
            return heading;
    return nullptr;
}

bool in_furniture(const Node& node, const Node& body) {
    for (const Node* up = &node; up != nullptr && up != &body; up = up->parent) {
        if (up->tag == Tag::Aside || up->tag == Tag::Nav || up->tag == Tag::Footer ||
            up->tag == Tag::Figure || up->tag == Tag::Figcaption || up->tag == Tag::Form ||
            up->tag == Tag::Ul || up->tag == Tag::A)
            return true;
        if (sounds_like_caption(*up)) return true;
    }
    return sounds_like_furniture(node);
}

}  // namespace

std::vector<Node*> lead_paragraphs(const Node& body, const Node& top, const std::string& title) {
    std::vector<Node*> found;
    const Node* const heading = headline(body, title);
    if (heading == nullptr || is_inside(*heading, top)) return found;
    for (Node* at = next_after(body, *heading); at != nullptr && at != &top;
         at = next_in(body, *at)) {
        if (at->tag != Tag::P || is_inside(top, *at)) continue;
        if (text_length(*at) < kLeadLength || link_density(*at) > 0.2 || in_furniture(*at, body))
            continue;
        found.push_back(at);
        if (found.size() > kLeadParagraphs) return {};  // that is an article of its own, not a lead
    }
    // `top` must come after; walking off the end means that it stood before the heading.
    for (const Node* at = heading; at != nullptr; at = next_in(body, *at))
        if (at == &top) return found;
    return {};
}

}  // namespace belay::media::html

#include "ingestion/media/html/select.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/lead.hpp"
#include "ingestion/media/html/measure.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

// Shorter ones say nothing about where the article is.
constexpr std::size_t kParagraphLength = 25;
constexpr int kLevelsUp = 5;
constexpr std::size_t kCandidates = 5;

bool is_scored(Tag tag) {
    return tag == Tag::P || tag == Tag::Pre || tag == Tag::Td || tag == Tag::Section ||
           tag == Tag::Blockquote || (is_heading(tag) && tag != Tag::H1);
}

double tag_score(Tag tag) {
    switch (tag) {
        case Tag::Article:
        case Tag::Main:
            return 10;
        case Tag::Div:
            return 5;
        case Tag::Pre:
        case Tag::Td:
        case Tag::Blockquote:
            return 3;
        case Tag::Address:
        case Tag::Ol:
        case Tag::Ul:
        case Tag::Dl:
        case Tag::Dd:
        case Tag::Dt:
        case Tag::Li:
        case Tag::Form:
            return -3;
        case Tag::H1:
        case Tag::H2:
        case Tag::H3:
        case Tag::H4:
        case Tag::H5:
        case Tag::H6:
        case Tag::Th:
            return -5;
        default:
            return 0;
    }
}

bool is_byline_like(const Node& node) {
    const std::string_view rel = node.attribute("rel"), itemprop = node.attribute("itemprop");
    if (rel != "author" && itemprop.find("author") == std::string_view::npos &&
        !Names{node}.contains("byline"))
        return false;
    const std::size_t length = text_length(node);
    return length > 0 && length < 100;
}

void strip_unlikely(Node& body) {
    for (Node* node = next_in(body, body); node != nullptr;) {
        Node* const after = next_after(body, *node);
        const bool kept = node->is_text() || node->tag == Tag::Body || node->tag == Tag::A ||
                          node->tag == Tag::Html || node->tag == Tag::Article ||
                          node->tag == Tag::Main || ancestor_with(*node, Tag::Table) != nullptr ||
                          ancestor_with(*node, Tag::Code) != nullptr ||
                          ancestor_with(*node, Tag::Pre) != nullptr;
        if (!kept && (sounds_unlikely(*node) || is_byline_like(*node))) {
            remove(*node);
            node = after;
        } else {
            node = next_in(body, *node);
        }
    }
}

class Scores {
public:
    explicit Scores(bool weigh_names) : weigh_names_(weigh_names) {}

    bool has(const Node& node) const { return of_.count(&node) != 0; }
    double of(const Node& node) const {
        const auto at = of_.find(&node);
        return at == of_.end() ? 0 : at->second;
    }

    void give(Node& node, double points) {
        const auto [at, fresh] = of_.try_emplace(&node, 0.0);
        if (fresh) {
            at->second = tag_score(node.tag) + (weigh_names_ ? name_weight(node) : 0);
            scored_.push_back(&node);
        }
        at->second += points;
    }

    void divide_by_links() {
        for (const Node* node : scored_) of_[node] *= 1 - link_density(*node);
    }

    std::vector<Node*> best() const {
        std::vector<Node*> top = scored_;
        std::stable_sort(top.begin(), top.end(), [&](Node* a, Node* b) { return of(*a) > of(*b); });
        if (top.size() > kCandidates) top.resize(kCandidates);
        return top;
    }

private:
    bool weigh_names_;
    std::unordered_map<const Node*, double> of_{};
    std::vector<Node*> scored_{};  // in the order found: equal scores keep document order
};

void score_paragraph(Node& paragraph, const Node& body, Scores& scores) {
    const std::string text = inner_text(paragraph);
    const std::size_t length = reading_length(text);
    if (length < kParagraphLength) return;
    const double points = 2 + static_cast<double>(count_commas(text)) +
                          std::min(std::floor(static_cast<double>(length) / 100), 3.0);
    int level = 0;
    for (Node* up = paragraph.parent; up != nullptr && level < kLevelsUp;
         up = up->parent, ++level) {
        const double divider = level == 0 ? 1 : level == 1 ? 2 : level * 3;
        scores.give(*up, points / divider);
        if (up == &body) break;
    }
}

// Several good candidates side by side: the article is what holds them all.
Node* common_parent_of_rivals(Node& top, const std::vector<Node*>& candidates, const Scores& scores,
                              const Node& body) {
    std::vector<Node*> rivals;
    for (Node* one : candidates)
        if (one != &top && scores.of(*one) >= 0.75 * scores.of(top)) rivals.push_back(one);
    if (rivals.size() < 3) return nullptr;
    for (Node* up = top.parent; up != nullptr && up != &body; up = up->parent) {
        const auto inside = std::count_if(rivals.begin(), rivals.end(),
                                          [&](Node* rival) { return is_inside(*rival, *up); });
        if (inside >= 3) return up;
    }
    return nullptr;
}

Node& widen(Node& found, const Scores& scores, const Node& body) {
    Node* top = &found;
    // A parent that scores higher holds more of the article; stop when it falls far below.
    double last = scores.of(*top);
    const double threshold = last / 3;
    for (Node* up = top->parent; up != nullptr && up != &body; up = up->parent) {
        if (!scores.has(*up)) continue;
        const double score = scores.of(*up);
        if (score < threshold) break;
        if (score > last) {
            top = up;
            break;
        }
        last = score;
    }
    // An only child: its parent has the siblings that may be joined.
    while (top->parent != nullptr && top->parent != &body && first_element(*top->parent) == top &&
           last_element(*top->parent) == top)
        top = top->parent;
    return *top;
}

bool ends_a_sentence(std::string_view text) {
    return text.find(". ") != std::string_view::npos || text.ends_with('.') || text.ends_with("。");
}

// A heading, or a box with nothing but one.
bool is_only_heading(const Node& node) {
    if (is_heading(node.tag)) return true;
    const auto headings = elements(node, {Tag::H1, Tag::H2, Tag::H3});
    return headings.size() == 1 && text_length(*headings[0]) == text_length(node);
}

// Headings right above the best element are its headings.
bool heads(const Node& sibling, const Node& top) {
    for (const Node* at = &sibling; at != nullptr; at = next_element(*at)) {
        if (at == &top) return &sibling != &top;
        if (!is_only_heading(*at)) return false;
    }
    return false;
}

bool belongs_beside(const Node& sibling, const Node& top, const Scores& scores) {
    if (&sibling == &top) return true;
    const double threshold = std::max(10.0, scores.of(top) * 0.2);
    const double bonus =
        !top.classes().empty() && sibling.classes() == top.classes() ? scores.of(top) * 0.2 : 0;
    if (scores.has(sibling) && scores.of(sibling) + bonus >= threshold) return true;
    if (sibling.tag != Tag::P) return false;
    const std::string text = inner_text(sibling);
    const std::size_t length = reading_length(text);
    const double density = link_density(sibling);
    if (length > 80) return density < 0.25;
    return length > 0 && density == 0 && ends_a_sentence(text);
}

}  // namespace

Node& select_content(Document& document, Node& body, const Trust& trust, const std::string& title) {
    if (trust.strip_unlikely) strip_unlikely(body);

    Scores scores{trust.weigh_names};
    for (Node* node : elements(body))
        if (is_scored(node->tag)) score_paragraph(*node, body, scores);
    scores.divide_by_links();

    Node& content = document.make_element(Tag::Div);
    const std::vector<Node*> candidates = scores.best();
    if (candidates.empty() || candidates[0] == &body) {
        move_children(body, content);
        return content;
    }
    Node* top = candidates[0];
    if (Node* const shared = common_parent_of_rivals(*top, candidates, scores, body)) top = shared;
    top = &widen(*top, scores, body);

    if (top == &body || top->parent == nullptr) {
        move_children(body, content);
        return content;
    }
    for (Node* paragraph : lead_paragraphs(body, *top, title)) {
        if (paragraph->parent == top->parent) continue;  // a sibling, which is judged below
        remove(*paragraph);
        append(content, *paragraph);
    }
    Node* const parent = top->parent;
    for (Node* sibling = parent->first; sibling != nullptr;) {
        Node& one = *sibling;
        sibling = sibling->next;
        if (one.is_text() || !(belongs_beside(one, *top, scores) || heads(one, *top))) continue;
        remove(one);
        append(content, one);
    }
    return content;
}

}  // namespace belay::media::html

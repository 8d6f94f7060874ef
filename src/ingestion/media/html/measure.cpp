#include "ingestion/media/html/measure.hpp"

#include <algorithm>

#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

// Shorter paragraphs are as often captions, buttons and labels as prose.
constexpr std::size_t kProseLength = 70;
constexpr double kLinkWithinPage = 0.3;

}  // namespace

double link_density(const Node& node) {
    const std::size_t all = text_length(node);
    if (all == 0) return 0;
    double linked = 0;
    for (const Node* link : elements(node, Tag::A)) {
        const std::string_view href = link->attribute("href");
        const double factor = href.size() > 1 && href[0] == '#' ? kLinkWithinPage : 1;
        linked += factor * static_cast<double>(text_length(*link));
    }
    return std::min(1.0, linked / static_cast<double>(all));
}

std::size_t prose_length(const Node& node) {
    std::size_t total = 0;
    const auto visit = [&](const auto& self, const Node& at) -> void {
        if (at.is_text() || is_invisible(at.tag)) return;
        const bool leaf = at.tag == Tag::P || at.tag == Tag::Pre || is_heading(at.tag) ||
                          (is_block(at.tag) && !has_block_inside(at));
        if (leaf) {
            const std::size_t length = text_length(at);
            if (length >= kProseLength && link_density(at) < 0.4) total += length;
            return;
        }
        for (const Node* child = at.first; child != nullptr; child = child->next)
            self(self, *child);
    };
    visit(visit, node);
    return total;
}

double density_of(const Node& node, std::initializer_list<Tag> tags) {
    const std::size_t all = text_length(node);
    if (all == 0) return 0;
    std::size_t inside = 0;
    for (const Node* at = next_in(node, node); at != nullptr;) {
        if (at->is_element() && std::find(tags.begin(), tags.end(), at->tag) != tags.end()) {
            inside += text_length(*at);
            at = next_after(node, *at);
        } else {
            at = next_in(node, *at);
        }
    }
    return static_cast<double>(inside) / static_cast<double>(all);
}

bool is_empty(const Node& node) {
    if (node.is_text()) return is_blank(node.text);
    switch (node.tag) {
        case Tag::Img:
        case Tag::Picture:
        case Tag::Video:
        case Tag::Audio:
        case Tag::Iframe:
        case Tag::Embed:
        case Tag::Object:
        case Tag::Hr:
        case Tag::Br:
        case Tag::Math:
        case Tag::Svg:
            return false;
        default:
            break;
    }
    if (node.has_attribute("data-tex") || node.has_attribute("data-footnote")) return false;
    for (const Node* child = node.first; child != nullptr; child = child->next)
        if (!is_empty(*child)) return false;
    return true;
}

bool has_block_inside(const Node& node) {
    for (const Node* child = node.first; child != nullptr; child = child->next) {
        if (child->is_text()) continue;
        if (is_block(child->tag) || has_block_inside(*child)) return true;
    }
    return false;
}

}  // namespace belay::media::html

#include "ingestion/media/html/structure.hpp"

#include "ingestion/media/html/measure.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

bool is_inline_run_member(const Node& node) {
    return node.is_text() || (!is_block(node.tag) && !has_block_inside(node));
}

bool holds_text_runs(Tag tag) {
    switch (tag) {
        case Tag::Div:
        case Tag::Article:
        case Tag::Section:
        case Tag::Main:
        case Tag::Body:
        case Tag::Center:
        case Tag::Form:
        case Tag::Header:
        case Tag::Fieldset:
            return true;
        default:
            return false;
    }
}

// The end of a run of line breaks (and white space between them) that starts at `first`, and how many
// breaks there are.
struct Breaks {
    Node* after = nullptr;
    int count = 0;
};

Breaks breaks_from(Node& first) {
    Breaks found;
    Node* at = &first;
    while (at != nullptr && (at->tag == Tag::Br || (at->is_text() && is_blank(at->text)))) {
        found.count += at->tag == Tag::Br;
        at = at->next;
    }
    found.after = at;
    return found;
}

void wrap_run(Document& document, Node& first, Node* end) {
    bool blank = true;
    for (Node* at = &first; at != end; at = at->next)
        blank = blank && is_empty(*at) && at->tag != Tag::Br;
    if (blank) return;
    Node& paragraph = document.make_element(Tag::P);
    insert_before(first, paragraph);
    for (Node* at = &first; at != end;) {
        Node& moved = *at;
        at = at->next;
        remove(moved);
        append(paragraph, moved);
    }
}

// Groups the inline children of `node` into paragraphs; a run also ends at two or more breaks.
void group_children(Document& document, Node& node) {
    Node* begin = nullptr;
    for (Node* at = node.first; at != nullptr;) {
        Node* const following = at->next;
        if (at->tag == Tag::Br) {
            const Breaks breaks = breaks_from(*at);
            if (breaks.count >= 2 || breaks.after == nullptr ||
                !is_inline_run_member(*breaks.after)) {
                if (begin != nullptr) wrap_run(document, *begin, at);
                begin = nullptr;
                for (Node* gone = at; gone != breaks.after;) {
                    Node& one = *gone;
                    gone = gone->next;
                    remove(one);
                }
                at = breaks.after;
                continue;
            }
        }
        if (is_inline_run_member(*at)) {
            if (begin == nullptr && !(at->is_text() && is_blank(at->text))) begin = at;
        } else if (begin != nullptr) {
            wrap_run(document, *begin, at);
            begin = nullptr;
        }
        at = following;
    }
    if (begin != nullptr) wrap_run(document, *begin, nullptr);
}

bool has_double_break(const Node& node) {
    for (Node* child = node.first; child != nullptr; child = child->next)
        if (child->tag == Tag::Br && breaks_from(*child).count >= 2) return true;
    return false;
}

bool has_block_child(const Node& node) {
    for (const Node* child = node.first; child != nullptr; child = child->next)
        if (!is_inline_run_member(*child)) return true;
    return false;
}

}  // namespace

void unwrap_links_around_blocks(Node& root) {
    for (Node* link : elements(root, Tag::A))
        if (link->attribute("href").starts_with('#') && has_block_inside(*link))
            replace_with_children(*link);
}

void apply_roles(Node& root) {
    for (Node* node : elements(root)) {
        const std::string_view role = node->attribute("role");
        if (role == "heading" && !is_heading(node->tag)) {
            const std::string_view level = node->attribute("aria-level");
            const int n =
                level.size() == 1 && level[0] >= '1' && level[0] <= '6' ? level[0] - '0' : 2;
            rename(*node, static_cast<Tag>(static_cast<int>(Tag::H1) + n - 1));
        } else if (role == "paragraph" || node->attribute("data-as") == "p") {
            if (!has_block_inside(*node)) rename(*node, Tag::P);
        } else if (role == "list" && (node->tag == Tag::Div || node->tag == Tag::Section)) {
            rename(*node, Tag::Ul);
        } else if (role == "listitem" && node->tag == Tag::Div) {
            rename(*node, Tag::Li);
        }
    }
}

void make_paragraphs(Document& document, Node& root) {
    std::vector<Node*> all = elements(root);
    all.push_back(&root);
    for (Node* node : all) {
        if (node != &root && node->parent == nullptr) continue;
        // Old pages have tables and the like inside paragraphs.
        if (node->tag == Tag::P && (has_block_inside(*node) || has_double_break(*node))) {
            rename(*node, Tag::Div);
            group_children(document, *node);
            continue;
        }
        if (!holds_text_runs(node->tag)) continue;
        if (has_block_child(*node) || has_double_break(*node)) {
            group_children(document, *node);
        } else if (node->tag == Tag::Div && node != &root && !is_empty(*node)) {
            rename(*node, Tag::P);
        } else if (node != &root) {
            group_children(document, *node);
        }
    }
}

}  // namespace belay::media::html

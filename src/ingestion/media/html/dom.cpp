#include "ingestion/media/html/dom.hpp"

#include <algorithm>

#include "core/base/assert.hpp"

namespace belay::media::html {

std::string_view Node::attribute(std::string_view name) const {
    for (const Attribute& one : attributes)
        if (one.name == name) return one.value;
    return {};
}

bool Node::has_attribute(std::string_view name) const {
    return std::any_of(attributes.begin(), attributes.end(),
                       [&](const Attribute& one) { return one.name == name; });
}

void Node::set_attribute(std::string_view name, std::string_view value) {
    for (Attribute& one : attributes) {
        if (one.name != name) continue;
        one.value = value;
        return;
    }
    attributes.push_back({std::string{name}, std::string{value}});
}

Document::Document() { html_ = &make_element(Tag::Html); }

Node* Document::body() const {
    for (Node* child = html_->first; child != nullptr; child = child->next)
        if (child->tag == Tag::Body) return child;
    return nullptr;
}

Node* Document::head() const {
    for (Node* child = html_->first; child != nullptr; child = child->next)
        if (child->tag == Tag::Head) return child;
    return nullptr;
}

Node& Document::make_element(Tag tag, std::string_view name) {
    Node& node = nodes_.emplace_back();
    node.tag = tag;
    if (tag == Tag::Other) node.text = name;
    return node;
}

Node& Document::make_text(std::string_view text) {
    Node& node = nodes_.emplace_back();
    node.text = text;
    return node;
}

Node& Document::clone(const Node& node) {
    Node& copy = nodes_.emplace_back();
    copy.tag = node.tag;
    copy.text = node.text;
    copy.attributes = node.attributes;
    for (const Node* child = node.first; child != nullptr; child = child->next)
        append(copy, clone(*child));
    return copy;
}

void append(Node& parent, Node& child) {
    BELAY_ASSERT(child.parent == nullptr);
    child.parent = &parent;
    child.previous = parent.last;
    child.next = nullptr;
    (parent.last != nullptr ? parent.last->next : parent.first) = &child;
    parent.last = &child;
}

void insert_before(Node& place, Node& child) {
    BELAY_ASSERT(place.parent != nullptr && child.parent == nullptr);
    child.parent = place.parent;
    child.previous = place.previous;
    child.next = &place;
    (place.previous != nullptr ? place.previous->next : place.parent->first) = &child;
    place.previous = &child;
}

void remove(Node& node) {
    if (node.parent == nullptr) return;
    (node.previous != nullptr ? node.previous->next : node.parent->first) = node.next;
    (node.next != nullptr ? node.next->previous : node.parent->last) = node.previous;
    node.parent = node.previous = node.next = nullptr;
}

void replace_with_children(Node& node) {
    while (node.first != nullptr) {
        Node& child = *node.first;
        remove(child);
        insert_before(node, child);
    }
    remove(node);
}

void replace(Node& node, Node& other) {
    insert_before(node, other);
    remove(node);
}

void move_children(Node& from, Node& to) {
    while (from.first != nullptr) {
        Node& child = *from.first;
        remove(child);
        append(to, child);
    }
}

void rename(Node& node, Tag tag) {
    BELAY_ASSERT(node.is_element() && tag != Tag::Text && tag != Tag::Other);
    node.tag = tag;
    node.text.clear();
}

Node* next_in(const Node& root, const Node& node) {
    return node.first != nullptr ? node.first : next_after(root, node);
}

Node* next_after(const Node& root, const Node& node) {
    for (const Node* at = &node; at != nullptr && at != &root; at = at->parent)
        if (at->next != nullptr) return at->next;
    return nullptr;
}

Node* next_element(const Node& node) {
    Node* at = node.next;
    while (at != nullptr && at->is_text()) at = at->next;
    return at;
}

Node* previous_element(const Node& node) {
    Node* at = node.previous;
    while (at != nullptr && at->is_text()) at = at->previous;
    return at;
}

Node* first_element(const Node& node) {
    Node* at = node.first;
    while (at != nullptr && at->is_text()) at = at->next;
    return at;
}

Node* last_element(const Node& node) {
    Node* at = node.last;
    while (at != nullptr && at->is_text()) at = at->previous;
    return at;
}

bool is_inside(const Node& node, const Node& ancestor) {
    for (const Node* at = &node; at != nullptr; at = at->parent)
        if (at == &ancestor) return true;
    return false;
}

Node* ancestor_with(const Node& node, Tag tag) {
    Node* at = node.parent;
    while (at != nullptr && at->tag != tag) at = at->parent;
    return at;
}

std::vector<Node*> elements(const Node& root, Tag tag) { return elements(root, {tag}); }

std::vector<Node*> elements(const Node& root, std::initializer_list<Tag> tags) {
    std::vector<Node*> found;
    for (Node* node = next_in(root, root); node != nullptr; node = next_in(root, *node)) {
        if (node->is_text()) continue;
        if (tags.size() == 0 || std::find(tags.begin(), tags.end(), node->tag) != tags.end())
            found.push_back(node);
    }
    return found;
}

Node* element_by_id(const Node& root, std::string_view id) {
    if (id.empty()) return nullptr;
    for (Node* node = next_in(root, root); node != nullptr; node = next_in(root, *node))
        if (node->is_element() && node->id() == id) return node;
    return nullptr;
}

bool has_class(const Node& node, std::string_view token) {
    std::string_view rest = node.classes();
    while (!rest.empty()) {
        const auto end = std::min(rest.find_first_of(" \t\n\r\f"), rest.size());
        if (rest.substr(0, end) == token) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

}  // namespace belay::media::html

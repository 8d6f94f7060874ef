// dom.hpp — a page as a tree that can be walked, measured and cut.
//
// The parser's own tree is read-only and as deep as a hostile page wants it. This one is neither:
// nodes can be moved and removed, and nothing in it is deeper than kTreeDepthMax (what was deeper
// hangs from its ancestor at that depth, as in browsers), so code over it may recurse.
// A Document owns its nodes; a Node* is valid as long as the Document, also after it was removed.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "ingestion/media/html/tag.hpp"

namespace belay::media::html {

// Real pages have 20 to 60 levels. Work over the tree grows with its nodes times its depth.
inline constexpr int kTreeDepthMax = 200;

struct Attribute {
    std::string name{};  // lower case
    std::string value{};
};

struct Node {
    Tag tag = Tag::Text;
    std::string text{};  // of a Text: its characters; of an Other: its element name
    std::vector<Attribute> attributes{};
    Node* parent = nullptr;
    Node* first = nullptr;
    Node* last = nullptr;
    Node* previous = nullptr;
    Node* next = nullptr;

    bool is_text() const { return tag == Tag::Text; }
    bool is_element() const { return tag != Tag::Text; }
    // The element's name; empty for a text.
    std::string_view name() const {
        return tag == Tag::Other ? std::string_view{text} : name_of(tag);
    }
    // The attribute's value; empty if it is not there.
    std::string_view attribute(std::string_view name) const;
    bool has_attribute(std::string_view name) const;
    void set_attribute(std::string_view name, std::string_view value);
    std::string_view id() const { return attribute("id"); }
    std::string_view classes() const { return attribute("class"); }
};

class Document {
public:
    Document();
    Document(Document&&) = default;
    Document& operator=(Document&&) = default;
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    Node& html() { return *html_; }  // the root; always there
    const Node& html() const { return *html_; }
    Node* body() const;  // null only for a frameset
    Node* head() const;
    std::size_t size() const { return nodes_.size(); }

    Node& make_element(Tag tag, std::string_view name = {});
    Node& make_text(std::string_view text);
    // A copy of `node` and all below it, not attached anywhere.
    Node& clone(const Node& node);

    std::vector<std::string> comments{};  // of the page, outside and inside the tree, in order

private:
    std::deque<Node> nodes_{};
    Node* html_ = nullptr;
};

// --- Edits. None of them frees a node. ----------------------------------------------------------
void append(Node& parent, Node& child);        // `child` must not be attached
void insert_before(Node& place, Node& child);  // `place` must be attached, `child` must not
void remove(Node& node);                       // detaches it, with all below
void replace_with_children(Node& node);        // its children take its place
void replace(Node& node, Node& other);         // `other` must not be attached
void move_children(Node& from, Node& to);      // to the end of `to`
void rename(Node& node, Tag tag);

// --- Walking ------------------------------------------------------------------------------------
// The next node in document order inside `root`; null at the end.
Node* next_in(const Node& root, const Node& node);
// The same, without going into `node`.
Node* next_after(const Node& root, const Node& node);
Node* next_element(const Node& node);                    // sibling
Node* previous_element(const Node& node);                // sibling
Node* first_element(const Node& node);                   // child
Node* last_element(const Node& node);                    // child
bool is_inside(const Node& node, const Node& ancestor);  // also true for itself
Node* ancestor_with(const Node& node, Tag tag);          // not itself; null if none
// Every element below `root` with that tag, in document order.
std::vector<Node*> elements(const Node& root, Tag tag);
// The same for any of the tags; with none given, every element.
std::vector<Node*> elements(const Node& root, std::initializer_list<Tag> tags = {});
Node* element_by_id(const Node& root, std::string_view id);
bool has_class(const Node& node, std::string_view token);

}  // namespace belay::media::html

#include "ingestion/media/html/footnotes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/measure.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

constexpr std::size_t kFootnotesMax = 5000;

// "[1]", "(1)", "1.", "1" → "1"; "*", "†", "a" stay; empty if it is more than a mark.
std::string mark_of(std::string_view text) {
    std::string mark = collapse(text);
    for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}})
        if (mark.size() > 2 && mark.front() == open && mark.back() == close)
            mark = collapse(mark.substr(1, mark.size() - 2));
    while (!mark.empty() && (mark.back() == '.' || mark.back() == ':' || mark.back() == ','))
        mark.pop_back();
    if (mark.empty() || mark.size() > 6) return {};
    if (mark.find_first_of(" ()[]=<>+") != std::string::npos) return {};
    return mark;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= 4 &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view fragment_of(std::string_view href) {
    const auto hash = href.find('#');
    return hash == std::string_view::npos ? std::string_view{} : href.substr(hash + 1);
}

bool sounds_like_note(std::string_view id) {
    const std::string low = lower_ascii(id);
    for (const std::string_view part :
         {"fn", "foot", "note", "ftn", "endnote", "cite", "reference", "bib"})
        if (low.find(part) != std::string::npos) return true;
    return false;
}

bool is_reference_link(const Node& link) {
    if (mark_of(inner_text(link)).empty()) return false;
    if (link.attribute("data-type") == "noteref" || link.attribute("role") == "doc-noteref" ||
        link.attribute("rel") == "footnote" || link.attribute("epub:type") == "noteref")
        return true;
    const std::string_view target = fragment_of(link.attribute("href"));
    if (!sounds_like_note(target)) return false;
    // A link that itself has a note's id is the way back.
    for (const Node* up = &link; up != nullptr && !is_block(up->tag); up = up->parent)
        if (up->tag == Tag::Sup || up->tag == Tag::Sub || sounds_like_note(up->id()) ||
            sounds_like_note(up->classes()))
            return true;
    const std::string text = collapse(raw_text(link));
    return text.size() > 2 && text.front() == '[';
}

// The block that holds a note's text, given the element that carries its id.
Node* block_of(Node& target) {
    Node* at = &target;
    while (at != nullptr && !is_block(at->tag)) at = at->parent;
    if (at == nullptr || at->tag == Tag::Body || is_heading(at->tag) || at->tag == Tag::Article ||
        at->tag == Tag::Main || at->tag == Tag::Section)
        return nullptr;
    if (at->tag == Tag::Td && at->parent != nullptr) at = at->parent;
    return at;
}

bool is_back_link(const Node& link) {
    const std::string_view href = link.attribute("href");
    if (href.find('#') == std::string_view::npos) return false;
    const std::string text = collapse(raw_text(link));
    if (text.empty()) return true;
    if (!mark_of(text).empty()) return true;
    for (const std::string_view sign :
         {"↩", "↑", "^", "⤴", "⏎", "←", "⬆", "Back", "back", "Jump", "Return"})
        if (text.starts_with(sign)) return true;
    return sounds_like_note(link.classes()) && text.size() < 12;
}

void remove_mark_at_start(Node& note) {
    // The first thing with text: "1", "[1]" in a <sup>, <strong>, <span> or plain.
    for (Node* at = next_in(note, note); at != nullptr; at = next_in(note, *at)) {
        if (at->is_element()) {
            if ((at->tag == Tag::Sup || at->tag == Tag::Strong || at->tag == Tag::B ||
                 at->tag == Tag::Span) &&
                !mark_of(inner_text(*at)).empty() && text_length(*at) < text_length(note)) {
                remove(*at);
                return;
            }
            continue;
        }
        if (is_blank(at->text)) continue;
        const std::string_view text = trim(at->text);
        std::size_t end = 0;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
        if (end > 0 && end < text.size() && end <= 3 &&
            (text[end] == '.' || text[end] == ')' || text[end] == ':'))
            at->text = text.substr(end + 1);
        return;
    }
}

class Finder {
public:
    Finder(Document& document, Node& root) : document_(document), root_(root) {}

    std::vector<Footnote> run() {
        linked();
        if (found_.empty()) loose();
        return std::move(found_);
    }

private:
    // References that are links to the note's id.
    void linked() {
        std::map<std::string, Node*, std::less<>> by_id;
        for (Node* node : elements(root_)) {
            for (const std::string_view name : {"id", "name"})
                if (const auto id = node->attribute(name); !id.empty())
                    by_id.emplace(std::string{id}, node);
        }
        std::map<Node*, std::string> labels;
        std::vector<std::pair<Node*, std::string>> references;
        std::vector<Node*> order;
        for (Node* link : elements(root_, Tag::A)) {
            if (!is_reference_link(*link)) continue;
            const auto target = by_id.find(fragment_of(link->attribute("href")));
            if (target == by_id.end()) continue;
            Node* const note = block_of(*target->second);
            if (note == nullptr || is_inside(*link, *note) || text_length(*note) < 3 ||
                !comes_after(*note, *link))
                continue;
            if (labels.count(note) == 0) {
                if (labels.size() >= kFootnotesMax) break;
                labels[note] = label_for(mark_of(inner_text(*link)));
                order.push_back(note);
            }
            references.emplace_back(link, labels[note]);
        }
        for (const auto& [link, label] : references) mark_reference(*link, label);
        for (Node* note : order) take(*note, labels[note]);
    }

    // References that are only <sup>1</sup>, notes that only begin with their number.
    void loose() {
        std::map<std::string, Node*> sups;
        for (Node* sup : elements(root_, Tag::Sup)) {
            const std::string mark = mark_of(inner_text(*sup));
            if (is_number(mark) && !starts_its_block(*sup)) sups.emplace(mark, sup);
        }
        if (sups.empty()) return;
        std::map<std::string, Node*> notes;
        for (Node* list : elements(root_, Tag::Ol)) collect_list(*list, notes);
        if (notes.empty())
            for (Node* paragraph : elements(root_, Tag::P)) collect_paragraph(*paragraph, notes);
        for (const auto& [mark, sup] : sups) {
            const auto note = notes.find(mark);
            if (note == notes.end() || is_inside(*sup, *note->second)) continue;
            mark_reference(*sup, mark);
            take(*note->second, mark);
        }
    }

    static bool starts_its_block(const Node& node) {
        const Node* at = &node;
        while (at != nullptr && !is_block(at->tag)) {
            for (const Node* before = at->previous; before != nullptr; before = before->previous)
                if (!is_empty(*before)) return false;
            at = at->parent;
        }
        return true;
    }

    static bool is_notes_heading(const Node& node) {
        if (!is_heading(node.tag) && node.tag != Tag::P && node.tag != Tag::Strong) return false;
        const std::string words = plain_words(inner_text(node));
        constexpr auto kWords = std::to_array<std::string_view>(
            {"notes", "footnotes", "endnotes", "references", "fußnoten", "anmerkungen", "noter",
             "fotnoter", "note", "notas"});
        return std::find(kWords.begin(), kWords.end(), words) != kWords.end();
    }

    static void collect_list(Node& list, std::map<std::string, Node*>& notes) {
        const Names names{list};
        const Names around = list.parent != nullptr ? Names{*list.parent} : Names{list};
        const Node* const before = previous_element(list);
        const bool named = names.contains("footnote") || around.contains("footnote") ||
                           names.contains("endnote") || around.contains("endnote");
        const bool after_heading = before != nullptr && is_notes_heading(*before);
        const bool aside = list.parent != nullptr && list.parent->tag == Tag::Aside;
        if (!named && !after_heading && !aside) return;
        int number = 1;
        if (const auto start = list.attribute("start"); is_number(start))
            number = std::stoi(std::string{start});
        for (Node* item = first_element(list); item != nullptr; item = next_element(*item))
            if (item->tag == Tag::Li) notes.emplace(std::to_string(number++), item);
    }

    static void collect_paragraph(Node& paragraph, std::map<std::string, Node*>& notes) {
        const Node* first = next_in(paragraph, paragraph);
        while (first != nullptr && !(first->is_text() && !is_blank(first->text)))
            first = next_in(paragraph, *first);
        if (first == nullptr) return;
        bool marked = false;
        for (const Node* up = first->parent; up != nullptr && up != &paragraph; up = up->parent)
            marked = marked || up->tag == Tag::Sup || up->tag == Tag::Strong || up->tag == Tag::B;
        const std::string mark = mark_of(first->text);
        if (marked && is_number(mark) && text_length(paragraph) > mark.size() + 3)
            notes.emplace(mark, &paragraph);
    }

    bool comes_after(const Node& note, const Node& link) const {
        for (const Node* at = next_in(root_, link); at != nullptr; at = next_in(root_, *at))
            if (at == &note) return true;
        // A sidebar may come first; a note inside the same paragraph may not.
        return note.tag == Tag::Li || note.tag == Tag::Aside;
    }

    std::string label_for(const std::string& mark) {
        std::string label = is_number(mark) ? mark : std::to_string(labels_used_.size() + 1);
        while (!labels_used_.insert(label).second) label = std::to_string(std::stoi(label) + 1);
        return label;
    }

    void mark_reference(Node& node, const std::string& label) {
        // The whole <sup>, <span> or "[…]" around the link is the reference.
        Node* whole = &node;
        while (whole->parent != nullptr && !is_block(whole->parent->tag) &&
               mark_of(inner_text(*whole->parent)) == mark_of(inner_text(node)))
            whole = whole->parent;
        const std::string shown = inner_text(*whole);
        while (whole->first != nullptr) remove(*whole->first);
        rename(*whole, Tag::Sup);
        whole->attributes.clear();
        whole->set_attribute("data-footnote", label);
        append(*whole, document_.make_text(shown));
    }

    void take(Node& note, const std::string& label) {
        Node* const around = note.parent;
        Node& text = document_.make_element(Tag::Div);
        text.set_attribute("data-footnote-text", label);
        if (note.tag == Tag::P) {
            Node& paragraph = document_.make_element(Tag::P);
            move_children(note, paragraph);
            append(text, paragraph);
        } else {
            move_children(note, text);
        }
        for (Node* link : elements(text, Tag::A))
            if (is_back_link(*link)) remove(*link);
        remove_mark_at_start(text);
        remove(note);
        found_.push_back({label, &text});
        remove_emptied(around);
    }

    // The list and its heading when the last note has gone.
    static void remove_emptied(Node* node) {
        while (node != nullptr && node->parent != nullptr && node->tag != Tag::Body &&
               node->tag != Tag::Article && node->tag != Tag::Main) {
            bool empty = true;
            Node* heading = nullptr;
            for (Node* child = node->first; child != nullptr; child = child->next) {
                if (child->is_text() ? is_blank(child->text)
                                     : (is_empty(*child) || child->tag == Tag::Hr))
                    continue;
                if (is_notes_heading(*child) && heading == nullptr)
                    heading = child;
                else
                    empty = false;
            }
            if (!empty) break;
            Node* const before = previous_element(*node);
            Node* const up = node->parent;
            if (before != nullptr && next_element(*node) == nullptr && is_notes_heading(*before))
                remove(*before);
            remove(*node);
            node = up;
        }
        if (node == nullptr) return;
        Node* const last = last_element(*node);
        if (last != nullptr && is_notes_heading(*last)) remove(*last);
    }

    Document& document_;
    Node& root_;
    std::vector<Footnote> found_{};
    std::set<std::string> labels_used_{};
};

}  // namespace

std::vector<Footnote> take_footnotes(Document& document, Node& root) {
    return Finder{document, root}.run();
}

void append_footnotes(Document& document, Node& content, const std::vector<Footnote>& footnotes) {
    std::set<std::string> done;
    std::vector<const Footnote*> wanted;
    for (const Node* node : elements(content, Tag::Sup)) {
        const std::string label{node->attribute("data-footnote")};
        if (label.empty() || !done.insert(label).second) continue;
        for (const Footnote& one : footnotes)
            if (one.label == label) wanted.push_back(&one);
    }
    for (const Footnote* one : wanted) append(content, document.clone(*one->text));
}

}  // namespace belay::media::html

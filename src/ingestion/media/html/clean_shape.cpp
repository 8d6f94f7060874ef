#include "ingestion/media/html/clean_shape.hpp"

#include <algorithm>
#include <unordered_map>

#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/measure.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

// Which tables hold data, each looked at once: a cell with ten thousand lists in it is asked about ten thousand times.
class DataTables {
public:
    bool contain(const Node& node) {
        for (const Node* up = &node; up != nullptr; up = up->parent)
            if (up->tag == Tag::Table && is_one(*up)) return true;
        return false;
    }

private:
    bool is_one(const Node& table) {
        const auto [at, is_new] = known_.try_emplace(&table, false);
        if (is_new) at->second = is_data_table(table);
        return at->second;
    }

    std::unordered_map<const Node*, bool> known_;
};

std::size_t count(const Node& node, std::initializer_list<Tag> tags) {
    return elements(node, tags).size();
}

// Whatever its shape, an element with this part of the text is the article.
constexpr double kTooMuchToLose = 0.6;

bool is_furniture_by_shape(const Node& node, std::size_t content_length, DataTables& tables) {
    if (static_cast<double>(text_length(node)) >
        kTooMuchToLose * static_cast<double>(content_length))
        return false;
    if (tables.contain(node) || ancestor_with(node, Tag::Code) != nullptr || node.tag == Tag::Pre ||
        ancestor_with(node, Tag::Pre) != nullptr || count(node, {Tag::Pre}) > 0)
        return false;
    const bool list =
        node.tag == Tag::Ul || node.tag == Tag::Ol || density_of(node, {Tag::Ul, Tag::Ol}) > 0.9;
    const std::string text = inner_text(node);
    const std::size_t length = reading_length(text);
    const int weight = name_weight(node);
    const std::size_t prose = prose_length(node);
    if (weight < 0 && prose < 1000) return true;
    if (count_commas(text) >= 10) return false;
    // Mostly paragraphs that read like prose.
    if (prose >= 150 && prose * 3 >= length * 2) return false;

    const auto paragraphs = static_cast<double>(count(node, {Tag::P}));
    const auto pictures = static_cast<double>(count(node, {Tag::Img}));
    const double items = static_cast<double>(count(node, {Tag::Li})) - 100;
    const double links = link_density(node);
    const double headings =
        density_of(node, {Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6});
    const bool in_figure = ancestor_with(node, Tag::Figure) != nullptr || node.tag == Tag::Figure;
    const double text_part =
        density_of(node, {Tag::Span, Tag::Li, Tag::Td, Tag::P, Tag::Blockquote, Tag::Pre, Tag::Dl,
                          Tag::Div, Tag::Ol, Tag::Ul, Tag::Table, Tag::Select, Tag::Section});

    if (!in_figure && pictures > 1 && paragraphs / pictures < 0.5) return true;
    if (!list && items > paragraphs) return true;
    if (!list && !in_figure && headings < 0.9 && length < 25 && (pictures == 0 || pictures > 2) &&
        links > 0)
        return true;
    if (!list && weight < 25 && links > 0.2) return true;
    if (weight >= 25 && links > 0.5) return true;
    if (pictures == 0 && text_part == 0 && length > 0 && node.tag != Tag::Section && length < 25)
        return false;
    if (list && links > 0.6 && length > 0) return true;
    return false;
}

// A short box that links to another page by its picture or heading.
bool is_card(const Node& node) {
    if (text_length(node) > 400) return false;
    std::size_t linked = 0;
    for (const Node* link : elements(node, Tag::A)) {
        const std::string_view href = link->attribute("href");
        if (href.empty() || href[0] == '#') continue;
        const bool titled =
            !elements(*link, {Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6, Tag::Img})
                 .empty();
        bool in_heading = false;
        for (const Node* up = link->parent; up != nullptr && up != node.parent; up = up->parent)
            in_heading = in_heading || is_heading(up->tag);
        linked += titled || in_heading;
    }
    if (node.tag == Tag::A &&
        !elements(node, {Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6, Tag::Img}).empty())
        ++linked;
    return linked > 0;
}

// Three or more cards and nothing else: "more stories", whatever it is called.
bool is_card_grid(const Node& node) {
    std::size_t cards = 0, others = 0;
    for (const Node* child = first_element(node); child != nullptr; child = next_element(*child)) {
        if (is_card(*child))
            ++cards;
        else if (text_length(*child) > 60)
            ++others;
    }
    return cards >= 3 && others == 0;
}

}  // namespace

bool is_data_table(const Node& table) {
    if (table.attribute("role") == "presentation" || table.attribute("datatable") == "0")
        return false;
    if (!table.attribute("summary").empty()) return true;
    if (!elements(table, {Tag::Caption, Tag::Col, Tag::Colgroup, Tag::Tfoot, Tag::Thead, Tag::Th})
             .empty())
        return true;
    if (!elements(table, Tag::Table).empty()) return false;
    std::size_t rows = 0, columns = 0;
    for (const Node* row : elements(table, Tag::Tr)) {
        ++rows;
        std::size_t cells = 0;
        for (const Node* cell = first_element(*row); cell != nullptr; cell = next_element(*cell))
            ++cells;
        columns = std::max(columns, cells);
    }
    if (rows <= 1 || columns <= 1) return false;
    if (rows >= 10 || columns > 4) return true;
    return rows * columns > 10;
}

void remove_by_shape(Node& content) {
    const std::size_t prose = prose_length(content);
    for (Node* node : elements(content, {Tag::Div, Tag::Section, Tag::Ul, Tag::Aside}))
        if (node->parent != nullptr && is_card_grid(*node) && prose_length(*node) * 4 < prose)
            remove(*node);
    const std::size_t length = text_length(content);
    for (const Tag tag :
         {Tag::Form, Tag::Fieldset, Tag::Table, Tag::Ul, Tag::Ol, Tag::Div, Tag::Section}) {
        std::vector<Node*> all = elements(content, tag);
        DataTables tables;  // as they are now: what is removed changes them
        for (auto at = all.rbegin(); at != all.rend(); ++at) {
            Node& node = **at;
            if (node.parent == nullptr) continue;
            if (is_furniture_by_shape(node, length, tables)) remove(node);
        }
    }
}

}  // namespace belay::media::html

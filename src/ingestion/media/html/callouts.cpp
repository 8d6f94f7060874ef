#include "ingestion/media/html/callouts.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

constexpr auto kKinds = std::to_array<std::string_view>(
    {"note", "info", "tip", "hint", "important", "warning", "caution", "danger", "error", "success",
     "question", "example", "abstract", "quote", "attention", "seealso", "primary", "secondary"});

std::string kind_of(const Node& node) {
    if (const auto kind = node.attribute("data-callout"); !kind.empty() && kind.size() < 20)
        return lower_ascii(kind);
    const std::string low = lower_ascii(node.classes());
    bool boxed = false;
    std::string kind;
    for (const auto token : words_of(low)) {
        if (token == "admonition" || token == "alert" || token == "callout" ||
            token == "markdown-alert" || token == "theme-admonition")
            boxed = true;
        std::string_view name = token;
        for (const std::string_view prefix :
             {"alert-", "admonition-", "callout-", "markdown-alert-", "theme-admonition-"})
            if (token.starts_with(prefix)) name = token.substr(prefix.size());
        if (std::find(kKinds.begin(), kKinds.end(), name) != kKinds.end()) kind = name;
    }
    return boxed ? kind : std::string{};
}

Node* title_of(const Node& node) {
    for (Node* inner : elements(node)) {
        const Names names{*inner};
        for (const std::string_view word : {"title", "heading"})
            if (names.has_word(word) && inner_text(*inner).size() < 120 &&
                first_element(node) != nullptr && is_inside(*inner, *first_element(node)))
                return inner;
    }
    return nullptr;
}

}  // namespace

void mark_callouts(Node& root) {
    for (Node* node : elements(root)) {
        if (node->parent == nullptr || node->tag == Tag::Body || node->tag == Tag::Html ||
            node->tag == Tag::A || node->tag == Tag::Span)
            continue;
        const std::string kind = kind_of(*node);
        if (kind.empty() || text_length(*node) > 5000) continue;
        std::string title(
            1, static_cast<char>(kind[0] >= 'a' && kind[0] <= 'z' ? kind[0] - 32 : kind[0]));
        title += kind.substr(1);
        if (Node* const given = title_of(*node)) {
            if (const std::string text = inner_text(*given); !text.empty()) title = text;
            // The outermost element that holds only the title.
            Node* whole = given;
            while (whole->parent != node && inner_text(*whole->parent) == inner_text(*given))
                whole = whole->parent;
            remove(*whole);
        }
        const std::string fold{node->attribute("data-callout-fold")};
        node->attributes.clear();
        rename(*node, Tag::Blockquote);
        node->set_attribute("data-callout", kind);
        node->set_attribute("data-callout-title", title);
        node->set_attribute("data-callout-fold", fold == "-" || fold == "+" ? fold : "");
    }
}

}  // namespace belay::media::html

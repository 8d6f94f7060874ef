#include "ingestion/media/html/code_blocks.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

bool is_number(std::string_view text) {
    text = trim(text);
    return !text.empty() && text.size() <= 6 &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_language_name(std::string_view name) {
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789+#.-_";
    return !name.empty() && name.size() <= 20 &&
           name.find_first_not_of(kAllowed) == std::string_view::npos;
}

// "language-cpp", "lang-js", "highlight-source-python", "brush: java".
std::string language_in_classes(std::string_view classes) {
    const std::string low = lower_ascii(classes);
    for (const auto token : words_of(low))
        for (const std::string_view prefix :
             {"language-", "lang-", "highlight-source-", "brush:", "sourcecode-", "src-"})
            if (token.starts_with(prefix) && is_language_name(token.substr(prefix.size())))
                return std::string{token.substr(prefix.size())};
    if (const auto brush = low.find("brush: "); brush != std::string::npos) {
        const auto end = std::min(low.find_first_of("; ", brush + 7), low.size());
        if (is_language_name(low.substr(brush + 7, end - brush - 7)))
            return low.substr(brush + 7, end - brush - 7);
    }
    return {};
}

constexpr auto kLanguages = std::to_array<std::string_view>(
    {"bash",       "c",       "c#",      "c++",        "clojure", "cpp",        "csharp",
     "css",        "dart",    "diff",    "dockerfile", "elixir",  "erlang",     "go",
     "golang",     "graphql", "haskell", "html",       "java",    "javascript", "js",
     "json",       "jsx",     "julia",   "kotlin",     "latex",   "lua",        "makefile",
     "markdown",   "matlab",  "nginx",   "objectivec", "ocaml",   "perl",       "php",
     "powershell", "python",  "r",       "ruby",       "rust",    "scala",      "scss",
     "shell",      "sql",     "swift",   "toml",       "ts",      "tsx",        "typescript",
     "xml",        "yaml",    "zig"});

bool is_known_language(std::string_view name) {
    return std::find(kLanguages.begin(), kLanguages.end(), name) != kLanguages.end();
}

std::string language_of(const Node& node) {
    for (const std::string_view name :
         {"data-language", "data-lang", "language", "data-code-language"})
        if (const std::string value = lower_ascii(trim(node.attribute(name)));
            is_language_name(value))
            return value;
    return language_in_classes(node.classes());
}

std::string find_language(const Node& pre) {
    if (std::string found = language_of(pre); !found.empty()) return found;
    for (const Node* inner : elements(pre))
        if (std::string found = language_of(*inner); !found.empty()) return found;
    const Node* up = pre.parent;
    for (int level = 0; up != nullptr && level < 3; ++level, up = up->parent) {
        if (up->tag == Tag::Body || up->tag == Tag::Article || up->tag == Tag::Main) break;
        if (std::string found = language_of(*up); !found.empty()) return found;
    }
    for (const auto token : words_of(pre.classes()))
        if (const std::string name = lower_ascii(token); name.size() > 1 && is_known_language(name))
            return name;
    return {};
}

bool cannot_be_selected(std::string_view style) {
    const std::string low = lower_ascii(style);
    for (auto at = low.find("user-select"); at != std::string::npos;
         at = low.find("user-select", at + 1)) {
        const auto colon = low.find(':', at);
        if (colon != std::string::npos &&
            trim(std::string_view{low}.substr(colon + 1)).starts_with("none"))
            return true;
    }
    return false;
}

bool is_line_number(const Node& node) {
    if (node.tag == Tag::Button || node.tag == Tag::Svg) return true;
    const Names names{node};
    for (const std::string_view word : {"lineno", "linenos", "linenumber", "linenumbers", "lnt",
                                        "ln", "gutter", "lineno", "rouge-gutter"})
        if (names.has_word(word)) return true;
    if (names.contains("line-number") || names.contains("line_number") ||
        names.contains("react-syntax-highlighter-line-number"))
        return true;
    if (node.has_attribute("data-line-number") && is_blank(raw_text(node))) return true;
    return cannot_be_selected(node.attribute("style")) && !is_blank(raw_text(node));
}

// A row of two: a number, and the line that it counts.
bool is_counted_row(const Node& node) {
    const Node* const number = first_element(node);
    return number != nullptr && next_element(*number) != nullptr &&
           next_element(*next_element(*number)) == nullptr && is_number(raw_text(*number));
}

bool is_line(const Node& node) {
    if (is_block(node.tag)) return true;
    const Names names{node};
    return names.has_word("line") || names.contains("code-line") || node.has_attribute("data-line");
}

class CodeText {
public:
    void children(const Node& node) {
        for (const Node* child = node.first; child != nullptr; child = child->next) add(*child);
    }
    std::string take() { return std::move(out_); }

private:
    void add(const Node& node) {
        if (node.is_text()) {
            out_ += node.text;
            return;
        }
        if (node.tag == Tag::Br) {
            out_ += '\n';
            return;
        }
        if (is_line_number(node) || is_invisible(node.tag)) return;
        if (is_line(node)) {
            if (!out_.empty() && out_.back() != '\n' && is_block(node.tag)) out_ += '\n';
            if (is_counted_row(node))
                children(*next_element(*first_element(node)));
            else
                children(node);
            const bool more = node.next != nullptr;
            // The newline may stand inside the line or behind it already.
            const bool newline_follows =
                node.next != nullptr && node.next->is_text() && node.next->text.starts_with('\n');
            if (more && !newline_follows && (out_.empty() || out_.back() != '\n'))
                out_ += '\n';
            else if (more && !newline_follows && is_blank(raw_text(node)) &&
                     raw_text(node).find('\n') == std::string::npos)
                out_ += '\n';
            return;
        }
        children(node);
    }

    std::string out_{};
};

// An editor inside a <pre>, with its toolbar: the code is the part with the editor's name, and the
// toolbar may say the language.
const Node* editor_content(const Node& pre, std::string& language) {
    for (const Node* node : elements(pre)) {
        if (!has_class(*node, "cm-content") && !has_class(*node, "CodeMirror-code") &&
            !has_class(*node, "view-lines"))
            continue;
        for (const Node* other : elements(pre)) {
            if (is_inside(*other, *node) || is_inside(*node, *other) || other->tag == Tag::Button)
                continue;
            const std::string text = lower_ascii(inner_text(*other));
            if (language.empty() && is_known_language(text)) language = text;
        }
        return node;
    }
    return nullptr;
}

// <table><tr><td class="gutter">1 2 3</td><td class="code"><pre>…
void unpack_code_tables(Node& root) {
    for (Node* table : elements(root, Tag::Table)) {
        if (table->parent == nullptr) continue;
        const auto cells = elements(*table, Tag::Td);
        if (cells.size() < 2) continue;
        Node* code = nullptr;
        bool numbered = false;
        for (Node* cell : cells) {
            const Names names{*cell};
            const std::string text = inner_text(*cell);
            const bool numbers =
                !text.empty() && text.find_first_not_of("0123456789 ") == std::string::npos;
            if (numbers && (names.has_word("gutter") || names.contains("lineno") ||
                            names.contains("line-number") || !elements(*cell, Tag::Pre).empty() ||
                            names.has_word("lntd") || names.has_word("rouge")))
                numbered = true;
            else if (!elements(*cell, {Tag::Pre, Tag::Code}).empty() || names.has_word("code"))
                code = cell;
        }
        if (!numbered || code == nullptr || cells.size() > 2) continue;
        const auto inner = elements(*code, Tag::Pre);
        Node* const kept = inner.empty() ? code : inner.front();
        Node* outer = table;
        if (Node* const around = ancestor_with(*table, Tag::Pre)) outer = around;
        const std::string language = find_language(*outer);
        if (inner.empty()) rename(*kept, Tag::Pre);
        if (!language.empty() && find_language(*kept).empty())
            kept->set_attribute("data-language", language);
        remove(*kept);
        replace(*outer, *kept);
    }
}

}  // namespace

void tidy_code_blocks(Document& document, Node& root) {
    unpack_code_tables(root);
    for (Node* pre : elements(root, Tag::Pre)) {
        if (ancestor_with(*pre, Tag::Pre) != nullptr || pre->parent == nullptr) continue;
        std::string language = find_language(*pre);
        const Node* const editor = editor_content(*pre, language);
        CodeText text;
        text.children(editor != nullptr ? *editor : *pre);
        const std::string code = text.take();
        while (pre->first != nullptr) remove(*pre->first);
        append(*pre, document.make_text(code));
        if (language == "text" || language == "plaintext" || language == "none" ||
            language == "plain")
            language.clear();
        pre->set_attribute("data-language", language);
    }
}

}  // namespace belay::media::html

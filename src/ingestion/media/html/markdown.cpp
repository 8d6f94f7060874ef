#include "ingestion/media/html/markdown.hpp"

#include <vector>

#include <fmt/format.h>

#include "ingestion/media/html/markdown_inline.hpp"
#include "ingestion/media/html/markdown_table.hpp"
#include "ingestion/media/html/measure.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

std::string indent_lines(std::string_view text, std::string_view prefix,
                         std::string_view first_prefix) {
    std::string out;
    bool first = true;
    for (const auto line : split(text, '\n')) {
        if (!first) out += '\n';
        if (first)
            out += first_prefix;
        else if (!line.empty())
            out += prefix;
        out += line;
        first = false;
    }
    return out;
}

class Blocks {
public:
    explicit Blocks(const std::string& base) : base_(base) {}

    // The children of `node`, blocks separated by an empty line.
    std::string children(const Node& node, std::string_view separator = "\n\n") {
        std::string out;
        const auto add = [&](std::string_view block) {
            if (block.empty()) return;
            if (!out.empty()) out += separator;
            out += block;
        };
        for (const Node* at = node.first; at != nullptr;) {
            if (is_blocky(*at)) {
                add(block(*at));
                at = at->next;
                continue;
            }
            const Node* end = at;
            while (end != nullptr && !is_blocky(*end)) end = end->next;
            add(escape_line_start(inline_markdown(at, end, base_)));
            at = end;
        }
        return out;
    }

private:
    static bool is_blocky(const Node& node) {
        if (node.is_text()) return false;
        return is_block(node.tag) || has_block_inside(node);
    }

    std::string block(const Node& node) {
        if (node.has_attribute("data-footnote-text")) return footnote(node);
        if (const int level = level_of(node.tag); level > 0) return heading(node, level);
        switch (node.tag) {
            case Tag::P:
                return escape_line_start(inline_markdown(node, base_));
            case Tag::Pre:
                return code(node);
            case Tag::Ul:
            case Tag::Ol:
            case Tag::Menu:
                return list(node);
            case Tag::Li:
                return indent_lines(children(node), "    ", "- ");
            case Tag::Blockquote:
                return quote(node);
            case Tag::Hr:
                return "---";
            case Tag::Table:
                return table(node);
            case Tag::A:
                return linked_blocks(node);
            default:
                return children(node);
        }
    }

    std::string heading(const Node& node, int level) {
        std::string line = inline_markdown(node, base_);
        line = collapse(replace_all(line, "  \n", " "));
        line = replace_all(line, "**", "");  // a heading is bold as it is
        return line.empty() ? line : std::string(static_cast<std::size_t>(level), '#') + " " + line;
    }

    std::string code(const Node& node) {
        std::string text = raw_text(node);
        while (!text.empty() && is_space(text.back())) text.pop_back();
        while (!text.empty() && text.front() == '\n') text.erase(0, 1);
        if (is_blank(text)) return {};
        std::string fence = "```";
        while (text.find(fence) != std::string::npos) fence += '`';
        return fence + std::string{node.attribute("data-language")} + "\n" + text + "\n" + fence;
    }

    std::string list(const Node& node) {
        int number = 1;
        if (const auto start = node.attribute("start"); !start.empty() && start.size() < 7) try {
                number = std::stoi(std::string{start});
            } catch (const std::exception&) {
            }
        std::string out;
        for (const Node* item = node.first; item != nullptr; item = item->next) {
            if (item->is_text() && is_blank(item->text)) continue;
            std::string content;
            if (item->tag == Tag::Ul || item->tag == Tag::Ol) {  // a list directly in a list
                content = indent_lines(list(*item), "    ", "    ");
            } else {
                const std::string mark = node.tag == Tag::Ol ? fmt::format("{}. ", number++) : "- ";
                const std::string body =
                    item->is_text() ? inline_markdown(item, item->next, base_) : item_body(*item);
                if (body.empty()) continue;
                content = indent_lines(body, "    ", mark);
            }
            if (!out.empty()) out += '\n';
            out += content;
        }
        return out;
    }

    // A list item of one paragraph, or of one and a nested list, stays tight.
    std::string item_body(const Node& item) {
        std::size_t blocks = 0;
        for (const Node* child = first_element(item); child != nullptr;
             child = next_element(*child))
            if (is_blocky(*child) && child->tag != Tag::Ul && child->tag != Tag::Ol) ++blocks;
        return children(item, blocks <= 1 ? "\n" : "\n\n");
    }

    std::string quote(const Node& node) {
        std::string content = children(node);
        if (const auto kind = node.attribute("data-callout"); !kind.empty()) {
            const std::string title = collapse(node.attribute("data-callout-title"));
            content = fmt::format("[!{}]{} {}", kind, node.attribute("data-callout-fold"), title) +
                      (content.empty() ? "" : "\n" + content);
        }
        if (content.empty()) return {};
        std::string out;
        for (const auto line : split(content, '\n')) {
            if (!out.empty()) out += '\n';
            out += line.empty() ? ">" : "> " + std::string{line};
        }
        return out;
    }

    std::string table(const Node& node) {
        if (is_layout_table(node)) return children(node);
        return markdown_table(node, base_);
    }

    // A link around blocks: the first line of text carries it.
    std::string linked_blocks(const Node& node) {
        std::string content = children(node);
        const std::string target = link_target(node.attribute("href"), base_);
        if (target.empty() || target[0] == '#' || content.empty()) return content;
        const auto end = std::min(content.find('\n'), content.size());
        std::string first = content.substr(0, end);
        if (first.find("](") != std::string::npos && !first.starts_with("![")) return content;
        std::size_t mark = first.find_first_not_of('#');
        if (mark == std::string::npos || mark == 0 || first[mark] != ' ')
            mark = 0;
        else
            ++mark;
        return first.substr(0, mark) + "[" + first.substr(mark) + "](" + target + ")" +
               content.substr(end);
    }

    std::string footnote(const Node& node) {
        const std::string mark = fmt::format("[^{}]: ", node.attribute("data-footnote-text"));
        return indent_lines(children(node), "    ", mark);
    }

    const std::string& base_;
};

}  // namespace

std::string markdown(const Node& content, const std::string& base) {
    return Blocks{base}.children(content);
}

}  // namespace belay::media::html

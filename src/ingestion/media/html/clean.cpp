#include "ingestion/media/html/clean.hpp"

#include <algorithm>

#include "ingestion/media/html/clean_lines.hpp"
#include "ingestion/media/html/clean_shape.hpp"
#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/measure.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

// Whatever its name or tag, an element with this part of the article's prose is the article.
constexpr double kTooMuchToLose = 0.4;

class Cleaner {
public:
    Cleaner(Node& content, const CleanOptions& options)
        : content_(content), options_(options), prose_(prose_length(content)) {}

    void run() {
        remove_by_tag();
        remove_furniture();
        remove_title_headings();
        if (options_.trust.clean_by_shape) remove_by_shape(content_);
        remove_furniture_lines(content_);
        demote_headings();
        unlink_headings();
        remove_empty();
        trim_end();
    }

private:
    bool holds_the_article(const Node& node) const {
        return prose_ > 0 && static_cast<double>(prose_length(node)) >
                                 kTooMuchToLose * static_cast<double>(prose_);
    }

    template <class Predicate>
    void remove_if(const Predicate& unwanted) {
        for (Node* node = next_in(content_, content_); node != nullptr;) {
            Node* const after = next_after(content_, *node);
            if (node->is_element() && unwanted(*node)) {
                remove(*node);
                node = after;
            } else {
                node = next_in(content_, *node);
            }
        }
    }

    void remove_by_tag() {
        remove_if([&](const Node& node) {
            switch (node.tag) {
                case Tag::Object:
                case Tag::Embed:
                case Tag::Iframe:
                case Tag::Legend:
                    return true;
                case Tag::Nav:
                case Tag::Aside:
                case Tag::Footer:
                case Tag::Form:
                case Tag::Fieldset:
                case Tag::Menu:
                    return !holds_the_article(node);
                default:
                    return false;
            }
        });
    }

    void remove_furniture() {
        remove_if([&](const Node& node) {
            if (node.tag == Tag::Code || node.tag == Tag::Pre || node.tag == Tag::Table ||
                node.tag == Tag::Tr || node.tag == Tag::Td ||
                ancestor_with(node, Tag::Pre) != nullptr || node.tag == Tag::Img ||
                node.tag == Tag::Figure || node.tag == Tag::Blockquote)
                return false;
            return sounds_like_furniture(node) && !holds_the_article(node) &&
                   prose_length(node) < 600;
        });
    }

    void remove_title_headings() {
        if (options_.title.empty()) return;
        const std::string title = plain_words(options_.title);
        for (Node* node : elements(content_, {Tag::H1, Tag::H2})) {
            const std::string words = plain_words(inner_text(*node));
            if (words == title ||
                (word_similarity(words, title) > 0.9 && words.size() < title.size() * 11 / 10 &&
                 elements(*node, Tag::Br).empty()))
                remove(*node);
        }
    }

    void demote_headings() {
        for (Node* node : elements(content_, Tag::H1)) rename(*node, Tag::H2);
    }

    // "¶" and "#" beside a heading, and headings that link to themselves.
    void unlink_headings() {
        for (Node* heading : elements(content_, {Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6}))
            for (Node* link : elements(*heading, Tag::A)) {
                const std::string_view href = link->attribute("href");
                if (plain_words(inner_text(*link)).empty() && elements(*link, Tag::Img).empty())
                    remove(*link);
                else if (href.starts_with('#'))
                    replace_with_children(*link);
            }
    }

    // Headings and rules with nothing below them: what they announced has been removed.
    void trim_end() {
        for (Node* last = &content_; last->last != nullptr;) {
            Node* child = last->last;
            if (child->is_text() && is_blank(child->text)) {
                remove(*child);
            } else if (is_heading(child->tag) || child->tag == Tag::Hr || child->tag == Tag::Br) {
                if (child == content_.first) return;
                remove(*child);
                last = &content_;
            } else {
                last = child;
                if (last->is_text() || (last->tag != Tag::Div && last->tag != Tag::Section &&
                                        last->tag != Tag::Article && last->tag != Tag::Main))
                    return;
                if (last->last == nullptr) {
                    remove(*last);
                    last = &content_;
                }
            }
        }
    }

    void remove_empty() {
        // Last to first, so that what only held empty things is empty when its turn comes.
        std::vector<Node*> all = elements(content_);
        for (auto at = all.rbegin(); at != all.rend(); ++at)
            if (!is_void((*at)->tag) && (*at)->tag != Tag::Td && (*at)->tag != Tag::Th &&
                is_empty(**at))
                remove(**at);
    }

    Node& content_;
    const CleanOptions& options_;
    std::size_t prose_;
};

}  // namespace

void clean_content(Node& content, const CleanOptions& options) { Cleaner{content, options}.run(); }

}  // namespace belay::media::html

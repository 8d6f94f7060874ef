#include "ingestion/media/html/plain_text.hpp"

#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

// A longer one is a text that was given the wrong name.
constexpr std::size_t kCaptionLengthMax = 600;

class Writer {
public:
    void node(const Node& node) {
        if (node.is_text()) return words(node.text);
        if (is_invisible(node.tag)) return;
        // Belongs to the picture, which a text does not have.
        if (sounds_like_caption(node) && text_length(node) < kCaptionLengthMax) return;
        if (node.has_attribute("data-tex")) return words(node.attribute("data-tex"));
        switch (node.tag) {
            case Tag::Br:
                return line();
            case Tag::Pre:
                return code(node);
            case Tag::Td:
            case Tag::Th:
                break;
            default:
                if (is_block(node.tag)) paragraph(node.tag);
        }
        for (const Node* child = node.first; child != nullptr; child = child->next)
            this->node(*child);
        if (node.tag == Tag::Td || node.tag == Tag::Th) {
            if (node.next != nullptr) words("\t ");
        } else if (is_block(node.tag)) {
            paragraph(node.tag);
        }
    }

    std::string take() {
        while (!out_.empty() && is_space(out_.back())) out_.pop_back();
        return std::move(out_);
    }

private:
    void words(std::string_view text) {
        // A text node may begin or end with the space between two words.
        const std::string clean = collapse(text);
        const bool starts = !text.empty() && is_blank(text.substr(0, 1));
        if (starts || (clean.empty() && !text.empty())) gap_ = true;
        if (clean.empty()) return;
        if (gap_ && !out_.empty() && !is_space(out_.back())) out_ += ' ';
        out_ += clean;
        gap_ = ends_in_space(text);
    }

    static bool ends_in_space(std::string_view text) {
        if (is_space(text.back())) return true;
        return text.size() >= 2 && text.substr(text.size() - 2) == "\xC2\xA0";
    }

    void line() {
        trim_end();
        if (!out_.empty() && out_.back() != '\n') out_ += '\n';
        gap_ = false;
    }

    void paragraph(Tag tag) {
        const bool tight = tag == Tag::Li || tag == Tag::Tr || tag == Tag::Dd || tag == Tag::Dt;
        trim_end();
        if (out_.empty()) return;
        const std::size_t wanted = tight ? 1 : 2;
        std::size_t have = 0;
        while (have < out_.size() && out_[out_.size() - 1 - have] == '\n') ++have;
        if (have < wanted) out_.append(wanted - have, '\n');
        gap_ = false;
    }

    void code(const Node& node) {
        paragraph(Tag::Pre);
        const std::string text = raw_text(node);
        out_ += text;
        paragraph(Tag::Pre);
    }

    void trim_end() {
        while (!out_.empty() && (out_.back() == ' ' || out_.back() == '\t')) out_.pop_back();
    }

    std::string out_{};
    bool gap_ = false;
};

}  // namespace

std::string plain_text(const Node& content) {
    Writer writer;
    writer.node(content);
    return writer.take();
}

}  // namespace belay::media::html

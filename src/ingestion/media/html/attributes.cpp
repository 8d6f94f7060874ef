#include "ingestion/media/html/attributes.hpp"

#include <algorithm>

namespace belay::media::html {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

bool same_name(std::string_view a, std::string_view lower) {
    return a.size() == lower.size() && std::ranges::equal(a, lower, [](char x, char y) {
               return (is_letter(x) ? (x | 32) : x) == y;
           });
}

// Reads one tag as the standard's tokenizer does: where its attributes begin, and where it ends.
class TagReader {
public:
    TagReader(std::string_view html, std::size_t at) : html_(html), at_(at) {
        const std::size_t begin = at_;
        while (!done() && !is_space(html_[at_]) && html_[at_] != '/' && html_[at_] != '>') ++at_;
        name_ = html_.substr(begin, at_ - begin);
    }

    std::string_view name() const { return name_; }
    std::size_t at() const { return at_; }

    // Passes over the next attribute; false where the tag ends, with at() at its `>` or at the end of the page.
    bool next() {
        while (!done() && (is_space(html_[at_]) || html_[at_] == '/')) ++at_;
        if (done() || html_[at_] == '>') return false;
        ++at_;  // also a `=`, which is then the beginning of a name
        while (!done() && !is_space(html_[at_]) && html_[at_] != '/' && html_[at_] != '>' &&
               html_[at_] != '=')
            ++at_;
        std::size_t value = at_;
        while (value < html_.size() && is_space(html_[value])) ++value;
        if (value < html_.size() && html_[value] == '=') pass_value(value + 1);
        return true;
    }

private:
    bool done() const { return at_ >= html_.size(); }

    void pass_value(std::size_t from) {
        at_ = from;
        while (!done() && is_space(html_[at_])) ++at_;
        if (done()) return;
        if (const char quote = html_[at_]; quote == '"' || quote == '\'') {
            const auto end = html_.find(quote, at_ + 1);
            at_ = end == kNone ? html_.size() : end + 1;
            return;
        }
        while (!done() && !is_space(html_[at_]) && html_[at_] != '>') ++at_;
    }

    std::string_view html_;
    std::size_t at_;
    std::string_view name_;
};

}  // namespace

std::string with_few_attributes(std::string_view html) {
    std::string out;
    std::size_t copied = 0, shared = 0;
    for (std::size_t at = html.find('<'); at != kNone; at = html.find('<', at)) {
        if (html.substr(at).starts_with("<!--")) {
            const auto end = html.find("-->", at + 4);
            if (end == kNone) break;
            at = end + 3;
            continue;
        }
        ++at;
        if (at < html.size() && html[at] == '/') ++at;
        if (at >= html.size() || !is_letter(html[at])) continue;
        TagReader tag{html, at};
        const bool is_shared = same_name(tag.name(), "html") || same_name(tag.name(), "body");
        std::size_t own = 0, cut = kNone;
        for (std::size_t before = tag.at(); tag.next(); before = tag.at()) {
            if (++(is_shared ? shared : own) > kAttributesMax && cut == kNone) cut = before;
        }
        at = tag.at();
        if (cut == kNone) continue;
        out.append(html.substr(copied, cut - copied));
        copied = at;
    }
    out.append(html.substr(std::min(copied, html.size())));
    return out;
}

}  // namespace belay::media::html

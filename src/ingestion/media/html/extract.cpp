#include "ingestion/media/html/extract.hpp"

#include <array>
#include <set>

#include "ingestion/media/html/body_check.hpp"
#include "ingestion/media/html/callouts.hpp"
#include "ingestion/media/html/charset.hpp"
#include "ingestion/media/html/clean.hpp"
#include "ingestion/media/html/code_blocks.hpp"
#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/footnotes.hpp"
#include "ingestion/media/html/markdown.hpp"
#include "ingestion/media/html/markdown_inline.hpp"
#include "ingestion/media/html/math.hpp"
#include "ingestion/media/html/measure.hpp"
#include "ingestion/media/html/metadata.hpp"
#include "ingestion/media/html/plain_text.hpp"
#include "ingestion/media/html/prepare.hpp"
#include "ingestion/media/html/select.hpp"
#include "ingestion/media/html/structure.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

// Less than this is more often a failed selection than a short article.
constexpr std::size_t kEnoughText = 500;
constexpr std::size_t kSomeText = 140;
constexpr double kBodyPart = 0.4;  // of JSON-LD's text that a right choice has
constexpr std::size_t kLinksMax = 10'000;

constexpr auto kTrusts = std::to_array<Trust>({
    {.strip_unlikely = true, .weigh_names = true, .clean_by_shape = true},
    {.strip_unlikely = false, .weigh_names = true, .clean_by_shape = true},
    {.strip_unlikely = false, .weigh_names = false, .clean_by_shape = true},
    {.strip_unlikely = false, .weigh_names = false, .clean_by_shape = false},
});

// Enough to stop at: long, or most of what the page has to read.
bool is_enough(const Node& content, std::size_t length, std::size_t page_prose) {
    if (length >= kEnoughText) return true;
    if (length < kSomeText) return false;
    if (prose_length(content) * 2 >= page_prose) return true;
    // A short text in an element that is called the article's body.
    for (const Node* child = first_element(content); child != nullptr; child = next_element(*child))
        if (sounds_like_body(*child)) return true;
    return false;
}

Node& choose_content(Document& document, const Node& body, const Metadata& metadata) {
    const std::size_t page_prose = prose_length(body);
    Node* best = nullptr;
    std::size_t best_length = 0;
    for (const Trust& trust : kTrusts) {
        Node& content = select_content(document, document.clone(body), trust, metadata.title);
        clean_content(content, {.title = metadata.title, .trust = trust});
        const std::size_t length = text_length(content);
        if (best == nullptr || length > best_length) {
            best = &content;
            best_length = length;
        }
        if (is_enough(content, length, page_prose)) return content;
    }
    return *best;
}

// JSON-LD may hold the article's text. If what was chosen has little of it, the wrong part was chosen:
// take the part of the page that holds those paragraphs, or, when a script would have shown them, the
// text itself.
Node& checked_against_body(Document& document, const Node& body, const Metadata& metadata,
                           Node& chosen) {
    if (reading_length(metadata.article_body) < kEnoughText ||
        shared_part(metadata.article_body, plain_text(chosen)) >= kBodyPart)
        return chosen;
    Node& copy = document.clone(body);
    if (Node* const holder = holder_of(copy, metadata.article_body)) {
        Node& content = document.make_element(Tag::Div);
        remove(*holder);
        append(content, *holder);
        clean_content(content, {.title = metadata.title, .trust = kTrusts[0]});
        if (shared_part(metadata.article_body, plain_text(content)) >= kBodyPart) return content;
    }
    return content_of_text(document, metadata.article_body);
}

std::vector<std::string> links_of(const Node& content, const std::string& base) {
    std::vector<std::string> links;
    std::set<std::string> seen;
    for (const Node* link : elements(content, Tag::A)) {
        std::string target = link_target(link->attribute("href"), base);
        if (target.empty() || is_blank(raw_text(*link)) || links.size() >= kLinksMax) continue;
        if (seen.insert(target).second) links.push_back(std::move(target));
    }
    return links;
}

}  // namespace

Article extract(std::string_view bytes, const ExtractOptions& options) {
    if (bytes.size() > options.limits.bytes_max) parse(bytes, options.limits);  // throws, saying so
    Decoded page = decode_page(bytes, options.content_type);
    Document document = parse(page.utf8, options.limits);
    const Metadata metadata = read_metadata(document, options.url);

    Article article;
    article.url = options.url.empty() ? metadata.canonical_url : options.url;
    article.title = metadata.title;
    article.author = metadata.author;
    article.date = metadata.date;
    article.modified = metadata.modified;
    article.site = metadata.site;
    article.description = metadata.description;
    article.language = metadata.language;
    article.canonical_url = metadata.canonical_url;
    article.image = metadata.image;
    article.encoding = std::move(page.encoding);

    Node* const body = document.body();
    if (body == nullptr) return article;
    place_streamed_parts(document.html());
    resolve_lazy_images(document, *body);
    convert_math(document, *body);
    tidy_code_blocks(document, *body);
    remove_invisible(*body);
    remove_hidden(*body);
    remove_comment_threads(*body);
    apply_roles(*body);
    unwrap_links_around_blocks(*body);
    mark_callouts(*body);
    const std::vector<Footnote> footnotes = take_footnotes(document, *body);
    make_paragraphs(document, *body);

    Node& content =
        checked_against_body(document, *body, metadata, choose_content(document, *body, metadata));
    append_footnotes(document, content, footnotes);
    article.markdown = markdown(content, metadata.base_url);
    article.text = plain_text(content);
    article.links = links_of(content, metadata.base_url);
    return article;
}

}  // namespace belay::media::html

#include "ingestion/media/html/prepare.hpp"

#include <string>
#include <utility>
#include <vector>

#include "ingestion/media/html/cues.hpp"
#include "ingestion/media/html/measure.hpp"
#include "ingestion/media/html/parse.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

constexpr std::size_t kNoscriptBytesMax = 64 * 1024;

bool declares(std::string_view style, std::string_view property, std::string_view value) {
    for (const auto part : split(style, ';')) {
        const auto colon = part.find(':');
        if (colon == std::string_view::npos) continue;
        if (lower_ascii(trim(part.substr(0, colon))) != property) continue;
        if (lower_ascii(trim(part.substr(colon + 1))).starts_with(value)) return true;
    }
    return false;
}

bool is_hidden(const Node& node) {
    if (node.has_attribute("hidden") && node.attribute("hidden") != "until-found") return true;
    const std::string_view style = node.attribute("style");
    if (!style.empty() &&
        (declares(style, "display", "none") || declares(style, "visibility", "hidden")))
        return true;
    if (node.attribute("aria-hidden") == "true")
        return node.classes().find("fallback-image") == std::string_view::npos;
    return (has_class(node, "hidden") || has_class(node, "invisible")) &&
           node.classes().find(':') == std::string_view::npos;
}

bool is_placeholder(std::string_view address) {
    return address.empty() || address.starts_with("data:") || address == "#" ||
           address == "about:blank" || address.find("placeholder") != std::string_view::npos ||
           address.find("blank.gif") != std::string_view::npos ||
           address.find("spacer.") != std::string_view::npos ||
           address.find("1x1.") != std::string_view::npos;
}

bool is_image_address(std::string_view text) {
    const std::string lower = lower_ascii(text);
    if (lower.empty() || lower.size() > 4000 || lower.starts_with("data:")) return false;
    for (const std::string_view ending : {".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif"})
        if (lower.find(ending) != std::string::npos) return true;
    return false;
}

// The widest picture of a srcset.
std::string best_of_srcset(std::string_view srcset) {
    std::string best;
    double best_width = -1;
    // Addresses may contain commas; candidates are separated by a comma followed by white space.
    std::size_t at = 0;
    while (at < srcset.size()) {
        while (at < srcset.size() && (is_space(srcset[at]) || srcset[at] == ',')) ++at;
        std::size_t end = at;
        while (end < srcset.size() && !is_space(srcset[end])) ++end;
        std::string_view address = srcset.substr(at, end - at);
        while (!address.empty() && address.back() == ',') address.remove_suffix(1);
        std::size_t comma = end;
        while (comma < srcset.size() && srcset[comma] != ',') ++comma;
        double width = 1;
        try {
            const auto descriptor = trim(srcset.substr(end, comma - end));
            if (!descriptor.empty()) width = std::stod(std::string{descriptor});
        } catch (const std::exception&) {
            width = 1;
        }
        if (!address.empty() && width > best_width && !address.starts_with("data:")) {
            best = address;
            best_width = width;
        }
        at = comma;
    }
    return best;
}

void resolve_image(Node& image) {
    if (!is_placeholder(image.attribute("src"))) return;
    for (const std::string_view name : {"data-src", "data-original", "data-lazy-src", "data-lazy",
                                        "data-url", "data-image", "data-full-src"}) {
        const std::string value{trim(image.attribute(name))};
        if (value.empty() || value.starts_with("data:") || value.starts_with("{")) continue;
        image.set_attribute("src", value);
        return;
    }
    for (const std::string_view name : {"data-srcset", "srcset", "data-lazy-srcset"}) {
        const std::string best = best_of_srcset(image.attribute(name));
        if (best.empty()) continue;
        image.set_attribute("src", best);
        return;
    }
    for (const Attribute& one : image.attributes) {
        if (one.name == "src" || one.name == "alt" || !is_image_address(one.value)) continue;
        const std::string best =
            one.value.find(' ') == std::string::npos ? one.value : best_of_srcset(one.value);
        if (best.empty()) continue;
        image.set_attribute("src", best);
        return;
    }
    if (image.parent != nullptr && image.parent->tag == Tag::Picture)
        for (const Node* source : elements(*image.parent, Tag::Source))
            if (const std::string best = best_of_srcset(source->attribute("srcset")); !best.empty())
                return image.set_attribute("src", best);
}

}  // namespace

void place_streamed_parts(Node& root) {
    for (const Node* script : elements(root, Tag::Script)) {
        const std::string code = raw_text(*script);
        for (std::size_t at = code.find("$RC(\""); at != std::string::npos;
             at = code.find("$RC(\"", at + 5)) {
            const auto place_end = code.find('"', at + 5);
            if (place_end == std::string::npos) break;
            const auto part_begin = code.find('"', place_end + 1);
            if (part_begin == std::string::npos) break;
            const auto part_end = code.find('"', part_begin + 1);
            if (part_end == std::string::npos) break;
            Node* const place = element_by_id(root, code.substr(at + 5, place_end - at - 5));
            Node* const part =
                element_by_id(root, code.substr(part_begin + 1, part_end - part_begin - 1));
            if (place == nullptr || part == nullptr || is_inside(*place, *part)) continue;
            while (part->first != nullptr) {
                Node& child = *part->first;
                remove(child);
                insert_before(*place, child);
            }
            // What stood there while the part was on its way.
            while (place->next != nullptr && place->parent != nullptr) remove(*place->next);
            remove(*place);
            remove(*part);
        }
    }
}

void resolve_lazy_images(Document& document, Node& root) {
    for (Node* image : elements(root, Tag::Img)) resolve_image(*image);
    for (Node* noscript : elements(root, Tag::Noscript)) {
        const std::string source = raw_text(*noscript);  // HTML, which the parser leaves as text
        if (source.size() > kNoscriptBytesMax || source.find("<img") == std::string::npos) continue;
        const Document inside = parse(source);
        const std::vector<Node*> images = elements(inside.html(), Tag::Img);
        if (images.size() != 1 || inside.body() == nullptr || !is_blank(inner_text(*inside.body())))
            continue;
        Node* const before = previous_element(*noscript);
        const bool after_placeholder = before != nullptr && before->tag == Tag::Img &&
                                       is_placeholder(before->attribute("src"));
        const bool alone =
            before == nullptr || (before->tag != Tag::Img && elements(*before, Tag::Img).empty());
        if (!after_placeholder && !alone) continue;
        Node& copy = document.clone(*images[0]);
        resolve_image(copy);
        if (after_placeholder) remove(*before);
        insert_before(*noscript, copy);
    }
}

void remove_invisible(Node& root) {
    for (Node* node : elements(root)) {
        switch (node->tag) {
            case Tag::Script:
            case Tag::Style:
            case Tag::Link:
            case Tag::Meta:
            case Tag::Noscript:
            case Tag::Template:
            case Tag::Title:
            case Tag::Input:
            case Tag::Textarea:
            case Tag::Select:
            case Tag::Button:
            case Tag::Canvas:
            case Tag::Progress:
            case Tag::Base:
            case Tag::Option:
            case Tag::Dialog:
                remove(*node);
                break;
            default:
                break;
        }
    }
}

void remove_comment_threads(Node& root) {
    // Less than this beside the comments is a thread's first post at most.
    constexpr std::size_t kArticleAtLeast = 200;
    std::vector<Node*> threads;
    std::size_t taken = 0;
    for (Node* node = next_in(root, root); node != nullptr;) {
        const bool whole = node->is_text() || node->tag == Tag::Article || node->tag == Tag::Main ||
                           node->tag == Tag::Body || node->tag == Tag::A || is_heading(node->tag);
        if (!whole && sounds_like_comments(*node)) {
            threads.push_back(node);
            taken += prose_length(*node);
            node = next_after(root, *node);
        } else {
            node = next_in(root, *node);
        }
    }
    if (prose_length(root) < taken + kArticleAtLeast) return;
    for (Node* node : threads) remove(*node);
}

bool remove_hidden(Node& root) {
    const std::size_t before = prose_length(root);
    std::vector<Node*> hidden;
    std::size_t taken = 0;
    for (Node* node = next_in(root, root); node != nullptr;) {
        if (node->is_element() && is_hidden(*node)) {
            hidden.push_back(node);
            taken += prose_length(*node);
            node = next_after(root, *node);
        } else {
            node = next_in(root, *node);
        }
    }
    if (taken * 2 > before) return false;
    for (Node* node : hidden) remove(*node);
    return true;
}

}  // namespace belay::media::html

#include "ingestion/media/html/parse.hpp"

#include <csetjmp>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gumbo.h>

#include "core/base/utf8.hpp"
#include "ingestion/media/html/attributes.hpp"
#include "ingestion/media/html/nesting.hpp"

namespace belay::media::html {
namespace {

// Memory for one parse. When it is used up, allocate() leaves the parser with longjmp: gumbo does not
// check for null, and between the setjmp and here there are only frames of C.
class Arena {
public:
    explicit Arena(std::size_t bytes_max) : left_(bytes_max) {}

    static void* allocate(void* self, std::size_t size) {
        return static_cast<Arena*>(self)->take(size);
    }
    static void release(void*, void*) {}

    std::jmp_buf full;

private:
    void* take(std::size_t size) {
        size = (size + 15) & ~std::size_t{15};
        if (size > left_) std::longjmp(full, 1);
        left_ -= size;
        if (size > kChunk / 4) return add_chunk(size);
        if (size > free_bytes_) {
            free_ = add_chunk(kChunk);
            free_bytes_ = kChunk;
        }
        char* const taken = free_;
        free_ += size;
        free_bytes_ -= size;
        return taken;
    }

    char* add_chunk(std::size_t size) {
        // malloc and a plain list: an exception must not cross the parser's frames.
        auto* const chunk = static_cast<Chunk*>(std::malloc(sizeof(Chunk) + size));
        if (chunk == nullptr) std::longjmp(full, 1);
        chunk->before = chunks_;
        chunks_ = chunk;
        return reinterpret_cast<char*>(chunk + 1);
    }

    struct alignas(16) Chunk {
        Chunk* before;
    };
    static constexpr std::size_t kChunk = 256 * 1024;

    std::size_t left_;
    char* free_ = nullptr;
    std::size_t free_bytes_ = 0;
    Chunk* chunks_ = nullptr;

public:
    ~Arena() {
        while (chunks_ != nullptr) std::free(std::exchange(chunks_, chunks_->before));
    }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
};

GumboOutput* run_gumbo(Arena& arena, std::string_view utf8) {
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = &Arena::allocate;
    options.deallocator = &Arena::release;
    options.userdata = &arena;
    options.max_errors = 0;
    if (setjmp(arena.full) != 0) return nullptr;
    return gumbo_parse_with_options(&options, utf8.data(), utf8.size());
}

// gumbo reads a number like &#xD80999999999999999999990; past its largest and writes bytes that are no character.
std::string sound(const char* text) {
    const std::string_view bytes{text};
    return base::is_utf8(bytes) ? std::string{bytes} : base::to_valid_utf8(bytes);
}

std::string element_name(const GumboElement& element) {
    if (element.tag != GUMBO_TAG_UNKNOWN) return gumbo_normalized_tagname(element.tag);
    GumboStringPiece name = element.original_tag;
    gumbo_tag_from_original_text(&name);
    std::string lower{name.data == nullptr ? "" : std::string{name.data, name.length}};
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

void copy_attributes(const GumboElement& from, Node& to) {
    to.attributes.reserve(from.attributes.length);
    for (unsigned i = 0; i < from.attributes.length; ++i) {
        const auto& one = *static_cast<const GumboAttribute*>(from.attributes.data[i]);
        std::string name = one.name;
        for (char& c : name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        to.attributes.push_back({std::move(name), sound(one.value)});
    }
}

// Browsers with scripts on read what is in <noscript> as characters, and pages rely on it: an element
// that is left open in there must not swallow the page. gumbo knows only the other reading, but it
// reads <noframes> that way, and both names have eight letters.
std::string with_noscript_as_text(std::string_view html) {
    std::string out{html};
    constexpr std::string_view kName = "noscript";
    for (std::size_t at = out.find('<'); at != std::string::npos; at = out.find('<', at + 1)) {
        const std::size_t name = at + (at + 1 < out.size() && out[at + 1] == '/' ? 2 : 1);
        if (name + kName.size() > out.size()) break;
        bool same = true;
        for (std::size_t i = 0; same && i < kName.size(); ++i)
            same = (out[name + i] | 32) == kName[i];
        if (same) out.replace(name, kName.size(), "noframes");
    }
    return out;
}

class Copy {
public:
    Copy(Document& document, const ParseLimits& limits) : document_(document), limits_(limits) {}

    void run(const GumboNode& root) {
        // A stack of our own: the parser's tree may be a million levels deep.
        struct Visit {
            const GumboNode* from;
            Node* parent;
            int depth;
        };
        std::vector<Visit> pending{{&root, nullptr, 0}};
        while (!pending.empty()) {
            const Visit visit = pending.back();
            pending.pop_back();
            Node* const made = copy(*visit.from, visit.parent);
            const GumboVector* const children = children_of(*visit.from);
            if (children == nullptr) continue;
            Node* parent = visit.parent;
            int depth = visit.depth;
            if (made != nullptr && depth < kTreeDepthMax) {
                parent = made;
                ++depth;
            }
            for (unsigned i = children->length; i > 0; --i)
                pending.push_back(
                    {static_cast<const GumboNode*>(children->data[i - 1]), parent, depth});
        }
    }

private:
    static const GumboVector* children_of(const GumboNode& node) {
        if (node.type == GUMBO_NODE_DOCUMENT) return &node.v.document.children;
        if (node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE)
            return &node.v.element.children;
        return nullptr;
    }

    Node* copy(const GumboNode& from, Node* parent) {
        if (from.type == GUMBO_NODE_COMMENT) {
            if (document_.comments.size() < 1000)
                document_.comments.push_back(sound(from.v.text.text));
            return nullptr;
        }
        if (from.type == GUMBO_NODE_DOCUMENT) return nullptr;
        if (document_.size() >= limits_.nodes_max)
            throw PageRefused(fmt::format("the page has more than {} nodes", limits_.nodes_max));
        if (from.type != GUMBO_NODE_ELEMENT && from.type != GUMBO_NODE_TEMPLATE) {
            if (parent != nullptr) append(*parent, document_.make_text(sound(from.v.text.text)));
            return nullptr;
        }
        const GumboElement& element = from.v.element;
        if (parent == nullptr) {  // <html>, which the document made itself
            copy_attributes(element, document_.html());
            return &document_.html();
        }
        std::string name = element_name(element);
        if (name == "noframes") name = "noscript";
        Node& node = document_.make_element(tag_of(name), name);
        copy_attributes(element, node);
        append(*parent, node);
        return &node;
    }

    Document& document_;
    const ParseLimits& limits_;
};

}  // namespace

Document parse(std::string_view utf8, const ParseLimits& limits) {
    if (utf8.size() > limits.bytes_max)
        throw PageRefused(fmt::format("the page has {} bytes, more than the {} that are read",
                                      utf8.size(), limits.bytes_max));
    if (const std::size_t depth = nesting_of(utf8); depth > limits.nesting_max)
        throw PageRefused(
            fmt::format("the page nests {} elements, more than the {} that are followed", depth,
                        limits.nesting_max));
    Arena arena{limits.memory_max};
    const std::string html = with_noscript_as_text(
        with_few_attributes(utf8));  // outlives the tree, which points into it
    const GumboOutput* const output = run_gumbo(arena, html);
    if (output == nullptr)
        throw PageRefused(fmt::format("parsing the page takes more than {} MiB of memory",
                                      limits.memory_max / (1024 * 1024)));
    Document document;
    Copy{document, limits}.run(*output->document);
    return document;
}

}  // namespace belay::media::html

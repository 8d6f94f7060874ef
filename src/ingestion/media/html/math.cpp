#include "ingestion/media/html/math.hpp"

#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

const Node* tex_annotation(const Node& node) {
    for (const Node* annotation : elements(node, Tag::Annotation))
        if (annotation->attribute("encoding").find("tex") != std::string_view::npos)
            return annotation;
    return nullptr;
}

std::string tex_of(const Node& math) {
    if (const Node* source = tex_annotation(math)) return std::string{trim(raw_text(*source))};
    for (const std::string_view name : {"alttext", "data-latex", "data-tex"})
        if (const auto value = math.attribute(name); !is_blank(value))
            return std::string{trim(value)};
    return tex_of_mathml(math);
}

// The outermost element that is only the rendering of this formula.
Node& rendering_around(Node& math) {
    Node* whole = &math;
    for (Node* up = math.parent; up != nullptr && !(is_block(up->tag) && up->tag != Tag::Div);
         up = up->parent) {
        const bool renderer =
            has_class(*up, "katex") || has_class(*up, "katex-display") ||
            has_class(*up, "katex-mathml") || has_class(*up, "MathJax") ||
            has_class(*up, "MathJax_Display") || has_class(*up, "mwe-math-element") ||
            has_class(*up, "MJX_Assistive_MathML") || up->text == "mjx-container" ||
            up->text == "mjx-assistive-mml" || has_class(*up, "ltx_Math");
        if (renderer) whole = up;
    }
    return *whole;
}

void put_tex(Document& document, Node& place, const std::string& tex, bool display) {
    Node& span = document.make_element(Tag::Span);
    span.set_attribute("data-tex", tex);
    if (display) span.set_attribute("data-display", "1");
    replace(place, span);
}

}  // namespace

void convert_math(Document& document, Node& root) {
    // MathJax 2: the source is in a script behind its rendering.
    for (Node* script : elements(root, Tag::Script)) {
        const std::string_view type = script->attribute("type");
        if (!type.starts_with("math/tex") || script->first == nullptr) continue;
        while (Node* before = previous_element(*script)) {
            if (before->classes().find("MathJax") == std::string_view::npos) break;
            remove(*before);
        }
        std::string tex;
        for (const Node* child = script->first; child != nullptr; child = child->next)
            tex += child->text;
        put_tex(document, *script, std::string{trim(tex)},
                type.find("mode=display") != std::string_view::npos);
    }
    for (Node* math : elements(root, Tag::Math)) {
        if (math->parent == nullptr || !is_inside(*math, root)) continue;
        Node& whole = rendering_around(*math);
        const bool display =
            math->attribute("display") == "block" || has_class(whole, "katex-display") ||
            has_class(whole, "MathJax_Display") || whole.attribute("display") == "true";
        const std::string tex = tex_of(*math);
        if (tex.empty()) continue;
        put_tex(document, whole, tex, display);
    }
}

}  // namespace belay::media::html

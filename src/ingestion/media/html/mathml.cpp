// mathml.cpp — presentation MathML to TeX, for pages that keep no TeX source.
#include <array>

#include "ingestion/media/html/math.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

struct Sign {
    std::string_view character;
    std::string_view tex;
};

constexpr auto kSigns = std::to_array<Sign>({
    {"α", "\\alpha"},
    {"β", "\\beta"},
    {"γ", "\\gamma"},
    {"δ", "\\delta"},
    {"ε", "\\epsilon"},
    {"ϵ", "\\epsilon"},
    {"ζ", "\\zeta"},
    {"η", "\\eta"},
    {"θ", "\\theta"},
    {"κ", "\\kappa"},
    {"λ", "\\lambda"},
    {"μ", "\\mu"},
    {"ν", "\\nu"},
    {"ξ", "\\xi"},
    {"π", "\\pi"},
    {"ρ", "\\rho"},
    {"σ", "\\sigma"},
    {"τ", "\\tau"},
    {"φ", "\\phi"},
    {"ϕ", "\\phi"},
    {"χ", "\\chi"},
    {"ψ", "\\psi"},
    {"ω", "\\omega"},
    {"Γ", "\\Gamma"},
    {"Δ", "\\Delta"},
    {"Θ", "\\Theta"},
    {"Λ", "\\Lambda"},
    {"Π", "\\Pi"},
    {"Σ", "\\Sigma"},
    {"Φ", "\\Phi"},
    {"Ψ", "\\Psi"},
    {"Ω", "\\Omega"},
    {"∑", "\\sum"},
    {"∏", "\\prod"},
    {"∫", "\\int"},
    {"∞", "\\infty"},
    {"≤", "\\leq"},
    {"≥", "\\geq"},
    {"≠", "\\neq"},
    {"≈", "\\approx"},
    {"≡", "\\equiv"},
    {"∈", "\\in"},
    {"∉", "\\notin"},
    {"⊂", "\\subset"},
    {"⊆", "\\subseteq"},
    {"∪", "\\cup"},
    {"∩", "\\cap"},
    {"∀", "\\forall"},
    {"∃", "\\exists"},
    {"∂", "\\partial"},
    {"∇", "\\nabla"},
    {"×", "\\times"},
    {"⋅", "\\cdot"},
    {"·", "\\cdot"},
    {"±", "\\pm"},
    {"→", "\\to"},
    {"⇒", "\\Rightarrow"},
    {"⇔", "\\Leftrightarrow"},
    {"⟨", "\\langle"},
    {"⟩", "\\rangle"},
    {"−", "-"},
    {"⋆", "\\star"},
    {"∗", "*"},
    {"…", "\\dots"},
    {"⋯", "\\cdots"},
    {"′", "'"},
    {"\xE2\x81\xA1", ""},
    {"\xE2\x81\xA2", ""},
    {"\xE2\x81\xA3", ""},
});

std::string sign(std::string_view text) {
    for (const auto& one : kSigns)
        if (one.character == text) return std::string{one.tex};
    return std::string{text};
}

std::string convert(const Node& node);

std::vector<const Node*> arguments(const Node& node) {
    std::vector<const Node*> found;
    for (const Node* child = first_element(node); child != nullptr; child = next_element(*child))
        found.push_back(child);
    return found;
}

std::string row(const Node& node) {
    std::string out;
    for (const Node* child : arguments(node)) {
        const std::string part = convert(*child);
        if (part.empty()) continue;
        // A command needs a gap before a letter; operators read better with one.
        if (!out.empty() && out.back() != ' ' && part.front() != ' ') out += ' ';
        out += part;
    }
    return out;
}

std::string group(const Node& node) { return "{" + convert(node) + "}"; }

// A base and what hangs on it; fewer children than the standard asks for are left out.
std::string scripted(const Node& node, std::initializer_list<std::string_view> marks) {
    const auto parts = arguments(node);
    if (parts.empty()) return {};
    std::string out = convert(*parts[0]);
    std::size_t i = 1;
    for (const auto mark : marks)
        if (i < parts.size()) out += std::string{mark} + group(*parts[i++]);
    return out;
}

std::string table(const Node& node) {
    std::string out = "\\begin{aligned}";
    bool first_row = true;
    for (const Node* line : arguments(node)) {
        if (!first_row) out += " \\\\ ";
        first_row = false;
        bool first_cell = true;
        for (const Node* cell : arguments(*line)) {
            if (!first_cell) out += " & ";
            first_cell = false;
            out += row(*cell);
        }
    }
    return out + "\\end{aligned}";
}

std::string convert(const Node& node) {
    const std::string_view name = node.name();
    const auto parts = arguments(node);
    const auto part = [&](std::size_t i) {
        return i < parts.size() ? convert(*parts[i]) : std::string{};
    };
    if (name == "mi" || name == "mn" || name == "mo") {
        const std::string text = collapse(raw_text(node));
        return sign(text);
    }
    if (name == "mtext") return "\\text{" + collapse(raw_text(node)) + "}";
    if (name == "mspace" || name == "annotation" || name == "annotation-xml" || name == "mphantom")
        return {};
    if (name == "msup") return scripted(node, {"^"});
    if (name == "msub") return scripted(node, {"_"});
    if (name == "msubsup" || name == "munderover") return scripted(node, {"_", "^"});
    if (name == "munder") return scripted(node, {"_"});
    if (name == "mover") {
        const std::string above = part(1);
        if (above == "¯" || above == "‾") return "\\overline{" + part(0) + "}";
        if (above == "^") return "\\hat{" + part(0) + "}";
        if (above == "~" || above == "˜") return "\\tilde{" + part(0) + "}";
        if (above == "\\to") return "\\vec{" + part(0) + "}";
        return scripted(node, {"^"});
    }
    if (name == "mfrac") return "\\frac{" + part(0) + "}{" + part(1) + "}";
    if (name == "msqrt") return "\\sqrt{" + row(node) + "}";
    if (name == "mroot") return "\\sqrt[" + part(1) + "]{" + part(0) + "}";
    if (name == "mtable") return table(node);
    if (parts.empty()) return sign(collapse(raw_text(node)));
    return row(node);
}

}  // namespace

std::string tex_of_mathml(const Node& math) { return row(math); }

}  // namespace belay::media::html

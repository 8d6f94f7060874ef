#include "ingestion/ai/metadata/content_type.hpp"

#include <algorithm>
#include <map>

#include "ingestion/web/url.hpp"

namespace belay::ai::metadata {
namespace {

using Cues = std::vector<std::pair<std::string_view, double>>;

// The path's segments in lower case, and its query.
std::vector<std::string> segments_of(const std::string& url) {
    std::vector<std::string> segments;
    const auto parsed = web::parse_url(url);
    if (!parsed) return segments;
    std::string_view path = parsed->path;
    while (!path.empty()) {
        const auto end = std::min(path.find('/'), path.size());
        if (end > 0) segments.push_back(lower_ascii(path.substr(0, end)));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return segments;
}

bool is_year(std::string_view text) {
    return text.size() == 4 && (text.starts_with("19") || text.starts_with("20")) &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool has_any(const std::string& text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](auto part) { return text.find(part) != std::string::npos; });
}

class Judge {
public:
    Judge(const Document& document, const Outline& outline)
        : document_(document), outline_(outline), title_(lower_ascii(document.title)) {
        for (const auto& heading : outline.headings) headings_ += lower_ascii(heading) + "\n";
        for (const auto& paragraph : outline.paragraphs) {
            text_ += lower_ascii(paragraph) + "\n";
            if (text_.size() > 20'000) break;
        }
    }

    TypeGuess run() {
        by_address();
        by_title();
        by_shape();
        by_words();
        const auto best =
            std::max_element(points_.begin(), points_.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        if (best == points_.end() || best->second < 1.5) return {};
        double second = 0;
        for (const auto& [type, points] : points_)
            if (type != best->first) second = std::max(second, points);
        const double confidence =
            std::clamp((best->second - second) / (best->second + 1) + 0.3, 0.1, 0.95);
        return {best->first, confidence};
    }

private:
    void give(std::string_view type, double points) { points_[std::string{type}] += points; }

    void by_address() {
        const auto segments = segments_of(document_.url);
        const auto parsed = web::parse_url(document_.url);
        if (parsed && parsed->is_web() &&
            (segments.empty() || (segments.size() == 1 &&
                                  (segments[0].starts_with("index.") || segments[0].size() == 2))))
            give("homepage", 4);
        if (parsed && has_any(parsed->host, {"docs.", "developer.", "developers.", "api."}))
            give("reference", 1.5);
        if (parsed && parsed->host.starts_with("blog.")) give("blog", 2.5);
        for (const auto& segment : segments) {
            if (segment == "api" || segment == "reference" || segment == "docs" ||
                segment == "documentation" || segment == "manual" || segment == "spec" ||
                segment == "man")
                give("reference", 2);
            if (segment == "tutorial" || segment == "tutorials" || segment == "quickstart" ||
                segment == "getting-started" || segment == "learn")
                give("tutorial", 3);
            if (segment == "guide" || segment == "guides" || segment == "how-to" ||
                segment == "howto" || segment == "handbook")
                give("guide", 3);
            if (segment == "blog" || segment == "blogs" || segment == "news" ||
                segment == "posts" || segment == "article" || segment == "articles" ||
                segment == "p" || segment == "story" || segment == "stories")
                give("blog", 2.5);
            if (segment == "product" || segment == "products" || segment == "features" ||
                segment == "pricing" || segment == "platform" || segment == "shop" ||
                segment == "store")
                give("product_page", 3);
            if (segment == "solutions" || segment == "solution" || segment == "use-cases" ||
                segment == "industries")
                give("solution_page", 3.5);
            if (segment == "customers" || segment == "case-studies" || segment == "case-study" ||
                segment == "customer-stories" || segment == "success-stories")
                give("case_study", 4);
            if (segment == "events" || segment == "event" || segment == "webinar" ||
                segment == "webinars" || segment == "conference")
                give("event", 3.5);
            if (segment == "about" || segment == "about-us" || segment == "contact" ||
                segment == "privacy" || segment == "terms" || segment == "legal" ||
                segment == "faq" || segment == "careers" || segment == "imprint" ||
                segment == "team")
                give("info", 3.5);
            if (segment == "lp" || segment == "landing" || segment == "signup" ||
                segment == "demo" || segment == "campaign")
                give("landing_page", 3);
            if (is_year(segment)) give("blog", 2);
        }
    }

    void by_title() {
        if (has_any(title_, {"tutorial", "getting started", "quickstart", "quick start",
                             "step by step", "step-by-step", "build a ", "build your"}))
            give("tutorial", 3);
        if (title_.starts_with("how to ") ||
            has_any(title_,
                    {"guide to", " guide", "handbook", "best practices", "everything you need"}))
            give("guide", 3);
        if (has_any(title_, {"api reference", "reference", "documentation", "specification",
                             "manual page"}))
            give("reference", 3);
        if (has_any(title_, {"case study", "customer story", "success story"}))
            give("case_study", 4);
        if (has_any(title_, {"webinar", "conference", "meetup", "summit", "workshop"}))
            give("event", 2);
        if (has_any(title_,
                    {"about us", "privacy policy", "terms of", "contact", "faq", "impressum"}))
            give("info", 3);
        if (has_any(title_, {"pricing", "features"})) give("product_page", 2);
        if (has_any(title_, {" for teams", " for enterprise", " solutions", "solution for"}))
            give("solution_page", 2);
    }

    void by_shape() {
        const double words = static_cast<double>(std::max<std::size_t>(outline_.words, 1));
        if (has_steps(outline_)) {
            give("tutorial", outline_.code_blocks > 1 ? 2.5 : 0.8);
            give("guide", outline_.code_blocks > 1 ? 1 : 2);
        }
        if (outline_.code_blocks >= 2 && !has_steps(outline_)) give("reference", 1);
        if (outline_.table_rows >= 8) give("reference", 1);
        if (static_cast<double>(outline_.code_lines) * 8 > words && outline_.code_blocks >= 2)
            give("reference", 0.7);
        if (is_narrative(outline_)) give("blog", 1.5);
        if (!document_.date.empty()) give("blog", 1);
        if (!document_.author.empty()) give("blog", 0.7);
        if (outline_.words > 0 && outline_.words < 250 && outline_.links > 8) give("homepage", 1);
        if (outline_.words < 400 && outline_.headings.size() >= 3 &&
            outline_.paragraphs.size() <= 2 * outline_.headings.size())
            give("landing_page", 0.6);
    }

    void by_words() {
        const auto score = [&](std::string_view type, const Cues& cues) {
            for (const auto& [words, points] : cues)
                if (text_.find(words) != std::string::npos ||
                    headings_.find(words) != std::string::npos)
                    give(type, points);
        };
        score("tutorial", {{"in this tutorial", 3},
                           {"prerequisites", 1.2},
                           {"you will learn", 1},
                           {"let's build", 1.2},
                           {"step 1", 1}});
        score("guide", {{"in this guide", 3},
                        {"this guide", 1.5},
                        {"tips", 0.4},
                        {"what you'll need", 1},
                        {"things you'll need", 1.5}});
        score("reference", {{"parameters", 0.8},
                            {"return value", 1.2},
                            {"returns", 0.3},
                            {"synopsis", 1},
                            {"syntax", 0.5},
                            {"deprecated", 0.5},
                            {"request body", 1},
                            {"response body", 0.8},
                            {"http/1.1", 0.6}});
        score("product_page", {{"add to cart", 2},
                               {"buy now", 1.2},
                               {"free trial", 1},
                               {"per month", 1},
                               {"pricing", 0.8},
                               {"in stock", 1.5},
                               {"all features", 0.8}});
        score("solution_page", {{"use case", 0.6},
                                {"for your business", 1},
                                {"for enterprises", 0.8},
                                {"helps teams", 1}});
        score("case_study", {{"the challenge", 1.2},
                             {"the solution", 0.8},
                             {"the results", 1},
                             {"our customer", 0.8}});
        score("event", {{"register now", 1.5},
                        {"save your seat", 2},
                        {"speakers", 1},
                        {"agenda", 1},
                        {"venue", 1},
                        {"join us", 0.6}});
        score("info", {{"all rights reserved", 0.4},
                       {"privacy policy", 0.5},
                       {"frequently asked", 1.5},
                       {"contact us", 0.5},
                       {"our mission", 1},
                       {"founded in", 0.6}});
        score("landing_page", {{"get started for free", 1.5},
                               {"request a demo", 1.5},
                               {"trusted by", 1.2},
                               {"sign up free", 1.2},
                               {"no credit card", 1.5},
                               {"book a demo", 1.5}});
        score("blog", {{"he said", 0.6},
                       {"she said", 0.6},
                       {"told", 0.4},
                       {"posted by", 0.8},
                       {"i think", 0.4}});
    }

    const Document& document_;
    const Outline& outline_;
    std::string title_;
    std::string headings_{};
    std::string text_{};
    std::map<std::string, double> points_{};
};

// A verb that an instruction begins with.
bool starts_with_order(const std::string& item) {
    const auto words = split_words(item.substr(0, 60));
    if (words.empty()) return false;
    static const std::vector<std::string_view> kVerbs = {
        "add",    "apply",   "boil",      "build",   "check",  "choose",   "clean",   "click",
        "close",  "combine", "configure", "connect", "copy",   "create",   "cut",     "define",
        "delete", "deploy",  "download",  "drag",    "edit",   "enable",   "enter",   "fill",
        "find",   "follow",  "get",       "go",      "heat",   "import",   "install", "launch",
        "let",    "log",     "make",      "mix",     "move",   "navigate", "open",    "paste",
        "place",  "pour",    "press",     "pull",    "push",   "put",      "read",    "remove",
        "rename", "repeat",  "replace",   "restart", "run",    "save",     "scroll",  "select",
        "set",    "sign",    "start",     "stir",    "stop",   "submit",   "switch",  "take",
        "tap",    "test",    "turn",      "type",    "update", "upload",   "use",     "verify",
        "visit",  "wait",    "wash",      "write"};
    return std::find(kVerbs.begin(), kVerbs.end(), lower_ascii(words[0])) != kVerbs.end();
}

}  // namespace

bool has_steps(const Outline& outline) {
    const auto orders =
        std::count_if(outline.numbered.begin(), outline.numbered.end(), starts_with_order);
    if (orders >= 2 && static_cast<std::size_t>(orders) * 3 >= outline.numbered.size()) return true;
    std::size_t steps = 0;
    for (const auto& heading : outline.headings) {
        const std::string low = lower_ascii(heading);
        if (low.starts_with("step ") || low.starts_with("steg ") || low.starts_with("schritt "))
            ++steps;
        else if (!low.empty() && low[0] >= '1' && low[0] <= '9' &&
                 starts_with_order(heading.substr(std::min(heading.find(' '), heading.size()))))
            ++steps;
    }
    return steps >= 2;
}

bool is_narrative(const Outline& outline) {
    std::size_t long_ones = 0, quotes_or_past = 0;
    for (const auto& paragraph : outline.paragraphs) {
        const auto words = split_words(paragraph);
        if (words.size() < 22) continue;
        ++long_ones;
        std::size_t past = 0;
        for (const auto& word : words) {
            const std::string low = lower_ascii(word);
            past += low == "was" || low == "were" || low == "had" || low == "said" ||
                    low == "did" || low == "went" || low == "i" || low == "we" || low == "he" ||
                    low == "she" || low == "they" || (low.size() > 4 && low.ends_with("ed"));
        }
        if (past * 25 >= words.size()) ++quotes_or_past;
    }
    const bool mostly_prose =
        outline.numbered.size() + outline.bullets + outline.table_rows < 2 * long_ones + 4;
    return long_ones >= 4 && quotes_or_past * 2 >= long_ones && mostly_prose;
}

TypeGuess guess_type(const Document& document, const Outline& outline) {
    return Judge{document, outline}.run();
}

}  // namespace belay::ai::metadata

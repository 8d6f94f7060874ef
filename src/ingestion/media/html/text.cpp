#include "ingestion/media/html/text.hpp"

#include <algorithm>
#include <set>

#include "core/base/utf8.hpp"

namespace belay::media::html {
namespace {

bool is_invisible_character(char32_t c) {
    return c == 0xA0 || c == 0x200B || c == 0x200C || c == 0x200D || c == 0xFEFF || c == 0xAD ||
           c == 0x2060 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x3000 || c == 0x85;
}

bool is_wide_script(char32_t c) {
    return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7AF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF00 && c <= 0xFFEF) ||
           (c >= 0x20000 && c <= 0x3FFFF);
}

bool is_word_character(char32_t c) {
    if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_invisible_character(c) || c < 0xC0) return c == 0xAA || c == 0xB5 || c == 0xBA;
    if (c == 0xD7 || c == 0xF7) return false;
    // General punctuation, arrows, symbols, CJK punctuation, full-width punctuation.
    if (c >= 0x2010 && c <= 0x2BFF) return false;
    if (c >= 0x3001 && c <= 0x303F) return false;
    if (c >= 0xFF00 && c <= 0xFF0F) return false;
    return c < 0xFFF0 || c > 0xFFFF;
}

char32_t lower_code_point(char32_t c) {
    if (c >= 'A' && c <= 'Z') return c + 32;
    if (c >= 0xC0 && c <= 0xDE && c != 0xD7) return c + 32;
    if (c >= 0x100 && c <= 0x17F) {
        const bool odd_is_lower = c < 0x138 || (c >= 0x14A && c < 0x178);
        if (odd_is_lower) return c % 2 == 0 ? c + 1 : c;
        if (c == 0x178) return 0xFF;
        return c % 2 == 1 && c != 0x149 && c != 0x17F && c != 0x138 ? c + 1 : c;
    }
    if (c >= 0x391 && c <= 0x3A9) return c + 32;
    if (c >= 0x410 && c <= 0x42F) return c + 32;
    if (c >= 0x400 && c <= 0x40F) return c + 80;
    return c;
}

// Calls `text_found` for every text and `gap` wherever a block begins or ends.
template <class Text, class Gap>
void visit_text(const Node& root, const Text& text_found, const Gap& gap) {
    const auto enter = [&](const auto& self, const Node& node) -> void {
        if (node.is_text()) return text_found(node.text);
        if (&node != &root && is_invisible(node.tag)) return;
        const bool breaks = is_block(node.tag) || node.tag == Tag::Br;
        if (breaks) gap();
        for (const Node* child = node.first; child != nullptr; child = child->next)
            self(self, *child);
        if (breaks) gap();
    };
    enter(enter, root);
}

}  // namespace

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

bool is_blank(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = next_code_point(text, at);
        if (!(c < 0x80 && is_space(static_cast<char>(c))) && !is_invisible_character(c))
            return false;
    }
    return true;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::string collapse(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    bool gap = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t before = at;
        const char32_t c = next_code_point(text, at);
        if (c == 0x200B || c == 0xFEFF || c == 0xAD || c == 0x2060) continue;
        if ((c < 0x80 && is_space(static_cast<char>(c))) || c == 0xA0 || c == 0x202F ||
            c == 0x2009) {
            gap = true;
            continue;
        }
        if (gap && !out.empty()) out += ' ';
        gap = false;
        out.append(text.substr(before, at - before));
    }
    return out;
}

std::string lower_ascii(std::string_view text) {
    std::string out{text};
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return out;
}

std::string lower(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();)
        append_code_point(out, lower_code_point(next_code_point(text, at)));
    return out;
}

std::string plain_words(std::string_view text) {
    std::string out;
    bool gap = false;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = next_code_point(text, at);
        if (!is_word_character(c)) {
            gap = true;
            continue;
        }
        if (gap && !out.empty()) out += ' ';
        gap = false;
        append_code_point(out, lower_code_point(c));
    }
    return out;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view ascii_prefix) {
    return text.size() >= ascii_prefix.size() &&
           lower_ascii(text.substr(0, ascii_prefix.size())) == lower_ascii(ascii_prefix);
}

bool contains_any(std::string_view text, std::span<const std::string_view> needles) {
    return std::any_of(needles.begin(), needles.end(), [&](std::string_view needle) {
        return text.find(needle) != std::string_view::npos;
    });
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < text.size();) {
        while (at < text.size() && is_space(text[at])) ++at;
        const std::size_t begin = at;
        while (at < text.size() && !is_space(text[at])) ++at;
        if (at > begin) words.push_back(text.substr(begin, at - begin));
    }
    return words;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos) return parts;
        begin = end + 1;
    }
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
    std::string out;
    for (std::size_t at = 0;;) {
        const std::size_t found = text.find(from, at);
        out.append(text.substr(at, found - at));
        if (found == std::string_view::npos) return out;
        out.append(to);
        at = found + from.size();
    }
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return ++at, lead;
    const std::size_t length = base::utf8_sequence(text.substr(at));
    char32_t c = 0xFFFD;
    if (length == 2) c = char32_t(lead & 0x1F) << 6 | (byte(1) & 0x3F);
    if (length == 3)
        c = char32_t(lead & 0x0F) << 12 | char32_t(byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (length == 4)
        c = char32_t(lead & 0x07) << 18 | char32_t(byte(1) & 0x3F) << 12 |
            char32_t(byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    at += std::max<std::size_t>(length, 1);
    return c;
}

void append_code_point(std::string& out, char32_t c) {
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = 0xFFFD;
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | c >> 6);
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | c >> 12);
        out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | c >> 18);
        out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
        out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (c & 0x3F));
    }
}

namespace {

struct Length {
    std::size_t total = 0;
    bool gap = false;

    void add(std::string_view text) {
        for (std::size_t at = 0; at < text.size();) {
            const char32_t c = next_code_point(text, at);
            if ((c < 0x80 && is_space(static_cast<char>(c))) || is_invisible_character(c)) {
                gap = true;
                continue;
            }
            if (gap && total > 0) ++total;
            gap = false;
            total += is_wide_script(c) ? 2 : 1;
        }
    }
};

}  // namespace

std::size_t reading_length(std::string_view text) {
    Length length;
    length.add(text);
    return length.total;
}

std::size_t count_commas(std::string_view text) {
    std::size_t commas = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = next_code_point(text, at);
        commas += c == ',' || c == 0x60C || c == 0x3001 || c == 0xFF0C || c == 0xFE50 ||
                  c == 0x2E41 || c == 0x3002;
    }
    return commas;
}

std::string raw_text(const Node& node) {
    std::string out;
    visit_text(
        node, [&](std::string_view text) { out.append(text); }, [] {});
    return out;
}

std::string inner_text(const Node& node) {
    std::string out;
    visit_text(
        node, [&](std::string_view text) { out.append(text); }, [&] { out += ' '; });
    return collapse(out);
}

std::size_t text_length(const Node& node) {
    Length length;
    visit_text(
        node, [&](std::string_view text) { length.add(text); }, [&] { length.gap = true; });
    return length.total;
}

double word_similarity(std::string_view a, std::string_view b) {
    const std::string a_words = plain_words(a), b_words = plain_words(b);
    const auto set_of = [](std::string_view text) {
        const auto words = words_of(text);
        return std::set<std::string_view>(words.begin(), words.end());
    };
    const auto a_set = set_of(a_words), b_set = set_of(b_words);
    if (a_set.empty() || b_set.empty()) return 0;
    std::size_t shared = 0;
    for (const auto word : a_set) shared += b_set.count(word);
    return 2.0 * static_cast<double>(shared) / static_cast<double>(a_set.size() + b_set.size());
}

}  // namespace belay::media::html

#include "ingestion/ai/metadata/outline.hpp"

#include <algorithm>
#include <utility>

namespace belay::ai::metadata {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

bool is_fence(std::string_view line) { return line.starts_with("```") || line.starts_with("~~~"); }

std::size_t number_mark(std::string_view line) {
    std::size_t digits = 0;
    while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') ++digits;
    if (digits == 0 || digits > 3 || digits + 1 >= line.size() ||
        (line[digits] != '.' && line[digits] != ')') || line[digits + 1] != ' ')
        return 0;
    return digits + 2;
}

}  // namespace

std::string without_markup(std::string_view line) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '\\' && i + 1 < line.size()) {
            out += line[++i];
        } else if (c == '!' && i + 1 < line.size() && line[i + 1] == '[') {
            const auto close = line.find(')', i);
            if (close == std::string_view::npos) break;
            i = close;
        } else if (c == ']' && i + 1 < line.size() && line[i + 1] == '(') {
            const auto close = line.find(')', i);
            if (close == std::string_view::npos) break;
            i = close;
        } else if (c != '*' && c != '`' && c != '[' && c != ']' && c != '~') {
            out += c;
        }
    }
    return std::string{trim(out)};
}

std::string lower_ascii(std::string_view text) {
    std::string out{text};
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return out;
}

std::vector<std::string> split_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    const auto finish = [&] {
        while (!word.empty() && (word.back() == '\'' || word.back() == '-' || word.back() == '.'))
            word.pop_back();
        if (!word.empty()) words.push_back(std::exchange(word, {}));
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const auto byte = static_cast<unsigned char>(c);
        if (byte == 0xE2 && i + 2 < text.size()) {  // dashes, quotes, bullets
            if (text.substr(i, 3) == "\xE2\x80\x99" && !word.empty())
                word += '\'';
            else
                finish();
            i += 2;
        } else if (byte == 0xC2 && i + 1 < text.size()) {
            finish();
            ++i;
        } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   byte >= 0x80) {
            word += c;
        } else if ((c == '\'' || c == '-' || c == '.' || c == '+' || c == '#') && !word.empty()) {
            const bool inside =
                i + 1 < text.size() && ((text[i + 1] | 32) >= 'a' && (text[i + 1] | 32) <= 'z');
            if (inside || ((c == '+' || c == '#') && word.size() <= 2))
                word += c;
            else
                finish();
        } else {
            finish();
        }
    }
    finish();
    return words;
}

Outline outline_of(std::string_view markdown) {
    Outline found;
    std::string paragraph;
    bool in_code = false;
    const auto finish = [&] {
        if (!paragraph.empty()) {
            found.words += split_words(paragraph).size();
            found.paragraphs.push_back(std::exchange(paragraph, {}));
        }
    };
    while (!markdown.empty()) {
        const auto end = std::min(markdown.find('\n'), markdown.size());
        const std::string_view line = trim(markdown.substr(0, end));
        markdown.remove_prefix(std::min(end + 1, markdown.size()));
        if (is_fence(line)) {
            finish();
            if (!in_code) ++found.code_blocks;
            in_code = !in_code;
            continue;
        }
        if (in_code) {
            ++found.code_lines;
            continue;
        }
        for (auto at = line.find("]("); at != std::string_view::npos; at = line.find("](", at + 2))
            ++found.links;
        if (line.empty()) {
            finish();
        } else if (line[0] == '#') {
            finish();
            const auto text = line.find_first_not_of('#');
            if (text != std::string_view::npos)
                found.headings.push_back(without_markup(line.substr(text)));
        } else if (const std::size_t mark = number_mark(line); mark > 0) {
            finish();
            found.numbered.push_back(without_markup(line.substr(mark)));
            found.words += split_words(found.numbered.back()).size();
        } else if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")) {
            finish();
            ++found.bullets;
            found.words += split_words(without_markup(line.substr(2))).size();
        } else if (line[0] == '|') {
            finish();
            ++found.table_rows;
        } else {
            if (!paragraph.empty()) paragraph += ' ';
            paragraph += without_markup(line[0] == '>' ? line.substr(1) : line);
        }
    }
    finish();
    return found;
}

}  // namespace belay::ai::metadata

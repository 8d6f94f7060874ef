#include "ingestion/ai/embed/words.hpp"

#include <algorithm>
#include <utility>

namespace belay::ai::embed {
namespace {

constexpr std::size_t kWordBytesMax = 60;  // longer ones are hashes, addresses and data

bool is_ascii_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_word_byte(char c) {
    return is_ascii_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

// Punctuation of three bytes that is no letter: dashes, quotes, ellipses, bullets (U+2010 to U+2BFF), the ideographic full stop and comma.
std::size_t wide_mark_at(std::string_view text, std::size_t at) {
    if (at + 2 >= text.size()) return 0;
    const auto a = static_cast<unsigned char>(text[at]),
               b = static_cast<unsigned char>(text[at + 1]);
    if (a == 0xE2 && b >= 0x80 && b <= 0xAF) return 3;
    if (a == 0xE3 && b == 0x80) return 3;
    if (a == 0xEF && (b == 0xBC || b == 0xBD)) return 3;
    return 0;
}

std::size_t two_byte_mark_at(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size() || static_cast<unsigned char>(text[at]) != 0xC2) return 0;
    return 2;  // U+0080 to U+00BF: no-break space, quotes, signs
}

char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Latin letters with accents, Greek and Cyrillic: upper case is one bit or one step away.
void lower_utf8(std::string& word) {
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
        const auto a = static_cast<unsigned char>(word[i]),
                   b = static_cast<unsigned char>(word[i + 1]);
        if (a == 0xC3 && b >= 0x80 && b <= 0x9E && b != 0x97)
            word[i + 1] = static_cast<char>(b + 0x20);
        else if (a == 0xD0 && b >= 0x90 && b <= 0x9F)
            word[i + 1] = static_cast<char>(b + 0x20);
        else if (a == 0xD0 && b >= 0xA0 && b <= 0xAF)
            word[i] = static_cast<char>(0xD1), word[i + 1] = static_cast<char>(b - 0x20);
    }
}

void finish(std::string word, std::vector<std::string>& words) {
    while (!word.empty() && (word.back() == '\'' || word.back() == '-')) word.pop_back();
    if (word.size() > 2 && word.ends_with("'s")) word.resize(word.size() - 2);
    if (word.empty() || word.size() > kWordBytesMax) return;
    lower_utf8(word);
    words.push_back(std::move(word));
}

// The target of a Markdown link: its words are not the text's.
std::size_t link_target_end(std::string_view text, std::size_t at) {
    const auto close = text.find(')', at);
    return close == std::string_view::npos || close - at > 3000 ? at : close + 1;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) finish(std::exchange(word, {}), words);
    };
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (text.substr(at).starts_with("](")) {
            end_word();
            at = std::max(at + 2, link_target_end(text, at));
        } else if (text.substr(at).starts_with("http://") ||
                   text.substr(at).starts_with("https://")) {
            end_word();
            while (at < text.size() && text[at] != ' ' && text[at] != '\n' && text[at] != ')') ++at;
        } else if (text.substr(at).starts_with("\xE2\x80\x99")) {  // ’
            if (!word.empty()) word += '\'';
            at += 3;
        } else if (const std::size_t mark = wide_mark_at(text, at) + two_byte_mark_at(text, at);
                   mark > 0) {
            end_word();
            at += mark;
        } else if (is_word_byte(c)) {
            word += lower_ascii(c);
            ++at;
        } else {
            const bool joins = (c == '\'' || c == '-') && !word.empty() && at + 1 < text.size() &&
                               is_word_byte(text[at + 1]);
            if (joins)
                word += c;
            else
                end_word();
            ++at;
        }
    }
    end_word();
    return words;
}

}  // namespace belay::ai::embed

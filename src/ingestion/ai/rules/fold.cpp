// fold.cpp — a small table of Latin letters; the rest of Unicode is of no use to a label.
#include "ingestion/ai/rules/fold.hpp"

#include <algorithm>
#include <array>

#include "core/base/utf8.hpp"

namespace belay::ai::rules {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// U+00C0 to U+017F by blocks of their base letter, as Unicode orders them.
constexpr std::string_view kLatin1 =
    "aaaaaa\1ceeeeiiiidnooooo*ouuuuyt\2aaaaaa\1ceeeeiiiidnooooo/ouuuuyty";
constexpr std::string_view kLatinA =
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii\3\3jjkkkllllllllllnnnnnnnnnoooooo\4\4rrrrrr"
    "ssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

void append_letter(std::string& out, char base) {
    switch (base) {
        case '\1':
            out += "ae";
            break;
        case '\2':
            out += "ss";
            break;
        case '\3':
            out += "ij";
            break;
        case '\4':
            out += "oe";
            break;
        default:
            out += base;
    }
}

char32_t decode(std::string_view sequence) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
    switch (sequence.size()) {
        case 1:
            return byte(0);
        case 2:
            return (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
        case 3:
            return (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
        default:
            return 0xFFFD;
    }
}

void append_folded(std::string& out, char32_t c) {
    if (c >= 'A' && c <= 'Z') {
        out += static_cast<char>(c - 'A' + 'a');
    } else if (c < 0x80) {
        out += c == '\t' || c == '\n' || c == '\r' ? ' ' : static_cast<char>(c);
    } else if (c >= 0xC0 && c < 0x100) {
        append_letter(out, kLatin1[c - 0xC0]);
    } else if (c >= 0x100 && c < 0x100 + kLatinA.size()) {
        append_letter(out, kLatinA[c - 0x100]);
    } else if (c == 0xA0 || (c >= 0x2000 && c <= 0x200B) || c == 0x202F || c == 0x205F) {
        out += ' ';
    } else if ((c >= 0x2010 && c <= 0x2015) || c == 0x2212 || c == 0xAD) {
        out += '-';
    } else if (c == 0x2018 || c == 0x2019 || c == 0xB4 || c == 0x2032) {
        out += '\'';
    } else if (c >= 0x201C && c <= 0x201E) {
        out += '"';
    } else if (c == 0xB0 || c == 0xBA) {
        out += 'o';  // N° and nº
    } else if (c >= 0xFB00 && c <= 0xFB02) {
        out += c == 0xFB00 ? "ff" : c == 0xFB01 ? "fi" : "fl";
    } else {
        out += '?';
    }
}

}  // namespace

std::string fold(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto length = base::utf8_sequence(text);
        append_folded(out, length == 0 ? 0xFFFD : decode(text.substr(0, length)));
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

std::string fold_alnum(std::string_view text) {
    auto out = fold(text);
    std::erase_if(out, [](char c) { return !is_digit(c) && !is_lower(c); });
    return out;
}

std::vector<std::string> fold_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : fold(text) + ' ') {
        if (is_digit(c) || is_lower(c)) {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    }
    return words;
}

bool nearly_equal(std::string_view a, std::string_view b) {
    if (a == b) return true;
    if (a.size() > b.size()) std::swap(a, b);
    const auto allowed = b.size() / 6;
    if (allowed == 0 || a.size() < 5 || b.size() - a.size() > allowed || b.size() > 64)
        return false;
    std::array<std::size_t, 65> row{};
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        auto diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()] <= allowed;
}

std::string_view trim(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    for (bool more = true; more && !text.empty();) {
        more = true;
        if (is_space(text.front()))
            text.remove_prefix(1);
        else if (text.starts_with("\xC2\xA0"))
            text.remove_prefix(2);
        else if (is_space(text.back()))
            text.remove_suffix(1);
        else if (text.ends_with("\xC2\xA0"))
            text.remove_suffix(2);
        else
            more = false;
    }
    return text;
}

std::size_t char_count(std::string_view text) {
    std::size_t count = 0;
    for (; !text.empty(); ++count) {
        text.remove_prefix(std::max<std::size_t>(base::utf8_sequence(text), 1));
    }
    return count;
}

bool has_digit(std::string_view text) { return std::any_of(text.begin(), text.end(), is_digit); }

bool has_letter(std::string_view text) {
    const auto folded = fold(text);
    return std::any_of(folded.begin(), folded.end(), is_lower);
}

std::size_t digit_count(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_digit));
}

int small_int(std::string_view text, int otherwise) {
    if (text.empty() || text.size() > 9 || !std::all_of(text.begin(), text.end(), is_digit)) {
        return otherwise;
    }
    int value = 0;
    for (const char c : text) value = value * 10 + (c - '0');
    return value;
}

}  // namespace belay::ai::rules

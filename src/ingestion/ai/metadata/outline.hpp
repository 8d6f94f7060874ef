// outline.hpp — a Markdown text taken apart into what the rules look at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belay::ai::metadata {

struct Outline {
    std::vector<std::string> headings{};    // without marks
    std::vector<std::string> paragraphs{};  // prose, without markup
    std::vector<std::string> numbered{};    // items of ordered lists
    std::size_t code_blocks = 0;
    std::size_t code_lines = 0;
    std::size_t bullets = 0;
    std::size_t table_rows = 0;
    std::size_t links = 0;
    std::size_t words = 0;
};

Outline outline_of(std::string_view markdown);

// Without emphasis, code ticks, pictures and link targets.
std::string without_markup(std::string_view line);

std::string lower_ascii(std::string_view text);
std::vector<std::string> split_words(std::string_view text);  // letters and digits of any script

}  // namespace belay::ai::metadata

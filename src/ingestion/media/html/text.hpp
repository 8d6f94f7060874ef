// text.hpp — characters, words and the text below a node.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

bool is_space(char c);                 // the ASCII ones
bool is_blank(std::string_view text);  // only white space, no-break spaces and invisible characters

std::string_view trim(std::string_view text);
// Runs of white space (no-break spaces too) become one space; none at the ends.
std::string collapse(std::string_view text);
// ASCII only: names of classes, attributes and formats.
std::string lower_ascii(std::string_view text);
// Also Latin, Greek and Cyrillic letters: for comparing what people wrote.
std::string lower(std::string_view text);
// Letters and digits only, lower case, one space between words: two spellings of a title are equal.
std::string plain_words(std::string_view text);

bool starts_with_ignoring_case(std::string_view text, std::string_view ascii_prefix);
bool contains_any(std::string_view text, std::span<const std::string_view> needles);
// Separated by white space.
std::vector<std::string_view> words_of(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

// Reads one code point and advances `at`; U+FFFD for a bad byte.
char32_t next_code_point(std::string_view text, std::size_t& at);
void append_code_point(std::string& out, char32_t c);

// How much there is to read: letters, with those of scripts that write a word in one or two
// characters counted twice; runs of white space count once.
std::size_t reading_length(std::string_view text);
// Commas of any script: the mark of prose.
std::size_t count_commas(std::string_view text);

// All text below `node` as it stands, without what is_invisible.
std::string raw_text(const Node& node);
// The same collapsed; block elements and line breaks separate words.
std::string inner_text(const Node& node);
std::size_t text_length(const Node& node);  // reading_length(inner_text(node)), faster

// 0 to 1: how alike two texts are by the words they share, in either direction.
double word_similarity(std::string_view a, std::string_view b);

}  // namespace belay::media::html

// attributes.hpp — a page's source without the attributes that nobody reads.
//
// The parser compares each attribute of a tag with all that the tag has, and those of every further <html> and <body>
// with the first one's: 500,000 of them take it minutes. Real tags have a few dozen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belay::media::html {

inline constexpr std::size_t kAttributesMax = 256;

// The same page, its tags with their first kAttributesMax attributes; all <html> and <body> tags share as many. One pass.
std::string with_few_attributes(std::string_view html);

}  // namespace belay::media::html

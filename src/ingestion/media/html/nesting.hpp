// nesting.hpp — how deeply a page's source nests, without parsing it.
//
// The parser looks through its open elements for every tag: a hundred thousand <div> that nobody closes
// take it half a minute. Counted here in one pass, such a page is refused in a millisecond.
#pragma once

#include <cstddef>
#include <string_view>

namespace belay::media::html {

// An upper estimate: elements whose end tag may be left out (p, li, td, …) are not counted.
std::size_t nesting_of(std::string_view html);

}  // namespace belay::media::html

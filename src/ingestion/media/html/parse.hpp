// parse.hpp — HTML bytes to a Document, within limits.
//
// The parser (gumbo) is C code over hostile input: it runs inside belay-media. It takes its memory from
// an arena that is dropped as a whole, so neither a page of a million open tags nor its destruction
// can exhaust the stack, and a page that would take more than its share of memory is refused.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "ingestion/media/html/dom.hpp"

namespace belay::media::html {

struct ParseLimits {
    // Larger pages are data dumps; the largest article in any test set is below 3 MB.
    std::size_t bytes_max = 16 * 1024 * 1024;
    // Real pages have up to 20,000 nodes; a whole book on one page about 200,000.
    std::size_t nodes_max = 500'000;
    // Real pages stay below 100; some with forgotten end tags reach a few thousand.
    std::size_t nesting_max = 10'000;
    // What the parser may allocate: about 300 bytes a node, and its buffers are never reused. With the page's copies
    // and its tree below isolate::kJobMemoryBytes.
    std::size_t memory_max = 320 * 1024 * 1024;
};

// A page that is over a limit, or that has nothing in it; the message says which limit.
class PageRefused : public std::runtime_error {
public:
    explicit PageRefused(const std::string& message) : std::runtime_error(message) {}
};

// Parses UTF-8 text. Never fails for bad HTML, only for limits: throws PageRefused.
Document parse(std::string_view utf8, const ParseLimits& limits = {});

}  // namespace belay::media::html

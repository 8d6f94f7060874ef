// content_type.hpp — what a file is: by its first bytes, where they say nothing by what its sender said, then by its name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belay::ingest {

// How many of a file's first bytes content_type_of looks at: a PDF may begin with so much that is not its own.
inline constexpr std::size_t kSniffBytes = 1024;

// A media type without parameters, in lower case; never empty ("application/octet-stream" if nothing is known). What
// the bytes themselves say wins: clients guess by file name, and people rename files. So a text that is called a picture
// or a PDF is text/plain; bytes that could be anything are what they are called.
std::string content_type_of(std::string_view first_bytes, std::string_view said,
                            std::string_view file_name);

}  // namespace belay::ingest

// content_type.hpp — what a file is: by its first bytes, then by what its sender said, then by its name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belay::ingest {

// How many of a file's first bytes content_type_of looks at.
inline constexpr std::size_t kSniffBytes = 16;

// A media type without parameters, in lower case; never empty ("application/octet-stream" if nothing is known). What
// the bytes themselves say wins: clients guess by file name, and people rename files.
std::string content_type_of(std::string_view first_bytes, std::string_view said,
                            std::string_view file_name);

}  // namespace belay::ingest

// gunzip.hpp — what a .gz file holds, with a limit.
#pragma once

#include <cstddef>
#include <string>

namespace belay::cli {

// `name` is for messages. Throws Error{BadValue} for damaged data, Error{PayloadTooLarge} above `bytes_max`.
std::string gunzip(const std::string& name, const std::string& packed, std::size_t bytes_max);

}  // namespace belay::cli

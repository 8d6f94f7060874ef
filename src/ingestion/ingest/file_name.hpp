// file_name.hpp — what a file may be called, and what its object is called then.
#pragma once

#include <string>

namespace belay::ingest {

// At most 255 bytes of UTF-8 without control characters, as file systems have them.
bool is_file_name(const std::string& name);

// The name as the file's key has it: itself, or cut behind a hash of it where parts of keys are shorter than names. Throws
// Error{InvalidArgument} for what no file may be called.
std::string name_in_key(const std::string& name);

}  // namespace belay::ingest

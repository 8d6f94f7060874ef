// tables.hpp — the rows of ingestion: files, image uploads, and the newest that is known of every object.
//
// Names and columns are those of the specification (000: Upload; 002: unified_files). Times are milliseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belay::ingest {

inline constexpr std::string_view kOwner = "ingest";

// For Engine::migrate(kOwner, migrations()). Frozen once released: add one, never change one.
std::vector<std::string> migrations();

}  // namespace belay::ingest

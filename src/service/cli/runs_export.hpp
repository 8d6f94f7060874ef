// runs_export.hpp — the history of a run out of any store, and into a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/env/files.hpp"
#include "core/model/history_json.hpp"
#include "core/store/store.hpp"

namespace belay::cli {

// Everything recorded of the run that `id` names (see find_run), as of one moment. Throws Error{NotFound},
// and Error{Overloaded} if it changes faster than it can be read.
model::History history_of(store::Store& store, const std::string& id);

// The file has all of `text` or is as it was; on the disk when it returns. Throws env::FileError.
void write_whole(env::Files& files, const std::filesystem::path& path, std::string_view text);

}  // namespace belay::cli

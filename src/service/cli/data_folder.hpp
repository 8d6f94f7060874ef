// data_folder.hpp — the folder of a server or a backup: documents of people, so nobody else on the machine may look in.
#pragma once

#include <filesystem>

#include "service/cli/place.hpp"

namespace belay::cli {

// Makes the folder, and those above it, for their owner alone; one that exists stays as it is. Throws
// Error{StoreUnavailable} naming the folder.
void make_private_folder(const std::filesystem::path& folder);

// The same for where the database of a place goes, if that is a folder of Belay's.
void make_data_folder(const Place& place);

}  // namespace belay::cli

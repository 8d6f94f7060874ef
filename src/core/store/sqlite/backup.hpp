// backup.hpp — a copy of a database as it stands at one moment, while others go on writing to it.
#pragma once

#include <filesystem>
#include <string>

namespace belay::store::sqlite {

// Copies `from` to the new file `to`: one read transaction, so the copy is a state that was committed. Durable when it
// returns. Throws Error{StoreUnavailable} naming the file that cannot be read or written.
void copy_database(const std::filesystem::path& from, const std::filesystem::path& to);

// What SQLite finds wrong with the file; empty: nothing. Reads all of it.
std::string damage_in(const std::filesystem::path& file);

}  // namespace belay::store::sqlite

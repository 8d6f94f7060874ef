// backup.hpp — `belay backup` and `belay restore`: all of a data directory, while a server works on it or not.
//
// The database is copied as it stands at one moment, then the files. An object is durable before the row that names it,
// so every row of the copy finds its bytes, unless they were deleted while the backup ran: that is counted and told.
// A backup is whole or not there: it gets its name when all of it is on the disk, and the file that makes it one last
// of all. What a killed `backup` leaves is refused by `restore` and taken away by the next one under that name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "service/cli/command.hpp"

namespace belay::cli {

struct BackupReport {
    std::string made_at{};
    std::uint64_t database_bytes = 0;
    std::uint64_t files = 0;  // beside the database
    std::uint64_t file_bytes = 0;
    std::int64_t runs = 0;
    std::vector<std::string> missing{};  // objects that were deleted meanwhile
    std::string objects_elsewhere{};     // where objects are that are no part of it; empty: none
};

// Throws Error{InvalidArgument} if `to` is there already, {StoreUnavailable} for what cannot be read or written.
BackupReport make_backup(const Place& place, const std::filesystem::path& to,
                         const env::Clock& clock, const FindMissing& find_missing = {});

// Throws Error{InvalidArgument} if `from` is no backup or there is a store at `place`, {StoreUnavailable} naming what
// is damaged.
BackupReport restore_backup(const std::filesystem::path& from, const Place& place);

}  // namespace belay::cli

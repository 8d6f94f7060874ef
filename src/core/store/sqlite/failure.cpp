#include "core/store/sqlite/failure.hpp"

#include <system_error>

#include <fmt/format.h>
#include <sqlite3.h>

namespace belay::store::sqlite {

namespace {

std::string folder_of(const std::filesystem::path& file) {
    return std::filesystem::absolute(file).parent_path().string();
}

std::string detail(const SqliteError& error) {
    if (error.system_error() == 0) return error.what();
    return fmt::format("{}: {}", error.what(),
                       std::generic_category().message(error.system_error()));
}

std::string what_to_do(const std::filesystem::path& file, const SqliteError& error) {
    const std::string name = file.string();
    switch (error.code()) {
        case SQLITE_FULL:
            return fmt::format(
                "the disk is full: free space in {} and the runs go on by themselves "
                "({}, {})",
                folder_of(file), name, error.what());
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return fmt::format(
                "{} cannot be written: make it and its folder writable for this user ({})", name,
                detail(error));
        case SQLITE_CANTOPEN:
            return fmt::format(
                "{} cannot be opened: check that {} exists and that this user may use it "
                "({})",
                name, folder_of(file), detail(error));
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return fmt::format(
                "{} is being written by another process that does not let go: end what "
                "holds a transaction open on it ({})",
                name, detail(error));
        case SQLITE_CORRUPT:
            return fmt::format("{} is damaged: restore it from a backup ({})", name, detail(error));
        case SQLITE_NOTADB:
            return fmt::format("{} is not a SQLite database: give another file name ({})", name,
                               detail(error));
        case SQLITE_IOERR:
            return fmt::format("reading or writing {} failed: check the disk ({})", name,
                               detail(error));
        case SQLITE_INTERRUPT:
            return fmt::format(
                "the read was ended: it took long while much was written, and kept the "
                "write-ahead log of {} from being begun anew. Ask for less at a time",
                name);
        case SQLITE_NOMEM:
            return fmt::format("out of memory while using {}", name);
        default:
            return fmt::format("{}: {}", name, detail(error));
    }
}

}  // namespace

Error unavailable(const std::filesystem::path& file, const SqliteError& error) {
    return Error(ErrorCode::StoreUnavailable, what_to_do(file, error));
}

Error commit_failed(const std::filesystem::path& file, const SqliteError& error) {
    // A full disk is noticed before the commit mark is written; after any other I/O error the mark may
    // or may not be there.
    if (error.code() != SQLITE_IOERR) return unavailable(file, error);
    return Error(ErrorCode::CommitUnknown, fmt::format("{} may or may not have been committed: {}",
                                                       file.string(), what_to_do(file, error)));
}

}  // namespace belay::store::sqlite

// failure.hpp — what SQLite refused, told to people: which file, what happened, what to do.
#pragma once

#include <filesystem>

#include <belay/error.hpp>

#include "core/store/sqlite/connection.hpp"

namespace belay::store::sqlite {

// Error{StoreUnavailable}: nothing was written.
Error unavailable(const std::filesystem::path& file, const SqliteError& error);

// For a COMMIT that failed: Error{CommitUnknown} if it may have reached the disk all the same.
Error commit_failed(const std::filesystem::path& file, const SqliteError& error);

// Runs `attempt`, whose SqliteError becomes what `unavailable` says.
template <class F>
auto explained(const std::filesystem::path& file, F&& attempt) {
    try {
        return attempt();
    } catch (const SqliteError& error) {
        throw unavailable(file, error);
    }
}

}  // namespace belay::store::sqlite

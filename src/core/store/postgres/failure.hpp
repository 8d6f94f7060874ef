// failure.hpp — what PostgreSQL refused, told to people: which database, what happened, what to do.
#pragma once

#include <string>

#include <belay/error.hpp>

#include "core/store/postgres/connection.hpp"

namespace belay::store::postgres {

// Whether it is the world that failed (no connection, a full disk, a server that shuts down) and not the SQL.
bool is_of_store(const PgError& error);

// Error{StoreUnavailable}: nothing was written. `name` is the store's.
Error unavailable(const std::string& name, const PgError& error);

// For a COMMIT that failed: Error{CommitUnknown} if it may have happened all the same.
Error commit_failed(const std::string& name, const PgError& error);

// Runs `attempt`, whose PgError becomes what `unavailable` says.
template <class F>
auto explained(const std::string& name, F&& attempt) {
    try {
        return attempt();
    } catch (const PgError& error) {
        throw unavailable(name, error);
    }
}

}  // namespace belay::store::postgres

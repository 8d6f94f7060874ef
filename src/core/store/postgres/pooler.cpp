#include "core/store/postgres/pooler.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::store::postgres {

namespace {

// A pool that many use may hand out another process by chance, or the same; not so many times one after the other.
constexpr int kLooks = 10;

std::int64_t backend_of(Connection& connection) {
    return connection.run("SELECT pg_backend_pid()").integer(0, 0);
}

// While `other` has a transaction open: in a pool of transactions it then has the process that `first` had a moment ago,
// or keeps `first` from getting that again.
bool is_shared(Connection& first, Connection& other) {
    const std::int64_t before = backend_of(first);
    try {
        other.run("BEGIN");
    } catch (const PgError&) {
        return true;  // not even transactions: a pool of statements ends who begins one
    }
    const bool has_it = backend_of(other) == before;
    const bool moved = !has_it && backend_of(first) != before;
    other.run("COMMIT");
    return has_it || moved;
}

}  // namespace

void refuse_shared_sessions(Connection& first, const ConnectOptions& options,
                            const std::string& name) {
    // What the server itself says of its process is true; a pooler cannot know it when it is connected to.
    if (backend_of(first) == first.told_backend()) return;
    bool shared = false;
    Connection other{options};
    for (int i = 0; i < kLooks && !shared; ++i) shared = is_shared(first, other);
    if (!shared) return;
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format(
            "{} is behind a pooler that gives every transaction to another session "
            "(PgBouncer with pool_mode = transaction or statement). Belay needs sessions of "
            "its own, for LISTEN, advisory locks, prepared statements and settings: connect "
            "to PostgreSQL itself, or give this database pool_mode = session",
            name));
}

}  // namespace belay::store::postgres

// open.hpp — a store in a PostgreSQL database, for any number of workers.
//
// `postgres://user@host/db?schema=belay` and everything else that libpq takes (several hosts, TLS, passwords
// from ~/.pgpass). `schema` is ours: the tables live in it, and it is made if need be. Opening to execute brings
// the schema up to date under an advisory lock, so that ten workers may start at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <belay/time.hpp>

#include "core/base/limits.hpp"
#include "core/store/store.hpp"

namespace belay::store::postgres {

// How long a worker that says nothing is believed alive; it beats at a third. With the time to notice it, the
// runs of a dead worker are picked up within 5 seconds.
inline constexpr Duration kLeaseFor{4000};

struct OpenOptions {
    // Write, and take part in the execution. Otherwise the schema must exist, and commit, reopen and migrate may
    // not be called.
    bool execute = true;

    std::string schema{};  // if the address names none; empty: "belay"
    std::string application = "belay";

    // How long the body of a transaction may hold up everyone else's commits.
    Duration transaction_time_max = base::kTransactionTimeMax;

    // A server that does not answer for this long is taken for lost.
    Duration reply_time_max = std::chrono::seconds{30};

    Duration lease_for = kLeaseFor;

    // A batch of so many verbs, if nothing has to be read for it, is written in two halves over two connections, on which
    // the server works at once. For fewer the second commit costs more than that gains.
    std::size_t share_from = 100;

    // Kept up to date with how far the database's clock is ahead of this machine's monotonic one, in
    // milliseconds (database_clock.hpp); may be null.
    std::shared_ptr<std::atomic<std::int64_t>> clock_offset{};
};

bool is_address(std::string_view store);  // "postgres://…", "postgresql://…"

// Throws Error{SchemaTooNew} naming both schemas, Error{InvalidArgument} for an address that is none, and
// Error{StoreUnavailable} with what to do: nobody there, not allowed, read-only, no such schema.
std::unique_ptr<Store> open(const std::string& address, const OpenOptions& options);

}  // namespace belay::store::postgres

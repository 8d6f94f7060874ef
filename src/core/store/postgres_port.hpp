// postgres_port.hpp — where the library finds the PostgreSQL store, if the program was linked with it.
//
// Most programs have SQLite inside and should not load libpq, and with it LDAP, Kerberos and TLS. So the library
// knows that store by a weak name only: linking belay::postgres brings the strong one (its link option asks for it),
// and without it an address is refused with a sentence that says what to link.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "core/env/clock.hpp"
#include "core/store/store.hpp"

namespace belay::store {

// How far the database's clock is ahead of this machine's monotonic one, in milliseconds. Shared by the store that
// keeps it up to date and the clock that reads it, whichever ends first.
using ClockOffset = std::shared_ptr<std::atomic<std::int64_t>>;

struct PostgresPort {
    std::unique_ptr<Store> (*open)(const std::string& address, bool execute,
                                   const std::string& application, ClockOffset offset);
    std::shared_ptr<env::Clock> (*clock)(ClockOffset offset);
};

extern "C" [[gnu::weak]] const PostgresPort* belay_postgres_port();

// Null in a program that was linked without it.
inline const PostgresPort* linked_postgres() {
    return belay_postgres_port != nullptr ? belay_postgres_port() : nullptr;
}

}  // namespace belay::store

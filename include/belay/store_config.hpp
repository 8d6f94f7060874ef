// store_config.hpp — where runs are kept, or where they are asked for.
#pragma once

#include <string>
#include <utility>

namespace belay {

// Where runs are kept.
struct StoreConfig {
    enum class Kind { Sqlite, Memory, Postgres, Server };
    Kind kind = Kind::Sqlite;
    std::string path{};  // of the file, or the address
};

// A SQLite file; made if it does not exist. One process executes on it at a time; others may look.
inline StoreConfig sqlite(std::string path) { return {StoreConfig::Kind::Sqlite, std::move(path)}; }

// A PostgreSQL database, for any number of workers on any number of machines:
// "postgres://user@host/db?schema=belay", with everything else that libpq takes. The tables live in the schema
// (default `belay`), which is made if it is not there. All workers run on the database's clock.
inline StoreConfig postgres(std::string address) {
    return {StoreConfig::Kind::Postgres, std::move(address)};
}

// The store that an address or a file name means: postgres://… is PostgreSQL, http://… a server (for a Client,
// client.hpp), anything else a SQLite file.
inline StoreConfig store_at(std::string address) {
    if (address.starts_with("postgres://") || address.starts_with("postgresql://")) {
        return postgres(std::move(address));
    }
    if (address.starts_with("http://") || address.starts_with("https://"))
        return {StoreConfig::Kind::Server, std::move(address)};
    return sqlite(std::move(address));
}

// Nothing survives the process: for tests and for trying things out.
inline StoreConfig memory() { return {StoreConfig::Kind::Memory, {}}; }

}  // namespace belay

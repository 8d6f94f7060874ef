// schema.hpp — finding, making and upgrading the tables.
//
// Migrations are forward-only, and run under an advisory lock of the schema: any number of workers may start at
// once. A schema that is up to date is only looked at, so a worker's role need not be allowed to make tables.
#pragma once

#include <string>

#include <belay/time.hpp>

#include "core/store/postgres/connection.hpp"
#include "core/store/store.hpp"

namespace belay::store::postgres {

// Makes or upgrades the schema; throws Error{SchemaTooNew}.
void bring_up_to_date(Connection& connection, const std::string& name);

// For one who only reads: the schema must be there and up to date.
void check_up_to_date(Connection& connection, const std::string& name);

// Applies the owner's scripts that have not been applied, each in a transaction of its own.
void apply_migrations(Connection& connection, const std::string& name,
                      const Migrations& migrations);

}  // namespace belay::store::postgres

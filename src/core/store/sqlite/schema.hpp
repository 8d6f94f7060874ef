// schema.hpp — finding, making and upgrading the database file.
//
// Nothing is written to a file before it is known to be Belay's, or empty. Migrations are forward-only;
// a file of a newer Belay is refused.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include <belay/time.hpp>

#include "core/store/sqlite/connection.hpp"
#include "core/store/store.hpp"

namespace belay::store {
class SqlBody;
}

namespace belay::store::sqlite {

// Looks at the file without writing: throws if it is something that Belay must not write into, or of a
// newer Belay. A file that is not there or empty is fine.
void check_is_ours(const std::filesystem::path& file);

// The executor's connection: durable settings, schema up to date. Creates the file if need be.
std::unique_ptr<Connection> open_for_writing(const std::filesystem::path& file,
                                             Duration busy_time_max, Time now);

// For reading, and for asking if the file can be written. The file must exist, with this schema.
std::unique_ptr<Connection> open_for_reading(const std::filesystem::path& file,
                                             Duration busy_time_max);

// Applies the owner's scripts that have not been applied, each in a transaction of its own.
void apply_migrations(Connection& connection, SqlBody& body, const std::filesystem::path& file,
                      const Migrations& migrations, Time now);

}  // namespace belay::store::sqlite

#include "core/store/postgres/schema.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/store/postgres/dialect.hpp"
#include "core/store/postgres/failure.hpp"
#include "core/store/postgres/sql.hpp"

namespace belay::store::postgres {

namespace {

constexpr std::string_view kOwner = "belay";

constexpr const char* kMigrationsTable = R"sql(
    CREATE TABLE schema_migrations (
        owner text NOT NULL,
        number bigint NOT NULL,
        name text NOT NULL,
        applied_at bigint NOT NULL,
        PRIMARY KEY (owner, number)
    )
)sql";

int newest_known() { return sql::migrations.empty() ? 0 : sql::migrations.back().number; }

// Read from the catalog's rows: to_regclass would answer from this connection's cache, which does not know yet what
// another worker has committed while this transaction waited for its turn.
bool has_tables(Connection& connection) {
    Parameters parameters;
    parameters.add(connection.schema());
    return connection
               .run(
                   "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                   "WHERE n.nspname = $1 AND c.relname = 'schema_migrations'",
                   parameters)
               .rows() > 0;
}

int applied_by(Connection& connection, std::string_view owner) {
    Parameters parameters;
    parameters.add(owner);
    return static_cast<int>(
        connection
            .run("SELECT coalesce(max(number), 0) FROM schema_migrations WHERE owner = $1",
                 parameters)
            .integer(0, 0));
}

void refuse_newer(const std::string& name, std::string_view owner, int found, int known) {
    if (found <= known) return;
    throw Error(
        ErrorCode::SchemaTooNew,
        fmt::format(
            "{} has schema {} of {}, and this program knows schema {}: run the newer program that "
            "wrote it",
            name, found, owner, known));
}

// 0 if there is nothing yet.
int schema_of(Connection& connection, const std::string& name) {
    if (!has_tables(connection)) return 0;
    const int found = applied_by(connection, kOwner);
    refuse_newer(name, kOwner, found, newest_known());
    return found;
}

// One transaction at a time in this schema makes or changes tables.
class Migrating {
public:
    explicit Migrating(Connection& connection) : connection_(connection) {
        connection_.run("BEGIN");
        Parameters parameters;
        parameters.add(fmt::format("belay migrations of {}", connection.schema()));
        connection_.run("SELECT set_config('lock_timeout', '0', true)");
        connection_.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", parameters);
    }
    ~Migrating() {
        if (done_ || connection_.lost()) return;
        try {
            connection_.run("ROLLBACK");
        } catch (const PgError&) {
            // The server rolls back what its client left.
        }
    }
    Migrating(const Migrating&) = delete;
    Migrating& operator=(const Migrating&) = delete;

    void commit() {
        connection_.run("COMMIT");
        done_ = true;
    }

private:
    Connection& connection_;
    bool done_ = false;
};

void note_applied(Connection& connection, std::string_view owner, int number,
                  std::string_view name) {
    Parameters parameters;
    parameters.add(owner);
    parameters.add(std::int64_t{number});
    parameters.add(name);
    connection.run(
        "INSERT INTO schema_migrations VALUES ($1, $2, $3, "
        "(extract(epoch FROM clock_timestamp()) * 1000)::bigint)",
        parameters);
}

void make_schema(Connection& connection) {
    Parameters parameters;
    parameters.add(connection.schema());
    if (connection.run("SELECT 1 FROM pg_namespace WHERE nspname = $1", parameters).rows() > 0)
        return;
    connection.run(fmt::format("CREATE SCHEMA \"{}\"", connection.schema()));
}

// What PostgreSQL said to a program's script, or that the store failed.
[[noreturn]] void fail_migration(const std::string& name, const PgError& error, int number,
                                 const std::string& owner) {
    if (is_of_store(error)) throw unavailable(name, error);
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("migration {} of {}: {}", number, owner, error.what()));
}

void run_migration(Connection& connection, const std::string& script, int number,
                   const std::string& owner) {
    for (const Translated& statement : translate_script(script)) {
        if (!statement.refused.empty()) {
            throw Error(ErrorCode::TransactionRefused,
                        fmt::format("migration {} of {}: {}", number, owner, statement.refused));
        }
        connection.run(statement.sql);
    }
}

}  // namespace

void bring_up_to_date(Connection& connection, const std::string& name) {
    explained(name, [&] {
        if (schema_of(connection, name) == newest_known()) return;
        Migrating migrating{connection};
        // Another worker may have done it while we waited.
        const int found = schema_of(connection, name);
        if (found == 0) {
            make_schema(connection);
            connection.run(kMigrationsTable);
        }
        for (const sql::Migration& migration : sql::migrations) {
            if (migration.number <= found) continue;
            connection.run_script(std::string(migration.text));
            note_applied(connection, kOwner, migration.number, migration.name);
        }
        migrating.commit();
    });
}

void check_up_to_date(Connection& connection, const std::string& name) {
    explained(name, [&] {
        const int found = schema_of(connection, name);
        if (found == newest_known()) return;
        throw Error(
            ErrorCode::StoreUnavailable,
            found == 0
                ? fmt::format(
                      "there are no tables of Belay in schema \"{}\" of {}: start a program that "
                      "executes on it once",
                      connection.schema(), name)
                : fmt::format(
                      "{} has schema {}, and this program reads schema {}: start it once to "
                      "execute, which upgrades the tables",
                      name, found, newest_known()));
    });
}

void apply_migrations(Connection& connection, const std::string& name,
                      const Migrations& migrations) {
    if (migrations.owner.empty() || migrations.owner == kOwner) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("'{}' cannot own migrations: give the name of your program or room",
                                migrations.owner));
    }
    const int known = static_cast<int>(migrations.scripts.size());
    int number = 0;
    try {
        const int found = applied_by(connection, migrations.owner);
        refuse_newer(name, migrations.owner, found, known);
        for (number = found + 1; number <= known; ++number) {
            Migrating migrating{connection};
            if (applied_by(connection, migrations.owner) >= number)
                continue;  // by another worker, meanwhile
            run_migration(connection, migrations.scripts[static_cast<std::size_t>(number - 1)],
                          number, migrations.owner);
            note_applied(connection, migrations.owner, number, "");
            migrating.commit();
        }
    } catch (const PgError& error) {
        fail_migration(name, error, number, migrations.owner);
    }
}

}  // namespace belay::store::postgres

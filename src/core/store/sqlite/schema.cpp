#include "core/store/sqlite/schema.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>
#include <sqlite3.h>

#include <belay/error.hpp>

#include "core/store/sql/body.hpp"
#include "core/store/sqlite/failure.hpp"
#include "core/store/sqlite/sql.hpp"

namespace belay::store::sqlite {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOwner = "belay";

// "Bely": how a file says whose it is, also to file(1).
constexpr std::int64_t kApplicationId = 0x42656c79;

// The settings of a connection that writes, in WAL mode. FULL: a commit is on the disk when it returns
// (P2). A checkpoint every 4,000 pages (16 MiB): with 1,000 rows a commit the throughput is the same
// from 1,000 to 32,000 pages, and the longest commit grows from 20 to 200 ms. A WAL that a long reader
// made larger is cut back to 64 MiB. Debian builds SQLite with secure_delete, which writes zeros over
// every removed index entry; FAST only does so where it costs no write.
constexpr std::string_view kWriterSettings = R"sql(
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -65536;
    PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = FAST;
    PRAGMA foreign_keys = ON;
)sql";

// There may be eight of these; the kernel caches the file once for all.
constexpr std::string_view kReaderSettings = R"sql(
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA cache_size = -4096;
    PRAGMA temp_store = MEMORY;
    PRAGMA foreign_keys = ON;
)sql";

constexpr std::string_view kMigrationsTable = R"sql(
    CREATE TABLE schema_migrations (
        owner TEXT NOT NULL,
        number INTEGER NOT NULL,
        name TEXT NOT NULL,
        applied_at INTEGER NOT NULL,
        PRIMARY KEY (owner, number)
    ) STRICT, WITHOUT ROWID
)sql";

// SQLite only says so when it could not: on a file system without shared memory, say.
void use_wal(Connection& connection, const fs::path& file) {
    const auto mode = connection.text("PRAGMA journal_mode = WAL").value_or("none");
    if (mode == "wal") return;
    throw Error(ErrorCode::StoreUnavailable,
                fmt::format("{} cannot be used in WAL mode, only in '{}': put it on a local disk",
                            file.string(), mode));
}

// A new file's name must survive a power cut as well as what is in it.
void sync_folder_of(const fs::path& file) {
    const fs::path folder = fs::absolute(file).parent_path();
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = fd >= 0 && ::fsync(fd) == 0;
    const int error = errno;
    if (fd >= 0) ::close(fd);
    if (!synced) {
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("the folder {} cannot be made durable: {}", folder.string(),
                                std::generic_category().message(error)));
    }
}

int newest_known() { return sql::migrations.empty() ? 0 : sql::migrations.back().number; }

int applied_by(Connection& connection, std::string_view owner) {
    Statement newest{connection,
                     "SELECT coalesce(max(number), 0) FROM schema_migrations WHERE owner = ?1"};
    Rows rows{newest, owner};
    return rows.next() ? static_cast<int>(rows->integer(0)) : 0;
}

void refuse_newer(const fs::path& file, std::string_view owner, int found, int known) {
    if (found <= known) return;
    throw Error(
        ErrorCode::SchemaTooNew,
        fmt::format("{} has schema {} of {}, and this program knows schema {}: run the newer "
                    "program that wrote it",
                    file.string(), found, owner, known));
}

// The schema number of a file of ours, 0 for an empty one.
int schema_of(Connection& connection, const fs::path& file) {
    const auto application = connection.integer("PRAGMA application_id").value_or(0);
    if (application == kApplicationId) {
        const int found = applied_by(connection, kOwner);
        refuse_newer(file, kOwner, found, newest_known());
        return found;
    }
    const auto table = connection.text("SELECT name FROM sqlite_master LIMIT 1");
    if (application != 0 || table) {
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("{} is a SQLite database but not one of Belay's (it has {}): give "
                                "another file name; nothing was written to it",
                                file.string(), table ? "'" + *table + "'" : "another owner"));
    }
    return 0;
}

void note_applied(Connection& connection, std::string_view owner, int number, std::string_view name,
                  Time now) {
    Statement{connection, "INSERT INTO schema_migrations VALUES (?1, ?2, ?3, ?4)"}.run(
        owner, std::int64_t{number}, name, now);
}

// One transaction for all: a file is either empty or has a whole schema.
void bring_up_to_date(Connection& connection, const fs::path& file, Time now) {
    connection.run("BEGIN IMMEDIATE");
    const int found = schema_of(connection, file);
    if (found == 0) {
        connection.run(fmt::format("PRAGMA application_id = {}", kApplicationId));
        connection.run(kMigrationsTable);
    }
    for (const sql::Migration& migration : sql::migrations) {
        if (migration.number <= found) continue;
        connection.run(migration.text);
        note_applied(connection, kOwner, migration.number, migration.name, now);
    }
    connection.run("COMMIT");
}

bool is_there(const fs::path& file) {
    std::error_code error;
    return fs::exists(file, error) && fs::file_size(file, error) > 0;
}

std::unique_ptr<Connection> open_existing(const fs::path& file, OpenMode mode,
                                          Duration busy_time_max) {
    auto connection = std::make_unique<Connection>(file, mode, busy_time_max);
    connection->run(kReaderSettings);
    connection->integer("SELECT count(*) FROM sqlite_master");  // opens the WAL, if it can
    return connection;
}

}  // namespace

void check_is_ours(const fs::path& file) {
    if (!is_there(file)) return;
    try {
        Connection connection{file, OpenMode::Read, Duration{1000}};
        schema_of(connection, file);
    } catch (const SqliteError& error) {
        // Nothing is written here, so this means that a journal has to be rolled back first: the power went while the
        // file was made. Whoever opens it to write does that, and looks again.
        if (error.code() == SQLITE_READONLY) return;
        throw unavailable(file, error);
    }
}

std::unique_ptr<Connection> open_for_writing(const fs::path& file, Duration busy_time_max,
                                             Time now) {
    return explained(file, [&] {
        const bool is_new = !is_there(file);
        auto connection = std::make_unique<Connection>(file, OpenMode::Create, busy_time_max);
        if (connection->read_only()) {
            throw SqliteError(SQLITE_READONLY, EACCES, "attempt to write a readonly database");
        }
        use_wal(*connection, file);
        connection->run(kWriterSettings);
        bring_up_to_date(*connection, file, now);
        if (is_new) sync_folder_of(file);
        return connection;
    });
}

std::unique_ptr<Connection> open_for_reading(const fs::path& file, Duration busy_time_max) {
    if (!is_there(file)) {
        throw Error(
            ErrorCode::StoreUnavailable,
            fmt::format("there is no database at {}: start a program that executes on it once",
                        file.string()));
    }
    return explained(file, [&] {
        std::unique_ptr<Connection> connection;
        try {
            connection = open_existing(file, OpenMode::Write, busy_time_max);
        } catch (const SqliteError&) {
            // In a folder that is read-only SQLite cannot make its shared memory. Without a WAL there
            // is nothing to share: nobody writes the file, and it is all there.
            if (is_there(file.string() + "-wal")) throw;
            connection = open_existing(file, OpenMode::Immutable, busy_time_max);
        }
        const int found = schema_of(*connection, file);
        if (found < newest_known()) {
            throw Error(
                ErrorCode::StoreUnavailable,
                fmt::format("{} has schema {}, and this program reads schema {}: start it once "
                            "to execute, which upgrades the file",
                            file.string(), found, newest_known()));
        }
        return connection;
    });
}

void apply_migrations(Connection& connection, SqlBody& body, const fs::path& file,
                      const Migrations& migrations, Time now) {
    if (migrations.owner.empty() || migrations.owner == kOwner) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("'{}' cannot own migrations: give the name of your program or room",
                                migrations.owner));
    }
    const int known = static_cast<int>(migrations.scripts.size());
    const int found = applied_by(connection, migrations.owner);
    refuse_newer(file, migrations.owner, found, known);
    for (int number = found + 1; number <= known; ++number) {
        connection.run("BEGIN IMMEDIATE");
        try {
            body.run_script(migrations.scripts[static_cast<std::size_t>(number - 1)]);
            note_applied(connection, migrations.owner, number, "", now);
            connection.run("COMMIT");
        } catch (const Error& error) {
            if (connection.in_transaction()) connection.run("ROLLBACK");
            throw Error(error.code(), fmt::format("migration {} of {}: {}", number,
                                                  migrations.owner, error.what()));
        } catch (...) {
            if (connection.in_transaction()) connection.run("ROLLBACK");
            throw;
        }
    }
}

}  // namespace belay::store::sqlite

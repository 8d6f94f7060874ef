#include "core/store/memory/private_sql.hpp"

#include <sqlite3.h>

#include "core/base/assert.hpp"

namespace belay::store::memory {

namespace {

// Empty: Belay's rows are not here. They stand so that a body that writes them is refused as it is
// on the other stores.
constexpr const char* kOwnTables = R"sql(
    CREATE TABLE workflow_runs (id INTEGER PRIMARY KEY, public_id, workflow_key, status, result);
    CREATE TABLE workflow_stage_runs (id INTEGER PRIMARY KEY, workflow_run_id, path, status, output);
    CREATE TABLE workflow_stage_attempts (id INTEGER PRIMARY KEY, workflow_run_id, path, attempt);
    CREATE TABLE workflow_waiters (workflow_run_id, waiter_id, path);
    CREATE TABLE workflow_messages (id INTEGER PRIMARY KEY, run_id, topic, payload);
    CREATE TABLE control_requests (id INTEGER PRIMARY KEY, kind, run_id, payload);
)sql";

}  // namespace

void PrivateSql::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

PrivateSql::PrivateSql() {
    sqlite3* opened = nullptr;
    const int code =
        sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    connection_.reset(opened);
    BELAY_ASSERT(code == SQLITE_OK, "a database in memory can always be opened");
    run("PRAGMA foreign_keys = ON");
    run(kOwnTables);
    body_ = std::make_unique<SqlBody>(opened);
    body_->over_limit = [this] { return --polls_left_ < 0; };
}

PrivateSql::~PrivateSql() = default;

void PrivateSql::begin() {
    if (body_->transaction_lost()) run("BEGIN");
}

void PrivateSql::commit() {
    if (!body_->transaction_lost()) run("COMMIT");
}

void PrivateSql::roll_back() {
    if (!body_->transaction_lost()) run("ROLLBACK");
}

void PrivateSql::savepoint() { run("SAVEPOINT body"); }

void PrivateSql::release() { run("RELEASE body"); }

void PrivateSql::roll_back_to_savepoint() { run("ROLLBACK TO body; RELEASE body"); }

void PrivateSql::run(const char* sql) {
    const int code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
    BELAY_ASSERT(code == SQLITE_OK, "{}: {}", sql, sqlite3_errmsg(connection_.get()));
}

}  // namespace belay::store::memory

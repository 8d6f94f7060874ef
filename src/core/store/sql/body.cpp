#include "core/store/sql/body.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

namespace belay::store {

namespace {

// Statements of bodies that are kept prepared. A program has a few dozen; one that builds its SQL
// from values must not fill the memory.
constexpr std::size_t kPreparedMax = 128;

// About a tenth of a millisecond of SQLite's time between two looks at the limit.
constexpr int kInstructionsBetweenPolls = 4096;

constexpr std::array<std::string_view, 22> kOwnTables{
    "workflow_runs",       "workflow_stage_runs",  "workflow_stage_attempts", "workflow_waiters",
    "workflow_messages",   "control_requests",     "schema_migrations",       "workflow_workers",
    "workflow_queues",     "workflow_queue_lanes", "workflow_queue_starts",   "workflow_schedules",
    "workflow_step_cache", "workflow_tombstones",  "workflow_ledger",         "workflow_runs_gone",
    "run_deaths",          "workflow_labels",      "workflow_exposed",        "workflow_budgets",
    "workflow_spending",   "workflow_reservations"};
constexpr std::string_view kOwnPrefix = "belay_";

std::string lower(std::string_view text) {
    std::string out{text};
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

bool is_blank_or_comment(std::string_view sql) {
    while (!sql.empty()) {
        if (std::isspace(static_cast<unsigned char>(sql.front())) || sql.front() == ';') {
            sql.remove_prefix(1);
        } else if (sql.starts_with("--")) {
            sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
        } else if (sql.starts_with("/*")) {
            const auto end = sql.find("*/", 2);
            sql.remove_prefix(end == std::string_view::npos ? sql.size() : end + 2);
        } else {
            return false;
        }
    }
    return true;
}

int bind(sqlite3_stmt* statement, int index, const SqlValue& value) {
    struct Binder {
        sqlite3_stmt* statement;
        int index;
        int operator()(std::monostate) const { return sqlite3_bind_null(statement, index); }
        int operator()(std::int64_t v) const { return sqlite3_bind_int64(statement, index, v); }
        int operator()(double v) const { return sqlite3_bind_double(statement, index, v); }
        int operator()(const std::string& v) const {
            return sqlite3_bind_text64(statement, index, v.data(), v.size(), SQLITE_STATIC,
                                       SQLITE_UTF8);
        }
        int operator()(const Bytes& v) const {
            // A null pointer would bind NULL; empty bytes are a value.
            const void* data = v.data.empty() ? static_cast<const void*>("") : v.data.data();
            return sqlite3_bind_blob64(statement, index, data, v.data.size(), SQLITE_STATIC);
        }
    };
    return std::visit(Binder{statement, index}, value);
}

SqlValue column(sqlite3_stmt* statement, int index) {
    switch (sqlite3_column_type(statement, index)) {
        case SQLITE_INTEGER:
            return std::int64_t{sqlite3_column_int64(statement, index)};
        case SQLITE_FLOAT:
            return sqlite3_column_double(statement, index);
        case SQLITE_TEXT: {
            const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, index));
            const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, index));
            return std::string(text, size);
        }
        case SQLITE_BLOB: {
            const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement, index));
            const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, index));
            return Bytes(std::span(data, size));
        }
        default:
            return std::monostate{};
    }
}

}  // namespace

bool is_own_table(std::string_view table) {
    const std::string name = lower(table);
    return name.starts_with(kOwnPrefix) ||
           std::find(kOwnTables.begin(), kOwnTables.end(), name) != kOwnTables.end();
}

// Puts rules in force for one statement; without it the connection is Belay's own again.
class SqlBody::Applying {
public:
    Applying(SqlBody& body, Rules rules) : body_(body), before_(std::exchange(body.rules_, rules)) {
        body_.refused_.clear();
        body_.interrupted_ = false;
    }
    ~Applying() { body_.rules_ = before_; }

    Applying(const Applying&) = delete;
    Applying& operator=(const Applying&) = delete;

private:
    SqlBody& body_;
    Rules before_;
};

SqlBody::SqlBody(sqlite3* connection) : connection_(connection) {
    sqlite3_set_authorizer(connection_, authorize, this);
    sqlite3_progress_handler(connection_, kInstructionsBetweenPolls, poll, this);
}

SqlBody::~SqlBody() {
    forget_statements();
    sqlite3_set_authorizer(connection_, nullptr, nullptr);
    sqlite3_progress_handler(connection_, 0, nullptr, nullptr);
}

SqlResult SqlBody::run(std::string_view sql, std::span<const SqlValue> parameters) {
    return run_one(Rules::Body, sql, parameters);
}

SqlResult SqlBody::query(std::string_view sql, std::span<const SqlValue> parameters) {
    return run_one(Rules::Read, sql, parameters);
}

void SqlBody::run_script(std::string_view sql) {
    const Applying rules{*this, Rules::Body};
    while (!is_blank_or_comment(sql)) {
        const Prepared first = prepare_first(sql);
        sql.remove_prefix(first.bytes);
        if (first.statement == nullptr) continue;
        int code = sqlite3_step(first.statement);
        while (code == SQLITE_ROW) code = sqlite3_step(first.statement);
        sqlite3_finalize(first.statement);
        if (code != SQLITE_DONE) fail(code);
    }
}

void SqlBody::check_deferred_keys() {
    int broken = 0;
    int unused = 0;
    sqlite3_db_status(connection_, SQLITE_DBSTATUS_DEFERRED_FKS, &broken, &unused, 0);
    if (broken != 0) throw Error(ErrorCode::InvalidArgument, "FOREIGN KEY constraint failed");
}

bool SqlBody::transaction_lost() const { return sqlite3_get_autocommit(connection_) != 0; }

SqlResult SqlBody::run_one(Rules rules, std::string_view sql,
                           std::span<const SqlValue> parameters) {
    const Applying applying{*this, rules};
    sqlite3_stmt* statement = prepare(sql);
    if (rules == Rules::Read && sqlite3_stmt_readonly(statement) == 0) {
        throw Error(ErrorCode::InvalidArgument, "a query only reads; write inside a transaction");
    }
    const int expected = sqlite3_bind_parameter_count(statement);
    if (static_cast<std::size_t>(expected) != parameters.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("the statement has {} parameters, {} were given: {}", expected,
                                parameters.size(), sql));
    }
    for (int i = 0; i < expected; ++i) {
        const int code = bind(statement, i + 1, parameters[static_cast<std::size_t>(i)]);
        if (code != SQLITE_OK) fail(code);
    }
    return step_through(statement);
}

SqlResult SqlBody::step_through(sqlite3_stmt* statement) {
    struct Reset {
        sqlite3_stmt* statement;
        ~Reset() {
            sqlite3_reset(statement);
            sqlite3_clear_bindings(statement);  // they point into the caller's values
        }
    } const reset{statement};

    SqlResult result;
    const auto before = sqlite3_total_changes64(connection_);
    int code = sqlite3_step(statement);
    // After the first step: a statement prepared anew because the schema changed has other columns.
    const int columns = sqlite3_column_count(statement);
    for (int i = 0; i < columns; ++i)
        result.columns.emplace_back(sqlite3_column_name(statement, i));
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
        auto& row = result.rows.emplace_back();
        row.reserve(static_cast<std::size_t>(columns));
        for (int i = 0; i < columns; ++i) row.push_back(column(statement, i));
    }
    if (code != SQLITE_DONE) fail(code);
    // sqlite3_changes alone still tells of the statement before when this one wrote nothing.
    if (sqlite3_total_changes64(connection_) != before)
        result.changed = sqlite3_changes64(connection_);
    return result;
}

sqlite3_stmt* SqlBody::prepare(std::string_view sql) {
    std::string key{sql};
    key += static_cast<char>(rules_);
    if (const auto found = prepared_.find(key); found != prepared_.end()) return found->second;

    const Prepared first = prepare_first(sql);
    if (first.statement == nullptr || !is_blank_or_comment(sql.substr(first.bytes))) {
        sqlite3_finalize(first.statement);
        throw Error(ErrorCode::InvalidArgument, fmt::format("expected one SQL statement: {}", sql));
    }
    if (prepared_.size() >= kPreparedMax) forget_statements();
    prepared_.emplace(std::move(key), first.statement);
    return first.statement;
}

SqlBody::Prepared SqlBody::prepare_first(std::string_view sql) {
    if (sql.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw Error(ErrorCode::InvalidArgument, "the SQL text is longer than SQLite can take");
    }
    sqlite3_stmt* statement = nullptr;
    const char* rest = sql.data();
    const int code = sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, &rest);
    if (code != SQLITE_OK) fail(code);
    return {statement, static_cast<std::size_t>(rest - sql.data())};
}

void SqlBody::forget_statements() {
    for (const auto& [text, statement] : prepared_) sqlite3_finalize(statement);
    prepared_.clear();
}

void SqlBody::fail(int code) {
    if (!refused_.empty()) throw Error(ErrorCode::TransactionRefused, refused_);
    if (interrupted_) {
        // Worth another attempt: the machine may have been slow.
        throw Error(
            ErrorCode::Overloaded,
            "the transaction body ran longer than its limit; do slow work in a step and only "
            "write in its commit");
    }
    switch (code & 0xff) {
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_NOMEM:
        case SQLITE_CORRUPT:
        case SQLITE_CANTOPEN:
        case SQLITE_BUSY:
            // Not what the SQL says but the world around it: the batch fails, not the body.
            throw Error(ErrorCode::StoreUnavailable, sqlite3_errmsg(connection_));
        case SQLITE_INTERRUPT:
            throw Error(ErrorCode::StoreUnavailable,
                        "the query was ended: it took long while much was written, and kept the "
                        "write-ahead log from being begun anew. Ask for less at a time");
        default:
            throw Error(ErrorCode::InvalidArgument, sqlite3_errmsg(connection_));
    }
}

std::string SqlBody::refusal(int action, const char* first, const char* second) const {
    const std::string_view one = first == nullptr ? "" : first;
    const std::string_view two = second == nullptr ? "" : second;
    switch (action) {
        case SQLITE_TRANSACTION:
            return fmt::format(
                "{} is not for a transaction body: Belay commits it together with its checkpoint",
                one);
        case SQLITE_SAVEPOINT:
            return "a transaction body must not use SAVEPOINT or RELEASE";
        case SQLITE_PRAGMA:
            // Full-text tables ask for it on the body's behalf; it reads, and changes nothing.
            if (one == "data_version") return "";
            return fmt::format("a transaction body must not use PRAGMA {}", one);
        case SQLITE_ATTACH:
            return "a transaction body must not use ATTACH (or VACUUM)";
        case SQLITE_DETACH:
            return "a transaction body must not use DETACH";
        case SQLITE_FUNCTION:
            return two == "load_extension" ? "load_extension is refused" : "";
        // A temporary table could take the place of one of Belay's own.
        case SQLITE_CREATE_TEMP_INDEX:
        case SQLITE_CREATE_TEMP_TABLE:
        case SQLITE_CREATE_TEMP_TRIGGER:
        case SQLITE_CREATE_TEMP_VIEW:
            return "a transaction body must not make temporary tables";
        case SQLITE_INSERT:
        case SQLITE_UPDATE:
        case SQLITE_DELETE:
        case SQLITE_CREATE_TABLE:
        case SQLITE_CREATE_VIEW:
        case SQLITE_CREATE_VTABLE:
        case SQLITE_DROP_TABLE:
        case SQLITE_DROP_VIEW:
        case SQLITE_DROP_VTABLE:
            return is_own_table(one) ? fmt::format("the table {} is Belay's own", one) : "";
        case SQLITE_ALTER_TABLE:
        case SQLITE_CREATE_INDEX:
        case SQLITE_CREATE_TRIGGER:
        case SQLITE_DROP_INDEX:
        case SQLITE_DROP_TRIGGER:
            return is_own_table(two) ? fmt::format("the table {} is Belay's own", two) : "";
        default:
            return "";
    }
}

int SqlBody::authorize(void* self, int action, const char* first, const char* second,
                       const char* /*database*/, const char* /*trigger*/) {
    auto& body = *static_cast<SqlBody*>(self);
    if (body.rules_ == Rules::None) return SQLITE_OK;
    std::string why = body.refusal(action, first, second);
    if (why.empty()) return SQLITE_OK;
    body.refused_ = std::move(why);
    return SQLITE_DENY;
}

int SqlBody::poll(void* self) {
    auto& body = *static_cast<SqlBody*>(self);
    if (body.rules_ != Rules::Body || !body.over_limit) return 0;
    body.interrupted_ = body.over_limit();
    return body.interrupted_ ? 1 : 0;
}

}  // namespace belay::store

#include "core/store/sqlite/connection.hpp"

#include <utility>

#include <sqlite3.h>

#include "core/base/assert.hpp"

namespace belay::store::sqlite {

namespace {

// A path as a `file:` URI; only these characters have a meaning of their own in one.
std::string uri_of(const std::filesystem::path& file, std::string_view query) {
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(file).string()) {
        switch (c) {
            case '%':
                uri += "%25";
                break;
            case '?':
                uri += "%3f";
                break;
            case '#':
                uri += "%23";
                break;
            default:
                uri += c;
        }
    }
    return uri.append(query);
}

int flags_of(OpenMode mode) {
    // No mutex: the writer belongs to one thread at a time, the reader is behind a lock of its own.
    constexpr int kAlways = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE;
    switch (mode) {
        case OpenMode::Create:
            return kAlways | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
        case OpenMode::Write:
            return kAlways | SQLITE_OPEN_READWRITE;
        default:
            return kAlways | SQLITE_OPEN_READONLY;
    }
}

}  // namespace

Connection::Connection(const std::filesystem::path& file, OpenMode mode, Duration busy_time_max) {
    const std::string uri = uri_of(file, mode == OpenMode::Immutable ? "?immutable=1" : "");
    const int code = sqlite3_open_v2(uri.c_str(), &handle_, flags_of(mode), nullptr);
    if (code != SQLITE_OK) {
        const SqliteError error(code, handle_ == nullptr ? 0 : sqlite3_system_errno(handle_),
                                handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_));
        sqlite3_close(handle_);
        throw error;
    }
    sqlite3_busy_timeout(handle_, static_cast<int>(busy_time_max.count()));
}

Connection::~Connection() {
    const int code = sqlite3_close(handle_);
    BELAY_ASSERT(code == SQLITE_OK, "a statement outlived its connection");
}

void Connection::run(std::string_view sql) {
    const int code = sqlite3_exec(handle_, std::string(sql).c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code);
}

std::optional<std::int64_t> Connection::integer(std::string_view sql) {
    Statement statement{*this, sql};
    if (!statement.next() || statement.is_null(0)) return std::nullopt;
    return statement.integer(0);
}

std::optional<std::string> Connection::text(std::string_view sql) {
    Statement statement{*this, sql};
    if (!statement.next() || statement.is_null(0)) return std::nullopt;
    return std::string(statement.text(0));
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

bool Connection::read_only() const { return sqlite3_db_readonly(handle_, "main") == 1; }

std::int64_t Connection::last_row_id() const { return sqlite3_last_insert_rowid(handle_); }

int Connection::changes() const { return sqlite3_changes(handle_); }

std::int64_t Connection::total_changes() const { return sqlite3_total_changes(handle_); }

void Connection::fail(int code) const {
    throw SqliteError(code, sqlite3_system_errno(handle_), sqlite3_errmsg(handle_));
}

std::string_view Connection::to_column(std::string_view value) const {
    if (blobs_ == nullptr || !blobs_->is_large(value)) return value;
    return kept_.emplace_back(blobs_->to_column(std::string(value))).text;
}

std::string Connection::from_column(std::string_view column) const {
    return blobs_ == nullptr ? std::string(column) : blobs_->from_column(std::string(column));
}

Statement::Statement(const Connection& connection, std::string_view sql)
    : connection_(&connection) {
    const int code =
        sqlite3_prepare_v3(connection.handle(), sql.data(), static_cast<int>(sql.size()),
                           SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
    if (code != SQLITE_OK) connection.fail(code);
}

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_), statement_(std::exchange(other.statement_, nullptr)) {}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::bind(int index, std::int64_t value) {
    const int code = sqlite3_bind_int64(statement_, index, value);
    if (code != SQLITE_OK) connection_->fail(code);
}

void Statement::bind(int index, std::string_view text) {
    // A null pointer would bind NULL; an empty text is a value.
    const char* data = text.data() == nullptr ? "" : text.data();
    const int code =
        sqlite3_bind_text64(statement_, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
    if (code != SQLITE_OK) connection_->fail(code);
}

void Statement::bind(int index, std::nullptr_t) {
    const int code = sqlite3_bind_null(statement_, index);
    if (code != SQLITE_OK) connection_->fail(code);
}

int Statement::step_to_end() {
    while (next()) {
    }
    return connection_->changes();
}

bool Statement::next() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) {
        const SqliteError error(code, sqlite3_system_errno(connection_->handle()),
                                sqlite3_errmsg(connection_->handle()));
        reset();
        throw error;
    }
    reset();
    return false;
}

void Statement::reset() noexcept { sqlite3_reset(statement_); }

bool Statement::is_null(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_, column);
}

std::string_view Statement::text(int column) const {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (data == nullptr) return {};
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::optional<Time> Statement::optional_time(int column) const {
    if (is_null(column)) return std::nullopt;
    return time(column);
}

std::optional<std::string> Statement::optional_text(int column) const {
    if (is_null(column)) return std::nullopt;
    return std::string(text(column));
}

}  // namespace belay::store::sqlite

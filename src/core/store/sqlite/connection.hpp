// connection.hpp — one SQLite connection and its prepared statements, owned.
//
// Thin on purpose: a Statement is bound and stepped without copying or allocating, because the writer
// does it hundreds of thousands of times a second. Whatever SQLite refuses is thrown as SqliteError;
// whoever knows what was attempted turns it into a belay::Error (failure.hpp).
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <belay/time.hpp>

#include "core/store/blobs.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace belay::store::sqlite {

class SqliteError : public std::runtime_error {
public:
    SqliteError(int code, int system_error, const std::string& message)
        : std::runtime_error(message), code_(code), system_error_(system_error) {}

    int code() const { return code_ & 0xff; }           // SQLITE_FULL, SQLITE_IOERR, …
    int system_error() const { return system_error_; }  // errno, where there was one

private:
    int code_;
    int system_error_;
};

enum class OpenMode {
    Create,     // read and write, created if it is not there
    Write,      // read and write, or only read if the file is write-protected
    Read,       // read
    Immutable,  // read a file that nobody writes, without the files that SQLite keeps beside it
};

class Connection {
public:
    Connection(const std::filesystem::path& file, OpenMode mode, Duration busy_time_max);
    ~Connection();

    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Runs statements that give no rows worth reading.
    void run(std::string_view sql);

    // The first column of the first row; nothing if there is no row or it is NULL.
    std::optional<std::int64_t> integer(std::string_view sql);
    std::optional<std::string> text(std::string_view sql);

    bool in_transaction() const;
    bool read_only() const;
    std::int64_t last_row_id() const;
    int changes() const;  // rows that the last INSERT, UPDATE or DELETE changed
    std::int64_t total_changes() const;  // since it was opened

    sqlite3* handle() const { return handle_; }
    [[noreturn]] void fail(int code) const;

    // Where large values are; null: in the rows, like all others. Outlives the connection.
    void use_blobs(Blobs* blobs) { blobs_ = blobs; }

    // What stands in the column for a value, good until let_go_of_values(). A large one is durable when this
    // returns, and not collected until then: call that when the commit that names it is done.
    std::string_view to_column(std::string_view value) const;
    void let_go_of_values() const { kept_.clear(); }
    std::string from_column(std::string_view column) const;

private:
    sqlite3* handle_ = nullptr;
    Blobs* blobs_ = nullptr;
    mutable std::deque<Blobs::Column> kept_;
};

// Bound text is borrowed: it must stay where it is until the statement has been stepped.
class Statement {
public:
    Statement(const Connection& connection, std::string_view sql);
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&&) = delete;
    ~Statement();

    void bind(int index, std::int64_t value);
    void bind(int index, std::string_view text);
    void bind(int index, std::nullptr_t);
    void bind(int index, Time time) { bind(index, std::int64_t{time.time_since_epoch().count()}); }
    void bind(int index, bool) = delete;
    template <class T>
    void bind(int index, const std::optional<T>& value) {
        if (value) {
            bind(index, *value);
        } else {
            bind(index, nullptr);
        }
    }
    // Columns that are NULL where the model has an empty string.
    void bind_or_null(int index, std::string_view text) {
        if (text.empty()) {
            bind(index, nullptr);
        } else {
            bind(index, text);
        }
    }

    // A value that goes to a file if it is large.
    void bind_value(int index, std::string_view value) {
        bind(index, connection_->to_column(value));
    }
    void bind_value(int index, const std::optional<std::string>& value) {
        if (value) {
            bind_value(index, std::string_view(*value));
        } else {
            bind(index, nullptr);
        }
    }

    // Binds the arguments from 1 on, steps to the end. Gives how many rows were changed.
    template <class... Args>
    int run(const Args&... args) {
        int index = 0;
        (bind(++index, args), ...);
        return step_to_end();
    }
    int step_to_end();

    // The next row; false, and ready to be bound again, after the last.
    bool next();
    void reset() noexcept;

    bool is_null(int column) const;
    std::int64_t integer(int column) const;
    std::string_view text(int column) const;  // valid until the next step; empty for NULL
    Time time(int column) const { return Time{Duration{integer(column)}}; }
    std::optional<Time> optional_time(int column) const;
    std::optional<std::string> optional_text(int column) const;
    // A value that may be in a file. Throws Error{BadValue} if that is missing or damaged.
    std::string value(int column) const { return connection_->from_column(text(column)); }
    std::optional<std::string> optional_value(int column) const {
        return is_null(column) ? std::nullopt : std::optional(value(column));
    }

private:
    const Connection* connection_;
    sqlite3_stmt* statement_ = nullptr;
};

// The rows of a statement, which is ready to be bound again when this goes, however it goes.
class Rows {
public:
    template <class... Args>
    explicit Rows(Statement& statement, const Args&... args) : statement_(statement) {
        int index = 0;
        (statement_.bind(++index, args), ...);
    }
    ~Rows() { statement_.reset(); }

    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    bool next() { return statement_.next(); }
    const Statement* operator->() const { return &statement_; }
    const Statement& operator*() const { return statement_; }

private:
    Statement& statement_;
};

}  // namespace belay::store::sqlite

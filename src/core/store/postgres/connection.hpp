// connection.hpp — one PostgreSQL connection and its prepared statements, owned.
//
// The connection is always in libpq's pipeline mode: what is sent goes out at once, and several statements
// can share one round trip (Pipeline). A Statement has the shape of the SQLite store's, so that two writers
// can be compared with `diff`. Whatever PostgreSQL refuses is thrown as PgError; whoever knows what was
// attempted turns it into a belay::Error (failure.hpp). Not for two threads at once.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <belay/time.hpp>

struct pg_conn;
struct pg_result;

namespace belay::store::postgres {

class PgError : public std::runtime_error {
public:
    PgError(std::string state, const std::string& message, bool connection_lost)
        : std::runtime_error(message), state_(std::move(state)), connection_lost_(connection_lost) {
    }

    const std::string& state() const { return state_; }  // SQLSTATE; empty if the server said none
    bool connection_lost() const { return connection_lost_; }
    // A deadlock or a serialization failure: the whole transaction is to be done again.
    bool wants_retry() const { return state_ == "40001" || state_ == "40P01" || state_ == "55P03"; }

private:
    std::string state_;
    bool connection_lost_;
};

// The rows that a statement gave, or how many it changed.
class Result {
public:
    Result() = default;
    explicit Result(pg_result* result);

    int rows() const;
    int columns() const;
    std::int64_t changed() const;
    bool is_null(int row, int column) const;
    std::int64_t integer(int row, int column) const;  // also of a boolean: 0 or 1
    std::string_view raw(int row, int column) const;  // as the server sent it
    std::string_view text(int row,
                          int column) const;  // empty for NULL; lives as long as the result
    unsigned type(int column) const;          // the type's OID
    const char* name(int column) const;

private:
    struct Clear {
        void operator()(pg_result* result) const;
    };
    std::shared_ptr<pg_result> result_;
    // Texts that had to be decoded (text.hpp); shared with copies of this.
    std::shared_ptr<std::deque<std::string>> decoded_;
};

// The values of one execution. Texts are encoded (text.hpp) and kept here until it is sent.
class Parameters {
public:
    void add(std::int64_t value);
    void add(std::string_view text);
    void add(const char* text) { add(std::string_view(text)); }
    void add(const std::string& text) { add(std::string_view(text)); }
    void add(std::nullptr_t);
    void add(Time time) { add(std::int64_t{time.time_since_epoch().count()}); }
    void add(bool) = delete;
    template <class T>
    void add(const std::optional<T>& value) {
        if (value) {
            add(*value);
        } else {
            add(nullptr);
        }
    }
    void add_typed(unsigned type, std::string bytes, bool binary);
    void set(int index, std::int64_t value);
    void set(int index, std::string_view text);
    void set(int index, std::nullptr_t);
    void clear();
    int size() const { return static_cast<int>(values_.size()); }

private:
    friend class Connection;
    struct Value {
        std::string bytes{};
        unsigned type = 0;
        bool null = false;
        bool binary = false;
    };
    void put(std::size_t index, Value value);

    std::vector<Value> values_;
};

struct ConnectOptions {
    std::string url;     // as libpq takes it, without our own parameters
    std::string schema;  // search_path
    std::string application;
    Duration reply_time_max{};  // a server that says nothing for this long is lost
    Duration
        idle_in_transaction_max{};  // the server ends a transaction that its frozen client left open
    Duration lock_wait_max{};

    // For whoever only looks rows up by their keys, thousands of times in the life of a prepared statement: a plan that
    // was made while a table was small is kept when it is large, and would then read all of it for every batch.
    bool by_index = false;
};

class Connection {
public:
    explicit Connection(const ConnectOptions& options);
    ~Connection();

    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // One statement, one round trip.
    Result run(std::string_view sql, const Parameters& parameters = {});

    // ---- several in one round trip: send each, then take the results in that order
    void send(std::string_view sql, const Parameters& parameters = {});
    void send_prepared(const std::string& name, std::string_view sql, const Parameters& parameters);
    // How many were sent in the round trip under way.
    std::size_t sent() const { return sent_; }
    // Ends the round trip: the server has all of it, and answers while others are asked. finish() then only waits.
    void sync();
    // Ends the round trip, and waits for the answers. Throws the first PgError; the statements behind it were not run.
    std::vector<Result> finish();

    // Any number of statements, one after the other, outside pipeline mode: migrations.
    void run_script(const std::string& sql);

    bool in_transaction() const;
    bool lost() const;  // or given up: its answers would be taken for those of the next
    int socket() const;
    // The process that is said to serve this session; a pooler in between makes one up.
    int told_backend() const;

    // Notifications that have come; waits for at most `wait` for the first. `wake` is a file descriptor that
    // ends the wait, or -1.
    struct Notification {
        std::string channel;
        std::string payload;
    };
    std::vector<Notification> notifications(Duration wait, int wake);

    const std::string& schema() const { return schema_; }

private:
    void settle_in(const ConnectOptions& options);
    [[noreturn]] void fail_lost();
    [[noreturn]] void give_up(const std::string& why);
    void flush_output();
    void wait_for_input();
    pg_result* next_result();
    void leave_pipeline();
    void enter_pipeline();

    pg_conn* handle_ = nullptr;
    std::string schema_;
    Duration reply_time_max_{};
    std::size_t sent_ = 0;
    bool is_synced_ = false;
    bool is_given_up_ =
        false;  // the server was too slow: what it still sends is an answer to nobody
    std::vector<std::string> prepared_;   // names, as they were prepared
    std::vector<std::string> preparing_;  // in the round trip under way
    std::vector<bool> is_prepare_;        // which results of the round trip are of a PREPARE
};

// Prepared when it is first run.
class Statement {
public:
    Statement(Connection& connection, std::string name, std::string sql);
    // For what is seldom run: not prepared.
    Statement(Connection& connection, std::string_view sql)
        : Statement(connection, "", std::string(sql)) {}

    template <class T>
    void bind(int index, const T& value) {
        if constexpr (std::is_same_v<T, Time>) {
            parameters_.set(index, std::int64_t{value.time_since_epoch().count()});
        } else if constexpr (requires { value.has_value(); }) {
            if (value) {
                bind(index, *value);
            } else {
                parameters_.set(index, nullptr);
            }
        } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
            parameters_.set(index, nullptr);
        } else if constexpr (std::is_integral_v<T>) {
            static_assert(!std::is_same_v<T, bool>, "bind 0 or 1");
            parameters_.set(index, static_cast<std::int64_t>(value));
        } else {
            parameters_.set(index, std::string_view(value));
        }
    }
    void bind_or_null(int index, std::string_view text) {
        if (text.empty()) {
            parameters_.set(index, nullptr);
        } else {
            parameters_.set(index, text);
        }
    }

    template <class... Args>
    int run(const Args&... args) {
        int index = 0;
        (bind(++index, args), ...);
        return step_to_end();
    }
    int step_to_end();

    Result rows();  // runs it with what is bound
    void send();    // the same, as part of a round trip
    void send(const Parameters& parameters);

private:
    Connection* connection_;
    std::string name_;
    std::string sql_;
    Parameters parameters_;
};

// The rows of a statement, read one after the other.
class Rows {
public:
    template <class... Args>
    explicit Rows(Statement& statement, const Args&... args) {
        int index = 0;
        (statement.bind(++index, args), ...);
        result_ = statement.rows();
    }
    explicit Rows(Result result) : result_(std::move(result)) {}
    Rows() = default;  // none

    bool next() { return ++row_ < result_.rows(); }
    int count() const { return result_.rows(); }

    bool is_null(int column) const { return result_.is_null(row_, column); }
    std::int64_t integer(int column) const {
        return is_null(column) ? 0 : result_.integer(row_, column);
    }
    std::string_view text(int column) const { return result_.text(row_, column); }
    Time time(int column) const { return Time{Duration{integer(column)}}; }
    std::optional<Time> optional_time(int column) const {
        return is_null(column) ? std::nullopt : std::optional(time(column));
    }
    std::optional<std::string> optional_text(int column) const {
        return is_null(column) ? std::nullopt : std::optional(std::string(text(column)));
    }
    // Values are in the rows here, however large.
    std::string value(int column) const { return std::string(text(column)); }
    std::optional<std::string> optional_value(int column) const { return optional_text(column); }

    const Rows* operator->() const { return this; }
    const Rows& operator*() const { return *this; }

private:
    Result result_;
    int row_ = -1;
};

// Columns of a batch as arrays, for unnest with others that are as long: one parameter a column.
class IntegerArray {
public:
    void add(std::int64_t value);
    void add(const std::optional<Time>& time);
    void add(Time time) { add(std::int64_t{time.time_since_epoch().count()}); }
    void add_null();
    bool empty() const { return count_ == 0; }
    std::int64_t count() const { return count_; }
    void give(Parameters& parameters) const;

private:
    std::string bytes_;
    std::int32_t count_ = 0;
    std::int32_t nulls_ = 0;
};

class TextArray {
public:
    void add(std::string_view text);
    void add(const std::optional<std::string>& text);
    void add_or_null(std::string_view text);
    void add_null();
    bool empty() const { return count_ == 0; }
    void give(Parameters& parameters) const;

private:
    std::string bytes_;
    std::int32_t count_ = 0;
    std::int32_t nulls_ = 0;
};

}  // namespace belay::store::postgres

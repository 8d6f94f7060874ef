// tx.hpp — SQL in the engine's own database, in the very transaction of a checkpoint.
//
// What a body writes through its Tx and the record that the body ran commit together: exactly once,
// whatever crashes (P4). A body is SQL only and short; it may run twice when its commit has to be
// redone, so it must not do anything else that counts. COMMIT, ROLLBACK, SAVEPOINT, PRAGMA, ATTACH and
// writing Belay's own tables are refused.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <belay/codec.hpp>
#include <belay/feed.hpp>
#include <belay/options.hpp>
#include <belay/sql.hpp>
#include <belay/workflow.hpp>

namespace belay {

namespace detail {

class TxPort {
public:
    virtual ~TxPort() = default;
    virtual SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) = 0;
    virtual std::string submit(std::string_view workflow, std::string input,
                               const SubmitOptions& options) = 0;
    virtual void send(const std::string& run_id, std::string_view topic, std::string payload,
                      const SendOptions& options) = 0;
    virtual const std::string& run_id() const = 0;
    virtual Time now() const = 0;
    // A child of the run whose transaction it is, begun at `path`. Outside a run there is no parent.
    virtual std::string submit_child(std::string_view workflow, std::string input,
                                     const SubmitOptions& options, const std::string&) {
        return submit(workflow, std::move(input), options);
    }
    // Without an engine nobody can be listening.
    virtual void publish(std::string_view, std::string, const PublishOptions&) {}
};

}  // namespace detail

class Tx {
public:
    explicit Tx(detail::TxPort& port) : port_(port) {}
    Tx(const Tx&) = delete;
    Tx& operator=(const Tx&) = delete;

    // Runs one statement with `?` placeholders bound to `args` in order; gives how many rows changed.
    // Throws Error{InvalidArgument} with the database's message, or Error{TransactionRefused}.
    template <class... Args>
    std::int64_t exec(std::string_view sql, const Args&... args) {
        return run(sql, args...).changed;
    }

    // The same for a query: all its rows.
    template <class... Args>
    SqlRows query(std::string_view sql, const Args&... args) {
        return SqlRows{run(sql, args...)};
    }

    // The first column of the first row; nothing if there is no row.
    template <class T, class... Args>
    std::optional<T> value(std::string_view sql, const Args&... args) {
        const SqlRows rows{run(sql, args...)};
        if (rows.empty()) return std::nullopt;
        return rows[0].get<T>(0);
    }

    // Starts a run that exists if and only if this transaction commits; gives its id. Without an id in
    // `options` one is derived from this run and position, so that a redone body asks for the same run.
    template <class In>
    requires(!std::is_same_v<In, SubmitOptions>) std::string
        submit(std::string_view workflow, const In& input, const SubmitOptions& options = {}) {
        return port_.submit(workflow, to_json(input), options);
    }
    // A workflow without input.
    std::string submit(std::string_view workflow, const SubmitOptions& options = {}) {
        return port_.submit(workflow, "null", options);
    }
    // By a handle (workflow.hpp).
    template <class In, class Out, class Given>
    requires(!std::is_same_v<Given, SubmitOptions>) std::string
        submit(const Workflow<In, Out>& workflow, const Given& input,
               const SubmitOptions& options = {}) {
        return port_.submit(workflow.key(), detail::typed_input<In>(input), options);
    }
    template <class In, class Out>
    std::string submit(const Workflow<In, Out>& workflow, const SubmitOptions& options = {}) {
        detail::require_no_input<In>();
        return port_.submit(workflow.key(), "null", options);
    }
    // The same with an input that is JSON already.
    std::string submit_json(std::string_view workflow, std::string input,
                            const SubmitOptions& options = {}) {
        return port_.submit(workflow, std::move(input), options);
    }

    // The same of a child of this run (ctx.start); for the engine.
    std::string submit_child_json(std::string_view workflow, std::string input,
                                  const SubmitOptions& options, const std::string& path) {
        return port_.submit_child(workflow, std::move(input), options, path);
    }

    // Sends a message that is there if and only if this transaction commits. Throws
    // Error{InvalidArgument} if that run has ended or reads no more.
    template <class T>
    void send(const std::string& run_id, std::string_view topic, const T& value,
              const SendOptions& options = {}) {
        port_.send(run_id, topic, to_json(value), options);
    }
    void send_json(const std::string& run_id, std::string_view topic, std::string payload,
                   const SendOptions& options = {}) {
        port_.send(run_id, topic, std::move(payload), options);
    }

    // Tells those who watch the live feed (belay/feed.hpp), if and only if this transaction commits. `type`
    // is a name of the program's own, 1 to 64 letters, digits, '_', '-', '.'. Nothing is kept of it. Throws
    // Error{InvalidArgument} for another name, {PayloadTooLarge} above 64 KiB.
    template <class T>
    void publish(std::string_view type, const T& value, const PublishOptions& options = {}) {
        port_.publish(type, to_json(value), options);
    }
    void publish_json(std::string_view type, std::string data, const PublishOptions& options = {}) {
        port_.publish(type, std::move(data), options);
    }

    const std::string& run_id() const { return port_.run_id(); }
    Time now() const { return port_.now(); }  // the time of the commit, for created_at columns

private:
    template <class... Args>
    SqlResult run(std::string_view sql, const Args&... args) {
        if constexpr (sizeof...(Args) == 0) {
            return port_.run(sql, {});
        } else {
            const std::array<SqlValue, sizeof...(Args)> values{detail::to_sql(args)...};
            return port_.run(sql, values);
        }
    }

    detail::TxPort& port_;
};

}  // namespace belay

// tables.hpp — where a part of the server keeps rows of its own, in the engine's database.
//
// On a running engine its writes ride in the group commit; a command that works on a database on
// which nothing executes writes to the store itself.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <belay/engine.hpp>
#include <belay/sql.hpp>
#include <belay/tx.hpp>

#include "core/env/clock.hpp"
#include "core/store/store.hpp"

namespace belay::api {

// All functions may be called from any thread, and may block.
class Tables {
public:
    virtual ~Tables() = default;

    virtual SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) = 0;
    // All or nothing, and durable when it returns. The rules for bodies hold (belay/tx.hpp).
    virtual void transact(const std::function<void(Tx&)>& body) = 0;

    template <class... Args>
    SqlRows rows(std::string_view sql, const Args&... args) {
        const std::vector<SqlValue> values{belay::detail::to_sql(args)...};
        return SqlRows{query(sql, values)};
    }
};

// `engine` must outlive it.
class EngineTables final : public Tables {
public:
    explicit EngineTables(belay::detail::EnginePort& engine) : engine_(engine) {}

    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override;
    void transact(const std::function<void(Tx&)>& body) override;

private:
    belay::detail::EnginePort& engine_;
};

// On a store that this process may write. Its transactions cannot start runs: there is nobody to run
// them. Calls must come one at a time.
class StoreTables final : public Tables {
public:
    StoreTables(store::Store& store, const env::Clock& clock) : store_(store), clock_(clock) {}

    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override;
    void transact(const std::function<void(Tx&)>& body) override;

private:
    store::Store& store_;
    const env::Clock& clock_;
};

}  // namespace belay::api

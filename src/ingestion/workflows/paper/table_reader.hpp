// table_reader.hpp — reads the tables of paper: on an engine, or on a store that another process executes on.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <belay/engine.hpp>

namespace belay::workflows {

class TableReader {
public:
    using Query = std::function<SqlRows(std::string_view sql, std::span<const SqlValue> values)>;

    // Who has an engine may read; `engine` outlives it.
    TableReader(Engine& engine) : engine_(&engine) {}
    // A transaction's: it sees what that has written.
    TableReader(Tx& tx) : tx_(&tx) {}
    explicit TableReader(Query query) : query_(std::move(query)) {}

    template <class... Args>
    SqlRows query(std::string_view sql, const Args&... args) const {
        if (engine_ != nullptr) return engine_->query(sql, args...);
        if (tx_ != nullptr) return tx_->query(sql, args...);
        const std::vector<SqlValue> values{detail::to_sql(args)...};
        return query_(sql, values);
    }

private:
    Engine* engine_ = nullptr;
    Tx* tx_ = nullptr;
    Query query_{};
};

}  // namespace belay::workflows

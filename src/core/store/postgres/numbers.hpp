// numbers.hpp — the numbers of new runs.
//
// They are reserved in transactions of their own, so that no worker waits for another's batch, and handed out
// here without asking again. What a rolled-back savepoint had taken is taken back; what is unused at the end is
// returned if nobody has reserved since, so that a single worker leaves no gaps.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "core/model/run.hpp"
#include "core/store/postgres/connection.hpp"

namespace belay::store::postgres {

class Numbers {
public:
    // Reserves so that `count` are at hand. Outside any transaction of the connection.
    void reserve(Connection& connection, std::size_t count);

    // One of them. `side` gives a connection without a transaction for when there is none left.
    model::RunNo next(const std::function<Connection&()>& side);

    std::size_t mark() const { return used_; }
    void rewind(std::size_t mark) { used_ = mark; }
    // What was used is gone for good: it is in the store, or may be.
    void settle();

    void give_back(Connection& connection);

private:
    std::vector<std::int64_t> pool_;
    std::size_t used_ = 0;
};

}  // namespace belay::store::postgres

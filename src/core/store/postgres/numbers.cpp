#include "core/store/postgres/numbers.hpp"

#include "core/store/postgres/sql.hpp"

namespace belay::store::postgres {

void Numbers::reserve(Connection& connection, std::size_t count) {
    const std::size_t left = pool_.size() - used_;
    if (left >= count) return;
    // Who needs many at once will soon need as many again.
    constexpr std::size_t kMany = 16;
    const auto missing = static_cast<std::int64_t>(count - left + (count >= kMany ? count : 0));
    // One implicit transaction. Nobody has to wait for its sync: the commit that uses a number comes later in
    // the same log.
    connection.send("SELECT set_config('synchronous_commit', 'off', true)");
    Parameters parameters;
    parameters.add(missing);
    connection.send(sql::reserve_numbers, parameters);
    const auto results = connection.finish();
    const std::int64_t last = results.back().integer(0, 0);
    for (std::int64_t number = last - missing + 1; number <= last; ++number)
        pool_.push_back(number);
}

model::RunNo Numbers::next(const std::function<Connection&()>& side) {
    if (used_ == pool_.size()) reserve(side(), 1);
    return model::RunNo{pool_[used_++]};
}

void Numbers::settle() {
    pool_.erase(pool_.begin(), pool_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ = 0;
}

void Numbers::give_back(Connection& connection) {
    used_ = 0;
    if (pool_.empty()) return;
    // Only the last of them that follow each other can be returned.
    std::size_t first = pool_.size() - 1;
    while (first > 0 && pool_[first - 1] + 1 == pool_[first]) --first;
    Parameters parameters;
    parameters.add(pool_[first] - 1);
    parameters.add(pool_.back());
    connection.run(sql::return_numbers, parameters);
    pool_.clear();
}

}  // namespace belay::store::postgres

#include "service/server/shared.hpp"

#include <vector>

namespace belay::server {

void Connections::add(const std::shared_ptr<Connection>& connection) {
    const std::lock_guard lock(mutex_);
    all_.emplace(connection.get(), connection);
    size_ = all_.size();
}

void Connections::remove(Connection* connection) {
    const std::lock_guard lock(mutex_);
    all_.erase(connection);
    size_ = all_.size();
    if (all_.empty()) changed_.notify_all();
}

void Connections::for_each(const std::function<void(Connection&)>& what) {
    std::vector<std::shared_ptr<Connection>> alive;  // destroyed without the lock
    {
        const std::lock_guard lock(mutex_);
        alive.reserve(all_.size());
        for (const auto& [address, weak] : all_) {
            if (auto connection = weak.lock()) alive.push_back(std::move(connection));
        }
    }
    for (const auto& connection : alive) what(*connection);
}

bool Connections::wait_until_empty(Duration at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [&] { return all_.empty(); });
}

}  // namespace belay::server

// observer_sessions.hpp — the sessions of an observer's page: in this process's memory, for the observed store's tokens.
//
// An observer writes nothing but requests, and whoever executes must not be told a session's secret. So a session is known
// to this process alone and ends with it, and the page signs in again. Which tokens there are is read from the store
// whenever a session is looked at: a token that is revoked there ends its sessions here with the next request.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "core/env/clock.hpp"
#include "core/store/store.hpp"
#include "service/api/tables.hpp"

namespace belay::app {

class ObserverSessions final : public api::Tables {
public:
    // Both outlive it.
    ObserverSessions(api::Tables& observed, const env::Clock& clock);

    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override;
    void transact(const std::function<void(Tx&)>& body) override;

private:
    void read_tokens();

    api::Tables& observed_;
    std::mutex mutex_;  // guards the rest
    std::unique_ptr<store::Store> own_;
    api::StoreTables tables_;
    std::vector<std::vector<SqlValue>> tokens_;  // as they are in `own_`
};

}  // namespace belay::app

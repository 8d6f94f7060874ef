#include "service/app/observer_sessions.hpp"

#include <belay/store_config.hpp>

#include "core/library/host.hpp"
#include "service/api/sessions.hpp"

namespace belay::app {

ObserverSessions::ObserverSessions(api::Tables& observed, const env::Clock& clock)
    : observed_(observed), own_(library::open_store(memory(), true)), tables_(*own_, clock) {
    own_->migrate({std::string(api::kSessionsOwner), api::session_migrations()});
    // What sessions ask of tokens (api/sessions.cpp).
    own_->migrate(
        {"belay.observed_tokens",
         {"CREATE TABLE api_tokens (id TEXT PRIMARY KEY, name TEXT, revoked_at INTEGER)"}});
}

SqlResult ObserverSessions::query(std::string_view sql, std::span<const SqlValue> parameters) {
    const std::lock_guard lock(mutex_);
    read_tokens();
    return tables_.query(sql, parameters);
}

void ObserverSessions::transact(const std::function<void(Tx&)>& body) {
    const std::lock_guard lock(mutex_);
    tables_.transact(body);
}

void ObserverSessions::read_tokens() {
    SqlResult now = observed_.query("SELECT id, name, revoked_at FROM api_tokens ORDER BY id", {});
    if (now.rows == tokens_) return;
    tables_.transact([&](Tx& tx) {
        tx.exec("DELETE FROM api_tokens");
        for (const SqlRow& row : SqlRows{now}) {
            tx.exec("INSERT INTO api_tokens (id, name, revoked_at) VALUES (?, ?, ?)",
                    row.get<std::string>(0), row.get<std::string>(1),
                    row.get<std::optional<std::int64_t>>(2));
        }
    });
    tokens_ = std::move(now.rows);
}

}  // namespace belay::app

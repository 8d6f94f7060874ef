#include "service/api/settings.hpp"

#include <boost/json.hpp>

namespace belay::api {

std::vector<std::string> settings_migrations() {
    return {R"(
CREATE TABLE api_settings (
    organization_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,  -- JSON
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, name)
);
)"};
}

std::optional<std::string> setting_of(Tables& tables, const std::string& organization_id,
                                      std::string_view name) {
    const SqlRows rows =
        tables.rows("SELECT value FROM api_settings WHERE organization_id = ? AND name = ?",
                    organization_id, name);
    if (rows.empty()) return std::nullopt;
    return rows[0].get<std::string>(0);
}

std::optional<WebhookSetting> webhook_setting(Tables& tables, const std::string& organization_id) {
    const auto text = setting_of(tables, organization_id, kWebhookSetting);
    if (!text) return std::nullopt;
    const auto value = boost::json::parse(*text);
    return WebhookSetting{std::string(value.at("url").as_string()),
                          std::string(value.at("secret").as_string())};
}

std::map<std::string, std::string> settings_of(Tables& tables, const std::string& organization_id) {
    std::map<std::string, std::string> out;
    for (const SqlRow& row : tables.rows(
             "SELECT name, value FROM api_settings WHERE organization_id = ?", organization_id))
        out.emplace(row.get<std::string>(0), row.get<std::string>(1));
    return out;
}

void write_setting(Tx& tx, const std::string& organization_id, std::string_view name,
                   const std::string& json) {
    if (json.empty()) {
        tx.exec("DELETE FROM api_settings WHERE organization_id = ? AND name = ?", organization_id,
                name);
        return;
    }
    tx.exec(
        "INSERT INTO api_settings (organization_id, name, value, updated_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (organization_id, name) DO UPDATE SET value = excluded.value, updated_at = "
        "excluded.updated_at",
        organization_id, name, json, tx.now());
}

}  // namespace belay::api

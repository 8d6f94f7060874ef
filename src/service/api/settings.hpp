// settings.hpp — what an organization has decided for itself: its language, its currency, its accounts.
//
// One row a decision, a JSON text. Whoever acts on one reads the row when it acts, so a change holds from the next
// request on, in every server on the database.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <belay/tx.hpp>

#include "service/api/tables.hpp"

namespace belay::api {

inline constexpr std::string_view kSettingsOwner = "belay.settings";
std::vector<std::string> settings_migrations();

inline constexpr std::string_view kLanguageSetting = "language";       // "sv"
inline constexpr std::string_view kCurrencySetting = "home_currency";  // "SEK"
inline constexpr std::string_view kAccountsSetting = "accounts";       // {"5790": "6990"}

// Who is told when runs end: of the server's own organization only, whose word it is. {"url": …, "secret": …}
inline constexpr std::string_view kWebhookSetting = "webhook";
struct WebhookSetting {
    std::string url{};
    std::string secret{};
};
std::optional<WebhookSetting> webhook_setting(Tables& tables, const std::string& organization_id);

// The JSON text; nothing if it was never decided.
std::optional<std::string> setting_of(Tables& tables, const std::string& organization_id,
                                      std::string_view name);
std::map<std::string, std::string> settings_of(Tables& tables, const std::string& organization_id);

// `json` empty: it is not decided any more.
void write_setting(Tx& tx, const std::string& organization_id, std::string_view name,
                   const std::string& json);

}  // namespace belay::api

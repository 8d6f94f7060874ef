// common.hpp — what the routes on paper share: rows of the table, lists, answers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "ingestion/ai/rules/date.hpp"
#include "ingestion/workflows/paper/findings.hpp"
#include "service/api/api.hpp"

namespace belay::workflows {

// A GET, unless Route::on says otherwise.
inline api::Route paper_route(std::string path, std::string summary, std::string group,
                              api::Handler handle = {}) {
    api::Route route;
    route.path = std::move(path);
    route.summary = std::move(summary);
    route.group = std::move(group);
    route.response_schema = {{"type", "object"}};
    route.handler = std::move(handle);
    return route;
}

inline const std::string& organization_of(const api::Request& request) {
    return request.caller.organization_id;
}

inline const std::string& parameter_of(const api::Request& request, std::string_view name) {
    return request.parameter(name);
}

// {"receipts": […], "next_cursor"}
inline api::Response list_response(std::string_view name, FindingsPage page) {
    boost::json::array rows;
    for (boost::json::object& row : page.rows) rows.push_back(std::move(row));
    boost::json::object out;
    out[name] = std::move(rows);
    out["next_cursor"] = nullptr;
    if (page.next) out["next_cursor"] = api::cursor_text(*page.next);
    if (page.total) out["total"] = *page.total;
    return api::json_response(200, out);
}

// Who says so: the token's id, as the record keeps it.
inline std::string by_of(const api::Request& request) {
    return request.caller.token_id.empty() ? "api" : "token " + request.caller.token_id;
}

inline std::optional<std::int64_t> cursor_of(const api::Request& request) {
    const auto text = request.query.find("cursor");
    if (!text) return std::nullopt;
    return api::read_cursor(*text);
}

// A day of the query as it is compared; "" if none is given.
inline std::string day_in(const api::Request& request, std::string_view name) {
    const std::string text = request.query.text(name);
    if (text.empty() || ai::rules::Date::parse(text)) return text;
    throw api::ApiError(
        api::Problem::InvalidParameter,
        fmt::format("{} is a day such as 2024-03-12, not `{}`", name, api::shown(text)));
}

inline int limit_of(const api::Request& request) {
    return static_cast<int>(
        request.query.integer("limit", api::kListLimitDefault, 1, api::kListLimitMax));
}

}  // namespace belay::workflows

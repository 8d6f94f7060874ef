#include "service/cli/run_list_over_http.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "service/api/query.hpp"
#include "service/cli/command.hpp"
#include "service/cli/find_run.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t kPage = static_cast<std::size_t>(api::kListLimitMax);

std::string text_of(const json::value& in, std::string_view name) {
    const auto* found = in.as_object().if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

std::optional<Time> time_of(const json::value& run, std::string_view name) {
    const std::string text = text_of(run, name);
    return text.empty() ? std::nullopt : base::parse_time(text);
}

bool is_between(const std::optional<Time>& at, const std::optional<Time>& from,
                const std::optional<Time>& to) {
    if (!from && !to) return true;
    return at && (!from || *at >= *from) && (!to || *at < *to);
}

bool is_meant(const store::RunFilter& filter, const json::value& run) {
    const auto* stalled = run.as_object().if_contains("stalled");
    if (filter.stalled && (stalled == nullptr || stalled->is_null())) return false;
    // A token speaks for its own, whatever is asked for.
    if (!filter.organization_id.empty() &&
        text_of(run, "organization_id") != filter.organization_id)
        return false;
    return is_between(time_of(run, "created_at"), filter.since, filter.until) &&
           is_between(time_of(run, "completed_at"), filter.ended_since, filter.ended_until);
}

bool picks_here(const store::RunFilter& filter) {
    return filter.stalled || filter.since || filter.until || filter.ended_since ||
           filter.ended_until;
}

std::string path_of(const store::RunFilter& filter, std::size_t limit, const std::string& cursor) {
    std::string path = fmt::format("/api/runs?limit={}", limit);
    const auto narrow = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) path += fmt::format("&{}={}", name, in_url(value));
    };
    narrow("status", filter.status ? std::string(to_string(*filter.status)) : "");
    narrow("workflow_key", filter.workflow_key);
    narrow("q", filter.text);
    for (const auto& [name, value] : filter.labels)
        narrow("label", fmt::format("{}={}", name, value));
    narrow("cursor", cursor);
    return path;
}

// Runs are in the order in which they were made: below the first page that is too old there are none.
bool is_too_old(const store::RunFilter& filter, const json::array& runs) {
    if (!filter.since || runs.empty()) return false;
    const auto newest = time_of(runs.front(), "created_at");
    return newest && *newest < *filter.since;
}

}  // namespace

std::unique_ptr<ServerClient> remote_for(const Session& session, const std::string& organization) {
    if (organization.empty()) return session.remote();
    return find_remote(session.remote_options, session.place_options, [&](const std::string& name) {
        return name == "BELAY_ORGANIZATION" ? std::optional(organization)
                                            : session.world.environment(name);
    });
}

ServerRunPage list_runs_of(const ServerClient& remote, const store::RunFilter& filter) {
    const auto limit = static_cast<std::size_t>(filter.limit);
    ServerRunPage out;
    std::string cursor = filter.before ? api::cursor_text(filter.before->value) : "";
    while (true) {
        const std::size_t ask =
            picks_here(filter) ? kPage : std::min(limit - out.runs.size(), kPage);
        const json::value page = remote.get(path_of(filter, ask, cursor));
        const json::array& runs = page.at("runs").as_array();
        std::size_t looked = 0;
        for (; looked < runs.size() && out.runs.size() < limit; ++looked) {
            if (is_meant(filter, runs[looked])) out.runs.push_back(runs[looked]);
        }
        std::string next = text_of(page, "next_cursor");
        if (out.runs.size() == limit) {
            // A page's cursor stands at its end: one that ends where we stopped has the one that we need.
            if (looked < runs.size())
                next = text_of(remote.get(path_of(filter, looked, cursor)), "next_cursor");
            if (!next.empty()) out.next = api::read_cursor(next);
            return out;
        }
        if (next.empty() || is_too_old(filter, runs)) return out;
        cursor = std::move(next);
    }
}

std::string find_remote_run(const ServerClient& remote, const std::string& typed) {
    try {
        return text_of(remote.get("/api/runs/" + in_url(typed)), "id");
    } catch (const Error& error) {
        if (error.code() != ErrorCode::NotFound) throw;
    }
    const std::string beginning = without_cut(typed);
    std::vector<std::string> found;
    store::RunFilter filter;
    filter.text = beginning;
    filter.limit = static_cast<int>(kPage);
    while (!beginning.empty() && found.size() < 2) {
        const ServerRunPage page = list_runs_of(remote, filter);
        for (const json::value& run : page.runs) {
            if (std::string id = text_of(run, "id"); id.starts_with(beginning))
                found.push_back(std::move(id));
        }
        if (!page.next) break;
        filter.before = store::RunNo{*page.next};
    }
    return only_run_of(beginning, found, fmt::format("`{}` at {}", typed, remote.url()));
}

}  // namespace belay::cli

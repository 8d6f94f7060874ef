// helper_routes.cpp — what waits for its turn at the helper, and what has it: waiting is not work.
#include "core/base/text.hpp"
#include "ingestion/workflows/paper/api/common.hpp"
#include "ingestion/workflows/paper/api/routes.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;

json::object row_of(const isolate::Turns::Entry& entry) {
    json::object row;
    row["workflow_run_id"] = nullptr;
    row["stage_key"] = nullptr;
    if (!entry.asker.run.empty()) {
        row["workflow_run_id"] = entry.asker.run;
        row["stage_key"] = entry.asker.stage;
    }
    row["kind"] = isolate::to_string(entry.asker.kind);
    row["status"] = entry.waits ? "waiting" : "working";
    row["since"] = base::format_time(entry.since);
    return row;
}

// One's own only: what others have waiting is theirs, and so is how much.
api::Response list(const PaperServices& services, const api::Request& request) {
    json::array rows;
    for (const auto& entry : services.turns.entries()) {
        if (entry.asker.organization != organization_of(request)) continue;
        if (rows.size() == static_cast<std::size_t>(api::kListLimitMax)) break;
        rows.push_back(row_of(entry));
    }
    return api::json_response(200, json::object{{"jobs", std::move(rows)}});
}

}  // namespace

std::set<std::string> runs_without_turn(const PaperServices& services,
                                        const std::string& organization) {
    std::set<std::string> runs;
    const auto entries = services.turns.entries();
    for (const auto& entry : entries) {
        if (entry.waits && entry.asker.organization == organization && !entry.asker.run.empty())
            runs.insert(entry.asker.run);
    }
    for (const auto& entry : entries) {
        if (!entry.waits) runs.erase(entry.asker.run);
    }
    return runs;
}

void add_helper_routes(api::Routes& routes, const PaperServices& services) {
    api::Route jobs = paper_route(
        "/api/helper/jobs",
        "What waits for its turn at the media helper on this worker, or has it, and since when",
        "files", [&services](api::Request& r) { return list(services, r); });
    jobs.response_schema = {
        {"type", "object"},
        {"properties", {{"jobs", {{"type", "array"}, {"items", {{"type", "object"}}}}}}}};
    routes.add(std::move(jobs));
}

}  // namespace belay::workflows

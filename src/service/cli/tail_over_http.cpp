#include "service/cli/tail_over_http.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/status.hpp>

#include "core/base/text.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

// A server's list is looked at from its top: what changed further down has ended or waits.
constexpr std::size_t kRememberedMax = 1000;

std::string text_of(const json::value& in, std::string_view name) {
    const auto* found = in.as_object().if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : "";
}

std::int64_t number_of(const json::value& in, std::string_view name) {
    const auto* found = in.as_object().if_contains(name);
    return found != nullptr && found->is_int64() ? found->as_int64() : 0;
}

Time time_of(const std::string& text) { return base::parse_time(text).value_or(Time{}); }

TailLine line_of(const json::value& run) {
    TailLine line;
    line.at = time_of(text_of(run, "updated_at"));
    line.run_id = text_of(run, "id");
    line.workflow_key = text_of(run, "workflow_key");
    line.status = text_of(run, "status");
    line.attempt = number_of(run, "attempts");
    if (const auto* error = run.as_object().if_contains("error");
        error != nullptr && error->is_object())
        line.message = text_of(*error, "message");
    line.run_status = run_status(line.status).value_or(RunStatus::Queued);
    return line;
}

TailLine line_of(const json::value& run, const json::value& stage) {
    TailLine line = line_of(run);
    for (const char* name : {"started_at", "finished_at"}) {
        if (const std::string at = text_of(stage, name); !at.empty()) line.at = time_of(at);
    }
    line.stage_key = text_of(stage, "stage_key");
    line.status = text_of(stage, "status");
    line.attempt = number_of(stage, "attempt");
    line.run_status.reset();
    line.stage_status = stage_status(line.status).value_or(StageStatus::Queued);
    const bool says_more =
        line.stage_status != StageStatus::Succeeded && line.stage_status != StageStatus::Queued;
    line.message = says_more ? text_of(stage, "message") : "";
    return line;
}

}  // namespace

std::vector<TailLine> ServerTail::look() {
    std::vector<TailLine> lines;
    if (!only_.empty()) {
        const json::value run = remote_.get("/api/runs/" + in_url(only_));
        look_at(run, false, lines);
        last_ = run_status(text_of(run, "status"));
    } else {
        const json::value page = remote_.get(fmt::format("/api/runs?limit={}", kTailRunsMax));
        for (const json::value& summary : page.at("runs").as_array()) {
            const auto known = seen_.find(text_of(summary, "id"));
            const std::string status = text_of(summary, "status");
            const bool same = known != seen_.end() && known->second.status == status &&
                              known->second.updated_at == text_of(summary, "updated_at");
            if (same && status != to_string(RunStatus::Running)) continue;
            look_at(remote_.get("/api/runs/" + in_url(text_of(summary, "id"))), first_, lines);
        }
        if (seen_.size() > kRememberedMax) {
            std::erase_if(seen_, [](const auto& one) {
                const auto status = run_status(one.second.status);
                return status && is_finished(*status);
            });
        }
    }
    std::stable_sort(lines.begin(), lines.end(),
                     [](const TailLine& a, const TailLine& b) { return a.at < b.at; });
    first_ = false;
    return lines;
}

void ServerTail::look_at(const json::value& run, bool quiet, std::vector<TailLine>& lines) {
    Seen& seen = seen_[text_of(run, "id")];
    const std::string status = text_of(run, "status");
    const auto now = run_status(status);
    const bool ended = now && is_finished(*now);
    for (const json::value& stage : run.at("stages").as_array()) {
        const std::string place =
            fmt::format("{} {}", number_of(stage, "position"), text_of(stage, "stage_key"));
        std::pair<std::string, std::int64_t> state{text_of(stage, "status"),
                                                   number_of(stage, "attempt")};
        auto& before = seen.stages[place];
        if (before == state) continue;
        before = std::move(state);
        if (!quiet) lines.push_back(line_of(run, stage));
    }
    // Of all runs the first look gives only how the unfinished ones stand.
    if (seen.status != status && !(quiet && ended)) lines.push_back(line_of(run));
    seen.status = status;
    seen.updated_at = text_of(run, "updated_at");
}

}  // namespace belay::cli

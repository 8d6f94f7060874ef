#include "service/cli/tail.hpp"

#include <algorithm>
#include <array>

namespace belay::cli {

namespace {

constexpr std::array kUnfinished{RunStatus::Running, RunStatus::Waiting, RunStatus::Queued,
                                 RunStatus::Paused};

// Runs that ended long ago are forgotten when this many are remembered.
constexpr std::size_t kRememberedMax = 2'000;

TailLine line_of(const model::Run& run) {
    TailLine line;
    line.at = run.updated_at;
    line.run_id = run.id;
    line.workflow_key = run.workflow_key;
    line.organization_id = run.organization_id;
    line.status = to_string(run.status);
    line.attempt = run.attempts;
    if (run.failure) line.message = run.failure->message;
    line.run_status = run.status;
    return line;
}

// A stage that is open keeps the start of its first attempt: a later one began when one had failed.
Time time_of(const model::Run& run, const model::Stage& stage, store::Store& store) {
    if (stage.finished_at) return *stage.finished_at;
    Time at = stage.started_at.value_or(run.updated_at);
    if (stage.status == StageStatus::Queued)
        at = std::max(at, run.updated_at);  // taken back by a retry
    if (stage.attempt == 1 && stage.status != StageStatus::Retrying) return at;
    for (const model::Attempt& attempt : store.attempts(run.no)) {
        if (attempt.path == stage.path) at = std::max(at, attempt.finished_at);
    }
    return at;
}

TailLine line_of(const model::Run& run, const model::Stage& stage, Time at) {
    TailLine line = line_of(run);
    line.at = at;
    line.stage_key = stage.stage_key;
    line.path = stage.path;
    line.status = to_string(stage.status);
    line.attempt = stage.attempt;
    const bool says_more =
        stage.status != StageStatus::Succeeded && stage.status != StageStatus::Queued;
    line.message = says_more ? stage.message : "";
    line.run_status.reset();
    line.stage_status = stage.status;
    return line;
}

}  // namespace

std::vector<model::Run> Tail::candidates() {
    std::map<store::RunNo, model::Run> found;
    if (only_) {
        if (auto run = store_.find_run(*only_)) found.emplace(run->no, *std::move(run));
    } else {
        store::RunFilter filter;
        filter.limit = kTailRunsMax;
        const auto add = [&](const store::RunFilter& wanted) {
            store::RunPage page = store_.list_runs(wanted);
            for (model::Run& run : page.runs) found.insert_or_assign(run.no, std::move(run));
            return page.next.has_value();
        };
        const bool more_are_older = add(filter);
        // More came since the last look than the newest that were read.
        missed_ = !first_ && more_are_older && found.begin()->first > newest_;
        if (!found.empty()) newest_ = std::max(newest_, found.rbegin()->first);
        for (const RunStatus status : kUnfinished) {
            filter.status = status;
            missed_ = add(filter) || missed_;
        }
        // What was unfinished and is in no list any more: it has ended, or others pushed it out.
        for (const auto& [no, seen] : seen_) {
            if (is_finished(seen.status) || found.contains(no)) continue;
            if (auto run = store_.find_run(no)) found.emplace(no, *std::move(run));
        }
    }
    std::vector<model::Run> runs;
    for (auto& [no, run] : found) runs.push_back(std::move(run));
    return runs;
}

std::vector<TailLine> Tail::look() {
    std::vector<TailLine> lines;
    for (const model::Run& run : candidates()) look_at(run, first_ && !only_, lines);
    std::stable_sort(lines.begin(), lines.end(),
                     [](const TailLine& a, const TailLine& b) { return a.at < b.at; });
    first_ = false;
    if (seen_.size() > kRememberedMax) {
        // The oldest finished ones: a run that is not among the newest is not listed again.
        std::size_t excess = seen_.size() - kRememberedMax / 2;
        for (auto it = seen_.begin(); it != seen_.end() && excess > 0;) {
            if (is_finished(it->second.status)) {
                it = seen_.erase(it);
                --excess;
            } else {
                ++it;
            }
        }
    }
    return lines;
}

void Tail::look_at(const model::Run& run, bool quiet, std::vector<TailLine>& lines) {
    const auto [place, is_new] = seen_.try_emplace(run.no);
    Seen& seen = place->second;
    const bool changed = is_new || seen.status != run.status || seen.updated_at != run.updated_at;
    // The row of a running run may be behind its stages.
    if (!changed && run.status != RunStatus::Running) return;
    const bool retried = !is_new && seen.attempts != run.attempts;
    std::map<std::string, std::pair<StageStatus, std::int64_t>>
        stages;  // without those a retry forgot
    for (const model::Stage& stage : store_.stages(run.no)) {
        const std::pair now{stage.status, stage.attempt};
        stages.emplace(stage.path, now);
        const auto known = seen.stages.find(stage.path);
        if (quiet || (known != seen.stages.end() && known->second == now)) continue;
        lines.push_back(line_of(run, stage, time_of(run, stage, store_)));
    }
    seen.stages = std::move(stages);
    if (is_new || retried || seen.status != run.status) {
        if (!quiet || !is_finished(run.status)) lines.push_back(line_of(run));
    }
    seen.status = run.status;
    seen.updated_at = run.updated_at;
    seen.attempts = run.attempts;
    if (only_) ended_ = is_finished(run.status);
}

}  // namespace belay::cli

#include "core/engine/watchdog.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/text.hpp"

namespace belay::engine {

namespace {

// Runs looked at in one go, of each case: a look must stay a matter of milliseconds.
constexpr int kRunsAtOnce = 200;
// Marks looked at again in one go.
constexpr int kMarksAtOnce = 1000;
// A chain of runs that wait for each other is followed so far.
constexpr int kChainMax = 50;
// A first message may take a while: until then a topic that nobody has sent is nothing to report.
constexpr Duration kTopicSilentFor = std::chrono::minutes{10};
// Names shown in one sentence.
constexpr std::size_t kNamesTold = 10;

bool is_open_wait(const model::Stage& stage) {
    return !is_finished(stage.status) &&
           (stage.kind == model::StageKind::Child || stage.kind == model::StageKind::Receive);
}

// The run that a stage of kind Child waits for; empty if it does not say.
std::string child_of(const model::Stage& stage) {
    try {
        return stage.output ? from_json<std::string>(*stage.output) : "";
    } catch (const Error&) {
        return "";
    }
}

bool is_asleep(const model::Run& run) {
    return run.status == RunStatus::Waiting && run.wake_at == model::kNever;
}

bool is_due(const model::Run& run, Time now) { return run.wake_at.value_or(run.created_at) <= now; }

std::string listed(const std::vector<std::string>& names) {
    if (names.empty()) return "none";
    if (names.size() <= kNamesTold) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{}, …", fmt::join(names.begin(), names.begin() + kNamesTold, ", "));
}

}  // namespace

std::vector<store::MarkStalled> Watchdog::look(const std::vector<Resident::SilentStep>& silent,
                                               Time now) {
    store::Store& store = services_.store;
    workers_ = store.workers();
    Found found;
    find_without_worker(found, now);
    find_asleep(found, now);
    find_silent(found, silent, now);

    std::vector<store::MarkStalled> marks;
    for (const auto& [no, entry] : found) {
        const auto& [run, stall] = entry;
        const model::Stall* before = model::stall_of(run);
        if (before != nullptr && before->reason == stall.reason) continue;
        marks.push_back({no, stall});
        services_.log(
            LogLevel::Warning, "run_stalled",
            fmt::format("run `{}` of {} is stalled: {}", run.id, run.workflow_key, stall.sentence),
            About{run.id, run.workflow_key, run.organization_id, run.current_stage, 0});
    }
    store::RunFilter marked;
    marked.stalled = true;
    marked.limit = kMarksAtOnce;
    for (const model::Run& run : store.list_runs(marked).runs) {
        if (!found.contains(run.no) && !still_holds(run, found, now))
            marks.push_back({run.no, std::nullopt});
    }
    return marks;
}

bool Watchdog::still_holds(const model::Run& run, const Found&, Time now) {
    if (model::stall_of(run) == nullptr) return false;
    switch (run.stall->reason) {
        case model::StallReason::ChildDeleted:
        case model::StallReason::WaitCycle:
        case model::StallReason::TopicNeverSent:
            return is_asleep(run) && judge_asleep(run, now).has_value();
        case model::StallReason::NoWorker:
        case model::StallReason::QueueClosed:
            return judge_worker(run, now).has_value();
        case model::StallReason::StepSilent:
        case model::StallReason::ExecutorGone:
            return false;
    }
    return false;
}

// ---- nobody can run it

void Watchdog::find_without_worker(Found& found, Time now) {
    // A store that knows of no worker yet has just been opened: this one's first claim is on its way.
    if (workers_.empty()) return;
    const bool any_version =
        std::all_of(workers_.begin(), workers_.end(),
                    [](const model::Worker& worker) { return worker.versions.take_any(); });
    for (const std::string& key : services_.store.open_workflows()) {
        const bool is_defined = model::worker_for(workers_, key) != nullptr;
        if (is_defined && any_version && !queue_is_closed) continue;
        for (const RunStatus status : {RunStatus::Queued, RunStatus::Waiting, RunStatus::Running}) {
            store::RunFilter filter;
            filter.workflow_key = key;
            filter.status = status;
            filter.limit = kRunsAtOnce;
            for (model::Run& run : services_.store.list_runs(filter).runs) {
                if (auto stall = judge_worker(run, now)) {
                    const model::RunNo no = run.no;
                    found.try_emplace(no, std::move(run), *std::move(stall));
                }
            }
        }
    }
}

std::optional<model::Stall> Watchdog::judge_worker(const model::Run& run, Time now) const {
    if (is_finished(run.status) || run.status == RunStatus::Paused) return std::nullopt;
    if (run.status != RunStatus::Running && !is_due(run, now)) return std::nullopt;
    const auto is_its_own = [&](const model::Worker& worker) { return worker.name == run.worker; };
    const bool is_held = run.status == RunStatus::Running &&
                         std::any_of(workers_.begin(), workers_.end(), is_its_own);
    if (is_held) return std::nullopt;
    const model::Worker* defines = model::worker_for(workers_, run.workflow_key);
    if (defines == nullptr) {
        std::vector<std::string> keys;
        for (const model::Worker& worker : workers_) {
            keys.insert(keys.end(), worker.workflow_keys.begin(), worker.workflow_keys.end());
        }
        return model::Stall{
            model::StallReason::NoWorker,
            fmt::format(
                "no worker defines workflow {}; defined are: {}. Start a program that defines "
                "it, or cancel the run.",
                run.workflow_key, listed(keys)),
            now};
    }
    if (model::worker_for(workers_, run.workflow_key, run.code_version) == nullptr) {
        return model::Stall{
            model::StallReason::NoWorker,
            fmt::format(
                "it is of code version `{}`, and no worker takes that: {} has `{}` and takes "
                "{} besides. Start a worker of that version, or add it to compatible_versions.",
                run.code_version, defines->name, defines->versions.own,
                listed(defines->versions.compatible)),
            now};
    }
    if (queue_is_closed && run.status == RunStatus::Queued) {
        if (const auto why = queue_is_closed(run))
            return model::Stall{model::StallReason::QueueClosed, *why, now};
    }
    return std::nullopt;
}

// ---- nothing will wake it

void Watchdog::find_asleep(Found& found, Time now) {
    store::RunFilter filter;
    filter.asleep = true;
    filter.limit = kRunsAtOnce;
    filter.before = asleep_before_;
    store::RunPage page = services_.store.list_runs(filter);
    asleep_before_ = page.next;
    for (model::Run& run : page.runs) {
        if (auto stall = judge_asleep(run, now)) {
            const model::RunNo no = run.no;
            found.try_emplace(no, std::move(run), *std::move(stall));
        }
    }
}

// Only if everything that it waits for cannot come: one of several branches may still decide a fan.
std::optional<model::Stall> Watchdog::judge_asleep(const model::Run& run, Time now) {
    std::optional<model::Stall> first;
    for (const model::Stage& stage : services_.store.stages(run.no)) {
        if (!is_open_wait(stage)) continue;
        auto stall = judge_waiting_stage(run, stage, now);
        if (!stall) return std::nullopt;
        if (!first) first = std::move(stall);
    }
    return first;
}

std::optional<model::Stall> Watchdog::judge_waiting_stage(const model::Run& run,
                                                          const model::Stage& stage, Time now) {
    if (stage.kind == model::StageKind::Receive) {
        const bool is_young = now - stage.started_at.value_or(run.updated_at) < kTopicSilentFor;
        if (is_young || services_.store.has_topic(stage.stage_key)) return std::nullopt;
        return model::Stall{
            model::StallReason::TopicNeverSent,
            fmt::format(
                "it waits without a timeout for a message of topic `{}`, and nobody has ever sent "
                "one to any run. Is the topic spelled so where it is sent? `belay runs send {} {} "
                "JSON` sends one.",
                stage.stage_key, run.id, stage.stage_key),
            now};
    }
    const std::string child_id = child_of(stage);
    if (child_id.empty()) return std::nullopt;
    const auto child = services_.store.find_run(child_id);
    if (!child) {
        return model::Stall{
            model::StallReason::ChildDeleted,
            fmt::format(
                "the run `{}` that its step `{}` waits for does not exist any more. Cancel this "
                "run, or fork it from an earlier step.",
                child_id, stage.stage_key),
            now};
    }
    if (const auto cycle = cycle_from(run, *child)) {
        return model::Stall{
            model::StallReason::WaitCycle,
            fmt::format("these runs wait for each other: {}. Cancel one of them.", *cycle), now};
    }
    return std::nullopt;
}

// Whether the runs that `child` waits for lead back to `run`; then how.
std::optional<std::string> Watchdog::cycle_from(const model::Run& run, const model::Run& child) {
    std::set<model::RunNo> seen;
    std::vector<std::pair<model::Run, std::string>> ways{
        {child, fmt::format("{} → {}", run.id, child.id)}};
    for (int looked = 0; !ways.empty() && looked < kChainMax; ++looked) {
        const auto [at, way] = ways.back();
        ways.pop_back();
        if (at.no == run.no) return way;
        if (!is_asleep(at) || !seen.insert(at.no).second) continue;
        for (const model::Stage& stage : services_.store.stages(at.no)) {
            if (!is_open_wait(stage) || stage.kind != model::StageKind::Child) continue;
            const std::string id = child_of(stage);
            if (auto next = id.empty() ? std::nullopt : services_.store.find_run(id)) {
                ways.emplace_back(*std::move(next), fmt::format("{} → {}", way, id));
            }
        }
    }
    return std::nullopt;
}

// ---- a step that does not come back

void Watchdog::find_silent(Found& found, const std::vector<Resident::SilentStep>& silent,
                           Time now) {
    for (const Resident::SilentStep& step : silent) {
        auto run = services_.store.find_run(step.run);
        if (!run || is_finished(run->status)) continue;
        model::Stall stall{
            model::StallReason::StepSilent,
            fmt::format(
                "step `{}` is past its limit of {} since {} and does not come back; it refers to "
                "its workflow's own values, so it cannot be left behind. It should look at its "
                "stop "
                "token; a restart of {} ends it.",
                step.stage, base::format_duration(step.limit), base::format_time(step.since),
                run->worker),
            now};
        found.try_emplace(step.run, *std::move(run), std::move(stall));
    }
}

}  // namespace belay::engine

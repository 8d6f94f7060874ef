#include "core/engine/retention.hpp"

#include <fmt/format.h>

#include "core/base/saturate.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

namespace {

constexpr Duration kMinute{60'000};
constexpr Duration kLookEvery{60 * kMinute};
// Between two batches of one sweep: whoever waits for the writer comes first.
constexpr Duration kBreath{20};
constexpr int kRunsPerBatch = 100;

Duration kept_for(const Retention& retention, RunStatus status) {
    const bool succeeded = status == RunStatus::Succeeded;
    return succeeded || retention.keep_failed_for == Duration{0} ? retention.keep_for
                                                                 : retention.keep_failed_for;
}

}  // namespace

void RetentionSweep::add(const std::string& workflow_key, const Retention& retention) {
    if (retention.keep_for > Duration{0} || retention.keep_failed_for > Duration{0}) {
        workflows_.insert_or_assign(workflow_key, retention);
    }
}

void RetentionSweep::start() {
    if (workflows_.empty()) return;
    sweep();
    if (services_.world.executor.threaded()) look_hourly();
}

void RetentionSweep::look_hourly() {
    timers_.at(services_.now() + kLookEvery, [this] {
        if (stopped_) return;
        sweep();
        look_hourly();
    });
}

void RetentionSweep::ended(const std::string& workflow_key, RunStatus status) {
    const auto workflow = workflows_.find(workflow_key);
    if (workflow == workflows_.end()) return;
    const Duration keep = kept_for(workflow->second, status);
    if (keep > Duration{0}) due_at(base::later(services_.now(), keep));
}

void RetentionSweep::due_at(Time when) {
    // The end of its minute: runs that end together go together.
    const auto minutes = when.time_since_epoch() / kMinute + 1;
    if (due_.insert(Time{minutes * kMinute}).second) arm();
}

void RetentionSweep::arm() {
    if (armed_ || due_.empty() || stopped_) return;
    armed_ = true;
    timers_.at(*due_.begin(), [this] {
        armed_ = false;
        while (!due_.empty() && *due_.begin() <= services_.now()) due_.erase(due_.begin());
        sweep();
        arm();
    });
}

void RetentionSweep::sweep() {
    if (sweeping_ || stopped_) return;
    sweeping_ = true;
    const Time now = services_.now();
    store::Prune prune;
    prune.limit = kRunsPerBatch;
    for (const auto& [key, retention] : workflows_) {
        const auto before = [&](RunStatus status) {
            const Duration keep = kept_for(retention, status);
            return keep > Duration{0} && keep < now.time_since_epoch() ? now - keep : Time{};
        };
        prune.rules.push_back({key, before(RunStatus::Succeeded), before(RunStatus::Failed)});
    }
    services_.writer.push(std::move(prune),
                          [this](store::Verb& verb) { swept(std::get<store::Prune>(verb)); });
}

void RetentionSweep::swept(const store::Prune& prune) {
    sweeping_ = false;
    if (prune.lost) {
        timers_.at(services_.now() + kMinute, [this] { sweep(); });
        return;
    }
    const auto deleted = prune.outcome.deleted.size();
    services_.counters.runs_deleted += static_cast<std::int64_t>(deleted);
    deleted_some_ = deleted_some_ || deleted > 0;
    if (deleted > 0) {
        services_.log(LogLevel::Info, "runs_deleted",
                      fmt::format("{} runs that were over went by the retention of their workflows",
                                  deleted));
    }
    if (prune.outcome.more) {
        timers_.at(services_.now() + kBreath, [this] { sweep(); });
        return;
    }
    if (std::exchange(deleted_some_, false)) collect_garbage();
}

void RetentionSweep::collect_garbage() {
    services_.world.executor.post(env::Lane::Pool, [&services = services_] {
        try {
            const auto removed = services.store.collect_garbage();
            if (removed == 0) return;
            services.log(
                LogLevel::Info, "blobs_collected",
                fmt::format("{} large values that nothing named any more were removed", removed));
        } catch (const std::exception& error) {
            services.log(LogLevel::Warning, "retention_failed", error.what());
        }
    });
}

}  // namespace belay::engine

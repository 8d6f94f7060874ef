// watchdog.hpp — finds runs that nothing will ever wake, case by case, so that none is stuck in silence (P6).
//
// It reads the store a little at a time and says what to mark and what to unmark; the engine commits that.
// It never changes what a run does: a mark is for people, lists and metrics. docs/stalled.md has the cases.
// Used by one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/engine/resident.hpp"
#include "core/engine/services.hpp"
#include "core/model/worker.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

class Watchdog {
public:
    static constexpr Duration kEvery{5000};

    explicit Watchdog(Services& services) : services_(services) {}

    // What has changed since the last look. `silent`: steps past their limit, of runs in memory here.
    std::vector<store::MarkStalled> look(const std::vector<Resident::SilentStep>& silent, Time now);

    // Says why a queued run's queue lets nothing through: paused, or a limit of 0; nothing if it does. For the
    // room of queues to set, before start().
    std::function<std::optional<std::string>(const model::Run&)> queue_is_closed{};

private:
    using Found = std::map<model::RunNo, std::pair<model::Run, model::Stall>>;

    void find_without_worker(Found& found, Time now);
    void find_asleep(Found& found, Time now);
    void find_silent(Found& found, const std::vector<Resident::SilentStep>& silent, Time now);
    // Of a run that waits and that no clock wakes: why nothing else will either.
    std::optional<model::Stall> judge_asleep(const model::Run& run, Time now);
    std::optional<model::Stall> judge_waiting_stage(const model::Run& run,
                                                    const model::Stage& stage, Time now);
    std::optional<model::Stall> judge_worker(const model::Run& run, Time now) const;
    std::optional<std::string> cycle_from(const model::Run& run, const model::Run& child);
    bool still_holds(const model::Run& run, const Found& found, Time now);

    Services& services_;
    std::vector<model::Worker> workers_;         // as of this look
    std::optional<model::RunNo> asleep_before_;  // where the last look left off
};

}  // namespace belay::engine

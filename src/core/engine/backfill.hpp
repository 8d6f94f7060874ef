// backfill.hpp — past ticks of a schedule that are made up for: which, as one transaction, and as JSON.
//
// A run of a tick has the id that follows from schedule and tick, whoever starts it: so what has run, or a schedule
// starts meanwhile, is one run (P3). It is of no schedule for the policy of overlapping: dozens of them are beside each
// other by intention, and a tick that fires neither waits for them nor cancels them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <belay/engine.hpp>

#include "core/engine/workflows.hpp"
#include "core/env/time_zones.hpp"
#include "core/model/run.hpp"
#include "core/model/schedule.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

// The kind of request to an executor (store::ControlRequest).
inline constexpr const char* kBackfillRequest = "backfill";

struct Backfill {
    std::vector<model::NewRun> runs{};
    BackfillReport report{};  // what is known before it is done: ticks, first, last, next
    bool dry_run = false;
};

// The runs of the ticks that are asked for. Throws Error{NotFound} for the schedule, {InvalidArgument} for a span or a
// limit that cannot be, or for times that cannot be used.
Backfill plan_backfill(const belay::detail::BackfillRequest& request,
                       const std::vector<model::StoredSchedule>& schedules, env::TimeZones& zones,
                       Time now, const std::string& code_version);

// Whose input came from outside is asked about as where it fires; one whose workflow is not defined here is asked about
// where its code is. Throws as admit_from_outside.
void admit(Backfill& backfill, const Workflows& workflows,
           const std::vector<model::StoredSchedule>& schedules);

// Starts them in one transaction; or only looks, and writes nothing.
store::Transact transact_of(Backfill backfill);
// What came of it. Throws what the transaction threw.
BackfillReport report_of(const store::Transact& transact);

std::string to_payload(const belay::detail::BackfillRequest& request);
// Throw Error{BadValue} for JSON that is none of ours.
belay::detail::BackfillRequest backfill_request(const std::string& payload);
BackfillReport backfill_report(const std::string& json);

}  // namespace belay::engine

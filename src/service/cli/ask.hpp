// ask.hpp — a change to queues, schedules or budgets: made here if nobody executes on the store, else asked for.
#pragma once

#include <functional>
#include <string>

#include <belay/engine.hpp>

#include "core/store/store.hpp"

namespace belay::cli {

struct Session;

// Asks the process that executes for a change, and waits for its answer, `nap` at a time, for about ten
// seconds. Gives that. Throws its refusal with its code, Error{StoreUnavailable} if it does not answer.
std::string ask_executor(store::Store& store, Time now, const std::string& kind,
                         const std::string& payload, const std::function<void(Duration)>& nap,
                         const std::string& run_id = {});

// On a store that executes. Throw as engine/queue_requests.hpp says.
void change_here(store::Store& store, Time now, const belay::detail::QueueRequest& request);
void change_here(store::Store& store, Time now, const belay::detail::ScheduleRequest& request);

BackfillReport backfill_here(store::Store& store, Time now,
                             const belay::detail::BackfillRequest& request);
void change_here(store::Store& store, Time now, const belay::detail::BudgetRequest& request);
void change_here(store::Store& store, Time now, const belay::detail::ApprovalRequest& request);

// Either of the two, by who executes on the session's store.
void change(Session& session, const belay::detail::QueueRequest& request);
void change(Session& session, const belay::detail::ScheduleRequest& request);
BackfillReport backfill(Session& session, const belay::detail::BackfillRequest& request);
void change(Session& session, const belay::detail::BudgetRequest& request);
void change(Session& session, const belay::detail::ApprovalRequest& request);

}  // namespace belay::cli

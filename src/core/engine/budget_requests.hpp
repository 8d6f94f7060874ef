// budget_requests.hpp — what is asked of budgets, as verbs of the store and as JSON.
//
// The engine, the command line on a store that nobody executes on, the HTTP API and the requests of other processes all
// come through here, so that all check the same: an organization sets limits for its own runs; only the engine's own may
// name another, or all.
#pragma once

#include <string>

#include <belay/engine.hpp>

#include "core/store/batch.hpp"

namespace belay::engine {

// The kinds of requests to an executor (store::ControlRequest).
inline constexpr const char* kBudgetRequest = "budget";
inline constexpr const char* kApprovalRequest = "approve";

// `own` is the engine's organization. Throws Error{InvalidArgument} for a name, a limit or an organization that cannot be.
store::ChangeBudget change_of(const belay::detail::BudgetRequest& request, const std::string& own);
model::Approval approval_of(const belay::detail::ApprovalRequest& request, const std::string& own);

// Throws what the outcome means: Error{NotFound}, {InvalidArgument}.
void throw_unless_done(const store::ChangeBudget& change);

std::string to_payload(const belay::detail::BudgetRequest& request);
std::string to_payload(const belay::detail::ApprovalRequest& request);
// Throw Error{BadValue} for JSON that is none of ours.
belay::detail::BudgetRequest budget_request(const std::string& payload);
belay::detail::ApprovalRequest approval_request(const std::string& run_id,
                                                const std::string& payload);

}  // namespace belay::engine

#include "core/engine/budget_requests.hpp"

#include <fmt/format.h>
#include <boost/describe.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/engine/failure.hpp"
#include "core/model/budget.hpp"

namespace belay::engine {

namespace {

using belay::detail::ApprovalRequest;
using belay::detail::BudgetRequest;

struct BudgetPayload {
    std::string what;
    std::string name;
    std::string budget;  // JSON
    std::string by;
};
BOOST_DESCRIBE_STRUCT(BudgetPayload, (), (what, name, budget, by))

struct ApprovalPayload {
    std::string amount;
    std::string currency;  // empty: once
    std::string by;
};
BOOST_DESCRIBE_STRUCT(ApprovalPayload, (), (amount, currency, by))

store::ChangeKind kind_of(BudgetRequest::What what) {
    switch (what) {
        case BudgetRequest::What::Declare:
            return store::ChangeKind::Declare;
        case BudgetRequest::What::Set:
            return store::ChangeKind::Set;
        case BudgetRequest::What::Remove:
            break;
    }
    return store::ChangeKind::Remove;
}

}  // namespace

store::ChangeBudget change_of(const BudgetRequest& request, const std::string& own) {
    store::ChangeBudget change;
    change.kind = kind_of(request.what);
    model::StoredBudget& row = change.budget;
    row.set_by = request.by.empty() ? own : request.by;
    row.name = request.name;
    if (change.kind == store::ChangeKind::Remove) return change;
    row.budget = request.budget;
    if (row.budget.organization.empty()) row.budget.organization = row.set_by;
    if (row.set_by != own && row.budget.organization != row.set_by) {
        throw Error(ErrorCode::InvalidArgument,
                    "a budget counts the runs of the organization that sets it; only the server's "
                    "own may limit another");
    }
    model::check_budget(row.name, row.budget);
    row.declared = model::declaration_of(row.budget);
    return change;
}

model::Approval approval_of(const ApprovalRequest& request, const std::string& own) {
    model::Approval approval;
    approval.by = request.by.empty() ? own : request.by;
    approval.is_own = approval.by == own;
    approval.limit = request.limit;
    if (model::is_negative(request.limit)) {
        throw Error(ErrorCode::InvalidArgument, "a limit is above zero");
    }
    return approval;
}

void throw_unless_done(const store::ChangeBudget& change) {
    if (change.lost) throw error_of(*change.lost);
    if (change.outcome == store::ChangeResult::NotFound) {
        throw Error(ErrorCode::NotFound,
                    fmt::format("there is no budget `{}`; `belay budgets list` shows those that "
                                "are there",
                                change.budget.name));
    }
    if (change.outcome == store::ChangeResult::Refused)
        throw Error(ErrorCode::InvalidArgument, change.why);
}

std::string to_payload(const BudgetRequest& request) {
    BudgetPayload out;
    out.what = request.what == BudgetRequest::What::Remove    ? "remove"
               : request.what == BudgetRequest::What::Declare ? "declare"
                                                              : "set";
    out.name = request.name;
    if (request.what != BudgetRequest::What::Remove)
        out.budget = model::budget_text(request.budget);
    out.by = request.by;
    return to_json(out);
}

BudgetRequest budget_request(const std::string& payload) {
    const auto in = from_json<BudgetPayload>(payload);
    BudgetRequest out;
    out.what = in.what == "remove"    ? BudgetRequest::What::Remove
               : in.what == "declare" ? BudgetRequest::What::Declare
                                      : BudgetRequest::What::Set;
    out.name = in.name;
    if (out.what != BudgetRequest::What::Remove) out.budget = model::read_budget(in.budget);
    out.by = in.by;
    return out;
}

std::string to_payload(const ApprovalRequest& request) {
    return to_json(ApprovalPayload{request.limit.amount(), request.limit.currency(), request.by});
}

ApprovalRequest approval_request(const std::string& run_id, const std::string& payload) {
    const auto in = from_json<ApprovalPayload>(payload);
    ApprovalRequest out;
    out.run_id = run_id;
    if (!in.currency.empty()) out.limit = Money(in.amount, in.currency);
    out.by = in.by;
    return out;
}

}  // namespace belay::engine

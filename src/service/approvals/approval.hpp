// approval.hpp — APPROVAL: a person is asked, and the run waits for the answer.
//
//   prepare-request   the request is listed, and those who watch are told
//   decision          up to seven days for approve or reject, with a comment
//   record-decision   the answer, or that none came
//
// A rejection is a result, not an error; so is that nobody answered. The answer is given once: it is written onto the
// request's row in the transaction that sends it to the run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include <belay/engine.hpp>
#include <belay/time.hpp>

namespace belay::approvals {

inline constexpr std::string_view kApproval = "APPROVAL";
inline constexpr std::string_view kDecisionTopic = "decision";
inline constexpr Duration kWaitAtMost = std::chrono::hours{24 * 7};
inline constexpr std::size_t kTitleCharsMax = 200;
inline constexpr std::size_t kTextCharsMax = 4000;

// The run's input.
struct ApprovalInput {
    std::string title{};
    std::string details{};
};
BOOST_DESCRIBE_STRUCT(ApprovalInput, (), (title, details))

// What is sent to the run. A message that does not say `approved`, true or false, is no answer: the run goes on waiting.
struct Decision {
    bool approved = false;
    std::string comment{};
};
BOOST_DESCRIBE_STRUCT(Decision, (), (approved, comment))

// The run's result.
struct ApprovalResult {
    std::string decision{};  // "approved", "rejected", "expired"
    bool approved = false;
    std::string comment{};
};
BOOST_DESCRIBE_STRUCT(ApprovalResult, (), (decision, approved, comment))

struct Approval {
    std::string workflow_run_id{};
    std::string organization_id{};
    std::string title{};
    std::string details{};
    std::string status{};  // "pending", "approved", "rejected", "expired", "canceled"
    std::string comment{};
    Time requested_at{};
    std::optional<Time> decided_at{};
    Time expires_at{};
};

inline constexpr std::string_view kApprovalsOwner = "belay.approvals";
std::vector<std::string> approval_migrations();

// Tables and workflow. Before Engine::start.
void define_approval(Engine& engine);

// What is asked, by the API or, as a control request of this kind, by other processes: {"verb", …}. Gives the run's id.
// Throws Error{InvalidArgument} naming the field, {NotFound}, {InputMismatch} if the request was answered before.
inline constexpr std::string_view kApprovalsRequest = "approvals";
struct ApprovalRequest {
    std::string verb{};             // "request", "approve", "reject"
    std::string organization_id{};  // empty in an answer: whoever's it is
    std::string workflow_run_id{};  // of "request": the id to give it; made up if empty
    std::string title{};
    std::string details{};
    std::string comment{};
};
BOOST_DESCRIBE_STRUCT(ApprovalRequest, (),
                      (verb, organization_id, workflow_run_id, title, details, comment))
std::string approval_request(Tx& tx, const std::string& request);

// Runs a query: an engine's, or a store's that nobody executes on.
using Ask = std::function<SqlRows(std::string_view sql, const std::vector<SqlValue>& values)>;
Ask ask_engine(Engine& engine);
// A transaction's: it sees what that has written, and outlives the Ask.
Ask ask_tx(Tx& tx);

// Newest first; empty filters mean all.
std::vector<Approval> list_approvals(const Ask& ask, const std::string& organization_id,
                                     const std::string& status, int limit);
std::optional<Approval> find_approval(const Ask& ask, const std::string& organization_id,
                                      const std::string& workflow_run_id);
bool is_approval_status(std::string_view word);
inline constexpr std::string_view kApprovalStatuses =
    "pending, approved, rejected, expired, canceled";

}  // namespace belay::approvals

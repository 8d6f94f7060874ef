#include "service/approvals/approval.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/belay.hpp>

#include "core/base/utf8.hpp"

namespace belay::approvals {

namespace {

constexpr std::string_view kTable = R"sql(
CREATE TABLE approval_requests (
    workflow_run_id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    title TEXT NOT NULL,
    details TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired', 'canceled')),
    comment TEXT NOT NULL DEFAULT '',
    requested_at BIGINT NOT NULL,
    decided_at BIGINT,
    expires_at BIGINT NOT NULL
);
CREATE INDEX idx_approvals_organization ON approval_requests (organization_id, requested_at);
)sql";

constexpr std::string_view kColumns =
    "workflow_run_id, organization_id, title, details, status, comment, requested_at, decided_at, "
    "expires_at";

Approval approval_in(const SqlRow& row) {
    return Approval{
        row.get<std::string>(0), row.get<std::string>(1),         row.get<std::string>(2),
        row.get<std::string>(3), row.get<std::string>(4),         row.get<std::string>(5),
        row.get<Time>(6),        row.get<std::optional<Time>>(7), row.get<Time>(8)};
}

void check_text(std::string_view field, const std::string& text, std::size_t most, bool needed) {
    if (needed && text.empty())
        throw Error(ErrorCode::InvalidArgument, fmt::format("`{}` is missing", field));
    if (text.size() > most)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("`{}` has at most {} characters", field, most));
    if (!base::is_utf8(text))
        throw Error(ErrorCode::InvalidArgument, fmt::format("`{}` is not UTF-8", field));
}

void check_input(const ApprovalInput& input) {
    check_text("title", input.title, kTitleCharsMax, true);
    check_text("details", input.details, kTextCharsMax, false);
}

void insert_row(Tx& tx, const std::string& run, const std::string& organization,
                const ApprovalInput& input) {
    tx.exec(
        "INSERT INTO approval_requests (workflow_run_id, organization_id, title, details, status, "
        "requested_at, expires_at) VALUES (?, ?, ?, ?, 'pending', ?, ?) "
        "ON CONFLICT (workflow_run_id) DO NOTHING",
        run, organization, input.title, input.details, tx.now(), tx.now() + kWaitAtMost);
}

// A request that came through the API has its row already; one that a program submitted gets it here.
bool prepare_request(Tx& tx, const ApprovalInput& input, const std::string& organization) {
    insert_row(tx, tx.run_id(), organization, input);
    tx.publish("approval_requested",
               boost::json::value{{"workflow_run_id", tx.run_id()}, {"title", input.title}},
               {organization});
    return true;
}

ApprovalResult record_decision(Tx& tx, const std::optional<Decision>& decision) {
    ApprovalResult result;
    if (decision) {
        result.approved = decision->approved;
        result.decision = decision->approved ? "approved" : "rejected";
        result.comment = decision->comment;
    } else {
        result.decision = "expired";
    }
    tx.exec(
        "UPDATE approval_requests SET status = ?, comment = ?, decided_at = coalesce(decided_at, "
        "?) "
        "WHERE workflow_run_id = ?",
        result.decision, result.comment, tx.now(), tx.run_id());
    tx.publish("approval_decided", boost::json::value{{"workflow_run_id", tx.run_id()},
                                                      {"decision", result.decision},
                                                      {"comment", result.comment}});
    return result;
}

void note_end(Tx& tx, const RunInfo& run) {
    if (run.status == RunStatus::Succeeded) return;
    tx.exec(
        "UPDATE approval_requests SET status = 'canceled', decided_at = ? "
        "WHERE workflow_run_id = ? AND status = 'pending'",
        tx.now(), run.id);
}

// A canceled run that is run again waits again.
void note_start(Tx& tx, const RunInfo& run) {
    tx.exec(
        "UPDATE approval_requests SET status = 'pending', decided_at = NULL "
        "WHERE workflow_run_id = ? AND status = 'canceled'",
        run.id);
}

// Anybody in the organization can send anything to the run; only what says yes or no is an answer.
std::optional<Decision> decision_in(const boost::json::value& message) {
    const auto* fields = message.if_object();
    const auto* approved = fields != nullptr ? fields->if_contains("approved") : nullptr;
    if (approved == nullptr || !approved->is_bool()) return std::nullopt;
    try {
        return read_json<Decision>(message);
    } catch (const Error&) {
        return std::nullopt;
    }
}

Task<ApprovalResult> approval(Context& ctx, ApprovalInput input) {
    const std::string organization = ctx.organization_id();
    co_await ctx.transaction("prepare-request", prepare_request, input, organization);
    const Time until = ctx.now() + kWaitAtMost;
    std::optional<Decision> decision;
    bool ignored = false;
    for (;;) {
        const Duration left = std::max(until - ctx.now(), Duration{0});
        const std::optional<boost::json::value> message =
            co_await ctx.receive<boost::json::value>(kDecisionTopic, left);
        if (!message) break;
        decision = decision_in(*message);
        if (decision) break;
        ignored = true;
        ctx.progress(0, 1,
                     "a message without \"approved\": true or false was no answer; still waiting");
    }
    if (ignored) ctx.progress(1, 1, decision ? "answered" : "nobody answered");
    const ApprovalResult result =
        co_await ctx.transaction("record-decision", record_decision, decision);
    co_return result;
}

// One that people can put into an address: derived ids have slashes.
std::string id_from(std::string transaction) {
    std::replace(transaction.begin(), transaction.end(), '/', '_');
    return "approval_" + transaction;
}

std::string request(Tx& tx, const ApprovalRequest& asked) {
    const ApprovalInput input{asked.title, asked.details};
    check_input(input);
    SubmitOptions options;
    options.id = asked.workflow_run_id.empty() ? id_from(tx.run_id()) : asked.workflow_run_id;
    options.organization_id = asked.organization_id;
    options.source_channel = "approval";
    const std::string run = tx.submit(kApproval, input, options);
    insert_row(tx, run, asked.organization_id, input);
    return run;
}

std::string answer(Tx& tx, const ApprovalRequest& asked, bool approved) {
    check_text("comment", asked.comment, kTextCharsMax, false);
    const SqlRows rows =
        tx.query("SELECT organization_id, status FROM approval_requests WHERE workflow_run_id = ?",
                 asked.workflow_run_id);
    if (rows.empty() ||
        (!asked.organization_id.empty() && rows[0].get<std::string>(0) != asked.organization_id)) {
        throw Error(ErrorCode::NotFound,
                    fmt::format("there is no request `{}`", asked.workflow_run_id));
    }
    if (const auto status = rows[0].get<std::string>(1); status != "pending")
        throw Error(ErrorCode::InputMismatch,
                    fmt::format("request {} is {} already", asked.workflow_run_id, status));
    tx.exec(
        "UPDATE approval_requests SET status = ?, comment = ?, decided_at = ? "
        "WHERE workflow_run_id = ?",
        approved ? "approved" : "rejected", asked.comment, tx.now(), asked.workflow_run_id);
    SendOptions options;
    options.organization_id = rows[0].get<std::string>(0);
    options.dedupe_key = "decision";
    tx.send(asked.workflow_run_id, kDecisionTopic, Decision{approved, asked.comment}, options);
    return asked.workflow_run_id;
}

}  // namespace

std::vector<std::string> approval_migrations() { return {std::string(kTable)}; }

void define_approval(Engine& engine) {
    engine.migrate(kApprovalsOwner, approval_migrations());
    WorkflowOptions options;
    options.summary = "Asks a person, and waits up to seven days for the answer";
    options.admit = [](std::string_view, const ApprovalInput& input) { check_input(input); };
    options.on_start = note_start;
    options.on_end = note_end;
    engine.define(std::string(kApproval), approval, std::move(options));
}

std::string approval_request(Tx& tx, const std::string& text) {
    const auto asked = from_json<ApprovalRequest>(text);
    if (asked.verb == "request") return request(tx, asked);
    if (asked.verb == "approve" || asked.verb == "reject")
        return answer(tx, asked, asked.verb == "approve");
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("`verb` is request, approve or reject, not `{}`", asked.verb));
}

namespace {

template <class From>
Ask ask(From& from) {
    return [&from](std::string_view sql, const std::vector<SqlValue>& values) {
        switch (values.size()) {
            case 0:
                return from.query(sql);
            case 1:
                return from.query(sql, values[0]);
            case 2:
                return from.query(sql, values[0], values[1]);
            case 3:
                return from.query(sql, values[0], values[1], values[2]);
            default:
                return from.query(sql, values.at(0), values.at(1), values.at(2), values.at(3));
        }
    };
}

}  // namespace

Ask ask_engine(Engine& engine) { return ask(engine); }
Ask ask_tx(Tx& tx) { return ask(tx); }

std::vector<Approval> list_approvals(const Ask& ask, const std::string& organization_id,
                                     const std::string& status, int limit) {
    std::string sql = fmt::format("SELECT {} FROM approval_requests WHERE 1 = 1", kColumns);
    std::vector<SqlValue> values;
    if (!organization_id.empty()) {
        sql += " AND organization_id = ?";
        values.emplace_back(organization_id);
    }
    if (!status.empty()) {
        sql += " AND status = ?";
        values.emplace_back(status);
    }
    sql += " ORDER BY requested_at DESC, workflow_run_id DESC LIMIT ?";
    values.emplace_back(std::int64_t{limit});
    std::vector<Approval> all;
    for (const SqlRow row : ask(sql, values)) all.push_back(approval_in(row));
    return all;
}

std::optional<Approval> find_approval(const Ask& ask, const std::string& organization_id,
                                      const std::string& workflow_run_id) {
    const SqlRows rows =
        ask(fmt::format("SELECT {} FROM approval_requests WHERE workflow_run_id = ?", kColumns),
            {SqlValue{workflow_run_id}});
    if (rows.empty()) return std::nullopt;
    Approval found = approval_in(rows[0]);
    if (!organization_id.empty() && found.organization_id != organization_id) return std::nullopt;
    return found;
}

bool is_approval_status(std::string_view word) {
    constexpr std::array<std::string_view, 5> kWords{"pending", "approved", "rejected", "expired",
                                                     "canceled"};
    return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace belay::approvals

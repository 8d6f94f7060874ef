// budgets.cpp — how much may be paid, over HTTP: limits are seen, set and removed, and a run that one has paused goes on.
//
// An organization sees and sets its own, and sees what the server's own organization set for it (P9). It may not raise,
// remove or approve over what that one set.
#include <array>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/model/budget.hpp"
#include "service/api/api.hpp"
#include "service/api/operations.hpp"
#include "service/api/operations_views.hpp"
#include "service/api/run_views.hpp"
#include "service/api/runs.hpp"

namespace belay::api {

namespace json = boost::json;

namespace {

using Change = belay::detail::BudgetRequest;

bool is_seen_by(const BudgetInfo& budget, const OperationsParts& parts, const Caller& caller) {
    return caller.organization_id == parts.own_organization ||
           budget.set_by == caller.organization_id ||
           budget.budget.organization == caller.organization_id;
}

Response list_budgets(const OperationsParts& parts, const Request& request) {
    static constexpr std::array<std::string_view, 1> kQuery{"run"};
    request.query.allow_only(kQuery);
    std::optional<model::Run> run;
    if (const std::string id = request.query.text("run"); !id.empty())
        run = run_of(parts.store, request.caller, id);
    json::array rows;
    for (const BudgetInfo& budget : parts.store.budgets(parts.clock.now(), run ? &*run : nullptr)) {
        if (is_seen_by(budget, parts, request.caller)) rows.push_back(model::budget_json(budget));
    }
    return json_response(200, {{"budgets", std::move(rows)}, {"next_cursor", nullptr}});
}

// As it is set; what is spent of it is in the list.
json::object set_json(const Change& change) {
    BudgetInfo info;
    info.name = change.name;
    info.set_by = change.by;
    info.budget = change.budget;
    if (info.budget.organization.empty()) info.budget.organization = change.by;
    json::object out = model::budget_json(info);
    for (const char* field : {"period", "limit", "spent", "reserved"}) out.erase(field);
    return out;
}

Budget budget_in(const BudgetBody& body) {
    Budget budget;
    if (body.tokens && (body.amount || body.currency))
        throw ApiError(Problem::InvalidParameter, "a limit is of money or of tokens, not of both");
    if (body.amount.has_value() != body.currency.has_value())
        throw ApiError(Problem::InvalidParameter, "`amount` and `currency` are given together");
    if (body.amount || body.currency)
        budget.money = Money(body.amount.value_or(""), body.currency.value_or(""));
    budget.tokens = body.tokens.value_or(0);
    if (body.per != "run" && body.per != "day")
        throw ApiError(Problem::InvalidParameter, "`per` is \"run\" or \"day\"");
    budget.per = body.per == "run" ? BudgetPer::Run : BudgetPer::Day;
    budget.workflow = body.workflow.value_or("");
    budget.organization = body.organization.value_or("");
    return budget;
}

template <class Do>
Claimed with_reasons(Problem problem, Do&& act) {
    try {
        return act();
    } catch (const Error& error) {
        if (error.code() == ErrorCode::InvalidArgument) throw ApiError(problem, error.what());
        throw;
    }
}

Claimed change_budget(const OperationsParts& parts, const Request& request, const Claim& claim,
                      Change change) {
    change.name = request.parameter("name");
    change.by = request.caller.organization_id;
    return with_reasons(Problem::InvalidParameter, [&] {
        return claim.ride([&](auto ride) { parts.engine.change_budget(change, ride); },
                          [&](const store::Ridden&) {
                              if (change.what == Change::What::Remove)
                                  return json_response(200, json::object{{"name", change.name}});
                              return json_response(200, set_json(change));
                          });
    });
}

Claimed set_budget(const OperationsParts& parts, const Request& request, const Claim& claim) {
    return with_reasons(Problem::InvalidParameter, [&] {
        Change change;
        change.what = Change::What::Set;
        change.budget = budget_in(body_as<BudgetBody>(request));
        return change_budget(parts, request, claim, std::move(change));
    });
}

Claimed remove_budget(const OperationsParts& parts, const Request& request, const Claim& claim) {
    Change change;
    change.what = Change::What::Remove;
    return change_budget(parts, request, claim, std::move(change));
}

Claimed approve(const OperationsParts& parts, const Request& request, const Claim& claim) {
    const model::Run run = run_of(parts.store, request.caller, request.parameter("id"));
    const auto body = body_as<ApproveBody>(request);
    belay::detail::ApprovalRequest asked{run.id, {}, request.caller.organization_id};
    if (body.amount && body.tokens)
        throw ApiError(Problem::InvalidParameter, "a new limit is of money or of tokens");
    with_reasons(Problem::InvalidParameter, [&] {
        if (body.amount || body.currency)
            asked.limit = Money(body.amount.value_or(""), body.currency.value_or(""));
        if (body.tokens) asked.limit = Money(std::to_string(*body.tokens), kTokenUnit);
        return Claim::nothing_done({});
    });
    return with_reasons(Problem::Conflict, [&] {
        return claim.ride([&](auto ride) { parts.engine.approve_spending(asked, ride); },
                          [](const store::Ridden& told) {
                              return json_response(200, {{"id", told.run->id},
                                                         {"workflow_key", told.run->workflow_key},
                                                         {"status", to_string(told.run->status)},
                                                         {"pending", nullptr}});
                          });
    });
}

}  // namespace

void add_budget_routes(Routes& routes, const OperationsParts& parts) {
    Route list;
    list.path = "/api/budgets";
    list.summary = "How much may be paid, and what is spent and reserved of it today";
    list.group = "operations";
    list.parameters = {query_parameter("run", "those that count this run, as they stand for it")};
    list.response_schema = list_schema("budgets", schema_of<BudgetView>());
    list.handler = [parts](const Request& request) { return list_budgets(parts, request); };
    routes.add(std::move(list));

    Route set;
    set.path = "/api/budgets/{name}";
    set.summary = "Set a budget of the caller's organization, or another limit of one";
    set.group = "operations";
    set.parameters = {path_parameter("name", "the budget's name")};
    set.takes = Takes::Json;
    set.request_schema = schema_of<BudgetBody>(SchemaFor::Request);
    set.response_schema = schema_of<SetBudgetView>();
    set.audit = "set_budget";
    set.audit_body = true;
    set.on<Method::Post>(Once{[parts](const Request& request, const Claim& claim) {
        return set_budget(parts, request, claim);
    }});
    routes.add(std::move(set));

    Route remove;
    remove.path = "/api/budgets/{name}/remove";
    remove.summary = "Remove a budget that the caller's organization set";
    remove.group = "operations";
    remove.parameters = {path_parameter("name", "the budget's name")};
    remove.problems = {Problem::NotFound};
    remove.response_schema = schema_of<RemovedBudgetView>();
    remove.audit = "remove_budget";
    remove.on<Method::Post>(Once{[parts](const Request& request, const Claim& claim) {
        return remove_budget(parts, request, claim);
    }});
    routes.add(std::move(remove));

    Route go_on;
    go_on.path = "/api/runs/{id}/approve";
    go_on.summary =
        "Let a run that a budget has paused pay what it asked, once or under a new limit";
    go_on.group = "runs";
    go_on.parameters = {path_parameter("id", "the run's id")};
    go_on.problems = {Problem::NotFound, Problem::Conflict};
    go_on.takes = Takes::Json;
    go_on.body_optional = true;
    go_on.request_schema = schema_of<ApproveBody>(SchemaFor::Request);
    go_on.response_schema = schema_of<ControlView>();
    go_on.audit = "approve_run";
    go_on.audit_body = true;
    go_on.on<Method::Post>(Once{[parts](const Request& request, const Claim& claim) {
        return approve(parts, request, claim);
    }});
    routes.add(std::move(go_on));
}

}  // namespace belay::api

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/model/queue_json.hpp"
#include "core/model/trigger.hpp"
#include "service/api/api.hpp"
#include "service/api/body.hpp"
#include "service/api/operations.hpp"
#include "service/api/operations_views.hpp"

namespace belay::api {

namespace json = boost::json;

namespace {

using Change = belay::detail::ScheduleRequest;

// One of another organization is not found: not even that it exists is told (P9).
bool is_of(const ScheduleInfo& schedule, const Caller& caller) {
    return schedule.options.organization_id == caller.organization_id;
}

ScheduleInfo schedule_of(const OperationsParts& parts, const Request& request) {
    const std::string& name = request.parameter("name");
    for (ScheduleInfo& schedule : parts.engine.schedules()) {
        if (schedule.name == name && is_of(schedule, request.caller)) return std::move(schedule);
    }
    throw ApiError(Problem::NotFound, fmt::format("there is no schedule `{}`", shown(name)));
}

Response list_schedules(const OperationsParts& parts, const Request& request) {
    request.query.allow_only({});
    json::array rows;
    for (const ScheduleInfo& schedule : parts.engine.schedules()) {
        if (is_of(schedule, request.caller)) rows.push_back(model::schedule_json(schedule));
    }
    return json_response(200, {{"schedules", std::move(rows)}, {"next_cursor", nullptr}});
}

Claimed changed(const OperationsParts& parts, const Request& request, const Claim& claim,
                Change::What what) {
    Change change;
    change.what = what;
    change.name = schedule_of(parts, request).name;
    return claim.ride([&](auto ride) { parts.engine.change_schedule(change, ride); },
                      [](const ScheduleInfo& stands) {
                          return json_response(200, model::schedule_json(stands));
                      });
}

// A run as a tick would have made it, beside its ticks: it changes neither the next one nor the last. What the program
// declared is done in one transaction; a schedule of others, or of a workflow that another worker has, comes from outside.
Claimed trigger(const OperationsParts& parts, const Request& request, const Claim& claim) {
    const ScheduleInfo schedule = schedule_of(parts, request);
    const std::string mark =
        claim.asked_name().empty() ? base::format_time(parts.clock.now()) : claim.asked_name();
    const SubmitOptions options = model::options_of_trigger(schedule, mark);
    const auto answer = [&](const std::string& id) {
        return json_response(202, {{"name", schedule.name},
                                   {"workflow_run_id", id},
                                   {"workflow_key", schedule.workflow_key}});
    };
    if (parts.trigger_there)
        return Claim::nothing_done(answer(parts.trigger_there(schedule.name, mark)));
    try {
        if (parts.is_declared && parts.is_declared(schedule.name)) {
            return claim.transact(parts.engine, [&](Tx& tx) {
                return answer(tx.submit_json(schedule.workflow_key, schedule.input, options));
            });
        }
    } catch (const Error& error) {
        if (error.code() == ErrorCode::InvalidArgument)
            throw ApiError(Problem::Conflict, error.what());
        if (error.code() != ErrorCode::UnknownWorkflow) throw;
    }
    const belay::detail::Submission run{schedule.workflow_key, schedule.input, options, nullptr};
    return claim.ride([&](auto ride) { parts.engine.submit_from_outside(run, ride); },
                      [&](const store::Ridden& told) { return answer(told.run->id); });
}

Time time_in(const std::string& text, std::string_view field) {
    if (const auto time = base::parse_time(text)) return *time;
    throw ApiError(Problem::InvalidParameter,
                   fmt::format("`{}` is a time such as 2026-11-15T20:00:00Z", field));
}

Claimed backfill(const OperationsParts& parts, const Request& request, const Claim& claim) {
    belay::detail::BackfillRequest asked;
    asked.name = schedule_of(parts, request).name;
    const auto body = body_as<BackfillBody>(request);
    asked.from = time_in(body.from, "from");
    asked.to = body.to ? time_in(*body.to, "to") : parts.clock.now();
    if (const auto limit = body.limit) {
        if (*limit < 1 || *limit > base::kBackfillTicksMax)
            throw ApiError(Problem::InvalidParameter,
                           fmt::format("`limit` is 1 to {}", base::kBackfillTicksMax));
        asked.options.limit = static_cast<int>(*limit);
    }
    asked.options.dry_run = body.dry_run.value_or(false);
    const auto answer = [](const BackfillReport& report) {
        return json_response(200, model::backfill_json(report));
    };
    try {
        if (asked.options.dry_run) return Claim::nothing_done(answer(parts.engine.backfill(asked)));
        return claim.ride([&](auto ride) { parts.engine.backfill(asked, ride); }, answer);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::InvalidArgument)
            throw ApiError(Problem::InvalidParameter, error.what());
        throw;
    }
}

using Act = Claimed (*)(const OperationsParts&, const Request&, const Claim&);

struct Verb {
    std::string_view word;
    std::string_view summary;
    Act act;
};
constexpr std::array kVerbs{
    Verb{"pause", "Let its ticks pass until it is resumed",
         [](const OperationsParts& parts, const Request& request, const Claim& claim) {
             return changed(parts, request, claim, Change::What::Pause);
         }},
    Verb{"resume", "Let a paused schedule fire again, from its next tick on",
         [](const OperationsParts& parts, const Request& request, const Claim& claim) {
             return changed(parts, request, claim, Change::What::Resume);
         }},
    Verb{"trigger", "Start a run of it now, beside its ticks", trigger},
    Verb{"backfill", "Start the runs of past ticks, each at most once, or count them", backfill},
};

}  // namespace

void add_schedule_routes(Routes& routes, const OperationsParts& parts) {
    Route list;
    list.path = "/api/schedules";
    list.summary = "What starts by the clock: when next, and what came of the last time";
    list.group = "operations";
    list.response_schema = list_schema("schedules", schema_of<ScheduleView>());
    list.handler = [parts](const Request& request) { return list_schedules(parts, request); };
    routes.add(std::move(list));

    for (const Verb& verb : kVerbs) {
        Route route;
        route.path = fmt::format("/api/schedules/{{name}}/{}", verb.word);
        route.summary = std::string(verb.summary);
        route.group = "operations";
        route.parameters = {path_parameter("name", "the schedule's name")};
        route.problems = {Problem::NotFound};
        route.response_schema = schema_of<ScheduleView>();
        if (verb.word == "trigger") {
            route.success = 202;
            route.response_schema = schema_of<TriggeredView>();
            route.problems.push_back(Problem::Conflict);
        }
        if (verb.word == "backfill") {
            route.takes = Takes::Json;
            route.request_schema = schema_of<BackfillBody>(SchemaFor::Request);
            route.response_schema = schema_of<BackfillView>();
            route.audit_body = true;
        }
        route.audit = fmt::format("{}_schedule", verb.word);
        route.on<Method::Post>(Once{[parts, &verb](const Request& request, const Claim& claim) {
            return verb.act(parts, request, claim);
        }});
        routes.add(std::move(route));
    }
}

}  // namespace belay::api

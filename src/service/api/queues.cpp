#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/model/queue_json.hpp"
#include "service/api/api.hpp"
#include "service/api/operations.hpp"
#include "service/api/operations_views.hpp"
#include "service/api/run_views.hpp"

namespace belay::api {

namespace json = boost::json;

namespace {

using Change = belay::detail::QueueRequest;

QueueInfo queue_of(const OperationsParts& parts, const std::string& name) {
    auto queues = parts.engine.queues();
    const auto found = std::find_if(queues.begin(), queues.end(),
                                    [&](const auto& one) { return one.name == name; });
    if (found == queues.end())
        throw ApiError(Problem::NotFound, fmt::format("there is no queue `{}`", shown(name)));
    return std::move(*found);
}

void refuse_unless_own(const OperationsParts& parts, const Caller& caller) {
    if (caller.organization_id == parts.own_organization) return;
    throw ApiError(
        Problem::NotFound,
        fmt::format("a queue serves every organization and belongs to `{}`, the server's own: "
                    "only a token of that one may change it (or `belay queues` on its machine)",
                    parts.own_organization));
}

// As it stands when it is changed; how many wait and run is as of just before.
Claimed changed(const OperationsParts& parts, const Claim& claim, QueueInfo queue,
                const std::string& reason, Change::What what) {
    const Change change{what, queue.name, queue.limits, reason};
    if (what != Change::What::Set) {
        queue.paused = what == Change::What::Pause;
        queue.pause_reason = reason;
    }
    try {
        return claim.ride(
            [&](auto ride) { parts.engine.change_queue(change, ride); },
            [&](const store::Ridden&) { return json_response(200, model::queue_json(queue)); });
    } catch (const Error& error) {
        if (error.code() == ErrorCode::InvalidArgument)
            throw ApiError(Problem::InvalidParameter, error.what());
        throw;
    }
}

// A whole number that the queue's own check can judge; null: not limited.
std::optional<int> count_in(const json::value& value, std::string_view field) {
    if (value.is_null()) return std::nullopt;
    if (value.is_int64() && value.get_int64() >= 0 &&
        value.get_int64() <= std::numeric_limits<int>::max())
        return static_cast<int>(value.get_int64());
    throw ApiError(Problem::InvalidJson,
                   fmt::format("`{}` is a whole number from 0, or null to lift the limit", field));
}

belay::RateLimit rate_in(const json::value& value) {
    const auto* rate = value.if_object();
    const auto* starts = rate != nullptr ? rate->if_contains("starts") : nullptr;
    const auto* period = rate != nullptr ? rate->if_contains("period_ms") : nullptr;
    if (starts == nullptr || period == nullptr || rate->size() != 2 || !starts->is_int64() ||
        !period->is_int64() || starts->get_int64() > std::numeric_limits<int>::max() ||
        starts->get_int64() < 0)
        throw ApiError(Problem::InvalidJson,
                       "`rate` is {\"starts\": …, \"period_ms\": …}, or null to lift the limit");
    return {static_cast<int>(starts->get_int64()), Duration{period->get_int64()}};
}

// What the body leaves out stays as it is.
QueueLimits limits_in(const Request& request, QueueLimits limits) {
    boost::system::error_code error;
    const json::value read = json::parse(request.body, error);
    if (error || !read.is_object())
        throw ApiError(Problem::InvalidJson, "the body is a JSON object");
    for (const auto& field : read.as_object()) {
        if (field.key() == "concurrency") {
            limits.concurrency = count_in(field.value(), field.key());
        } else if (field.key() == "concurrency_per_worker") {
            limits.concurrency_per_worker = count_in(field.value(), field.key());
        } else if (field.key() == "rate") {
            limits.rate.reset();
            if (!field.value().is_null()) limits.rate = rate_in(field.value());
        } else {
            throw ApiError(Problem::InvalidJson,
                           fmt::format("there is no field `{}`: a queue has concurrency, "
                                       "concurrency_per_worker, rate",
                                       shown(field.key())));
        }
    }
    return limits;
}

Response list_queues(const OperationsParts& parts, const Request& request) {
    request.query.allow_only({});
    json::array rows;
    const bool own = request.caller.organization_id == parts.own_organization;
    const std::string of = own ? "" : request.caller.organization_id;
    for (const QueueInfo& queue : parts.store.queues(parts.clock.now(), of)) {
        rows.push_back(model::queue_json(queue));
    }
    return json_response(200, {{"queues", std::move(rows)}, {"next_cursor", nullptr}});
}

Claimed pause_queue(const OperationsParts& parts, const Request& request, const Claim& claim) {
    QueueInfo queue = queue_of(parts, request.parameter("name"));
    refuse_unless_own(parts, request.caller);
    const std::string reason = body_as<ControlBody>(request).reason.value_or("");
    if (reason.size() > base::kMessageCharsMax)
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("`reason` has at most {} characters", base::kMessageCharsMax));
    return changed(parts, claim, std::move(queue), reason, Change::What::Pause);
}

Claimed resume_queue(const OperationsParts& parts, const Request& request, const Claim& claim) {
    QueueInfo queue = queue_of(parts, request.parameter("name"));
    refuse_unless_own(parts, request.caller);
    return changed(parts, claim, std::move(queue), "", Change::What::Resume);
}

Claimed limit_queue(const OperationsParts& parts, const Request& request, const Claim& claim) {
    QueueInfo queue = queue_of(parts, request.parameter("name"));
    refuse_unless_own(parts, request.caller);
    queue.limits = limits_in(request, queue.limits);
    return changed(parts, claim, std::move(queue), "", Change::What::Set);
}

using Act = Claimed (*)(const OperationsParts&, const Request&, const Claim&);

struct Verb {
    std::string_view word;
    std::string_view summary;
    Act act;
};
constexpr std::array kVerbs{
    Verb{"pause", "No run of the queue begins, or goes on after a wait, until it is resumed",
         pause_queue},
    Verb{"resume", "Let a paused queue go on", resume_queue},
    Verb{"limits", "Change how many of its runs may be under way, and how fast they begin",
         limit_queue},
};

}  // namespace

void add_queue_routes(Routes& routes, const OperationsParts& parts) {
    Route list;
    list.path = "/api/queues";
    list.summary = "Where runs wait for their turn: limits, and how many wait and run";
    list.group = "operations";
    list.response_schema = list_schema("queues", schema_of<QueueView>());
    list.handler = [parts](const Request& request) { return list_queues(parts, request); };
    routes.add(std::move(list));

    for (const Verb& verb : kVerbs) {
        Route route;
        route.path = fmt::format("/api/queues/{{name}}/{}", verb.word);
        route.summary = std::string(verb.summary);
        route.group = "operations";
        route.parameters = {path_parameter("name", "the queue's name")};
        route.problems = {Problem::NotFound};
        route.takes = Takes::Json;
        const bool limits = verb.act == limit_queue;
        route.body_optional = !limits;
        route.request_schema = limits ? schema_of<LimitsBody>(SchemaFor::Request)
                                      : schema_of<ControlBody>(SchemaFor::Request);
        route.response_schema = schema_of<QueueView>();
        route.audit = fmt::format("{}_queue", verb.word);
        route.audit_body = true;
        route.on<Method::Post>(Once{[parts, &verb](const Request& request, const Claim& claim) {
            return verb.act(parts, request, claim);
        }});
        routes.add(std::move(route));
    }
}

void add_operations_routes(Routes& routes, const OperationsParts& parts) {
    add_queue_routes(routes, parts);
    add_schedule_routes(routes, parts);
    add_budget_routes(routes, parts);
    add_activity_routes(routes, parts);
    add_failure_routes(routes, parts);
}

}  // namespace belay::api

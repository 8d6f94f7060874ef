#include "service/api/ops.hpp"

#include <fmt/format.h>
#include <boost/describe.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/shortage.hpp"
#include "service/api/openapi.hpp"
#include "service/api/veil.hpp"

namespace belay::api {

struct HealthView {
    std::string status;
    std::string version;
};
BOOST_DESCRIBE_STRUCT(HealthView, (), (status, version))

namespace {

Response ready(const OpsParts& parts) {
    std::optional<std::string> reason;
    try {
        parts.store.query("SELECT 1", {});
        reason = base::shortage_lately();
        if (!reason && parts.not_ready) reason = parts.not_ready();
    } catch (const Error& error) {
        reason = told_to_strangers(error);  // who asks needs no token
    }
    if (reason) throw ApiError(Problem::Unavailable, *reason, {{"Retry-After", "1"}});
    return json_response(200, {{"status", "ready"}, {"version", parts.version}});
}

// The numbers are counted over every organization (P9). Who needs no token sits at the machine.
Response metrics_text(const OpsParts& parts, const Request& request) {
    const bool own = request.caller.organization_id == parts.own_organization;
    if (!own && !request.caller.token_id.empty()) {
        throw ApiError(
            Problem::Forbidden,
            fmt::format("the numbers are of the whole server and belong to `{}`, the server's own "
                        "organization: only a token of that one may read them",
                        parts.own_organization));
    }
    return text_response(200, "text/plain; version=0.0.4; charset=utf-8", parts.metrics.text());
}

Route ops_route(std::string path, std::string summary, Handler handler) {
    Route route;
    route.path = std::move(path);
    route.summary = std::move(summary);
    route.group = "operations";
    route.access = Access::Anyone;
    route.handler = std::move(handler);
    return route;
}

}  // namespace

void collect_run_counts(store::Store& store, MetricsText& out) {
    const store::RunCounts n = store.count_runs();
    out.family("belay_runs", "gauge", "Runs in the store by status.");
    const auto sample = [&](const char* status, std::int64_t count) {
        out.sample("belay_runs", {{"status", status}}, static_cast<double>(count));
    };
    sample("queued", n.queued);
    sample("running", n.running);
    sample("waiting", n.waiting);
    sample("paused", n.paused);
    sample("succeeded", n.succeeded);
    sample("failed", n.failed);
    sample("canceled", n.canceled);
    out.gauge("belay_runs_stalled",
              "Unfinished runs that nothing will get going; `belay runs list --stalled`.",
              static_cast<double>(n.stalled));
}

void add_ops_routes(Routes& routes, OpsParts parts) {
    const auto shared = std::make_shared<const OpsParts>(std::move(parts));

    Route health = ops_route("/healthz", "The process answers", [shared](const Request&) {
        return json_response(200, {{"status", "ok"}, {"version", shared->version}});
    });
    health.response_schema = schema_of<HealthView>();
    routes.add(std::move(health));

    Route is_ready = ops_route("/readyz", "It can take work now",
                               [shared](const Request&) { return ready(*shared); });
    is_ready.response_schema = schema_of<HealthView>();
    routes.add(std::move(is_ready));

    Route metrics =
        ops_route("/metrics", "Numbers for Prometheus, of the whole server",
                  [shared](const Request& request) { return metrics_text(*shared, request); });
    metrics.access = Access::Organization;
    metrics.problems = {Problem::Forbidden};
    metrics.response_type = "text/plain";
    metrics.response_schema = string_schema();
    routes.add(std::move(metrics));

    Route describe =
        ops_route("/openapi.json", "This description", [shared, &routes](const Request&) {
            return json_response(200, openapi(routes, shared->version));
        });
    describe.response_schema = schema_of<boost::json::object>();
    routes.add(std::move(describe));

    if (!shared->live) return;
    Route live;
    live.path = "/api/live";
    live.summary = "Events of the organization, as they happen (WebSocket)";
    live.group = "live";
    live.websocket = true;
    live.success = 101;
    live.parameters = {query_parameter(
        "after", "resume after the event with this id; nothing is missed", integer_schema(0))};
    live.problems = {Problem::UpgradeRequired};
    routes.add(std::move(live));
}

}  // namespace belay::api

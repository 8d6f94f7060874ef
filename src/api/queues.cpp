#include "api/queues.hpp"

#include <optional>
#include <string>

#include <boost/describe.hpp>
#include <boost/json.hpp>

#include <belay/codec.hpp>

#include "api/api.hpp"
#include "api/schema.hpp"

namespace belay::api {

struct RateView {
    std::int64_t starts;
    std::int64_t period_ms;
};
BOOST_DESCRIBE_STRUCT(RateView, (), (starts, period_ms))

struct QueueView {
    std::string name;
    std::optional<std::int64_t> concurrency;
    std::optional<std::int64_t> concurrency_per_worker;
    std::optional<RateView> rate;
    bool paused;
    std::string pause_reason;
    std::int64_t in_line;
    std::int64_t delayed;
    std::int64_t running;
    std::int64_t waiting;
    std::optional<Time> oldest_at;
};
BOOST_DESCRIBE_STRUCT(QueueView, (),
                      (name, concurrency, concurrency_per_worker, rate, paused, pause_reason,
                       in_line, delayed, running, waiting, oldest_at))

struct ScheduleView {
    std::string name;
    std::string workflow_key;
    std::string cron;
    std::string zone;
    bool paused;
    std::optional<Time> next_tick;
    std::optional<Time> last_tick;
    std::string last_run_id;
    std::int64_t fired;
    std::int64_t lost;
};
BOOST_DESCRIBE_STRUCT(ScheduleView, (),
                      (name, workflow_key, cron, zone, paused, next_tick, last_tick, last_run_id,
                       fired, lost))

namespace {

QueueView view_of(const QueueInfo& queue) {
    QueueView view{};
    view.name = queue.name;
    view.concurrency = queue.limits.concurrency;
    view.concurrency_per_worker = queue.limits.concurrency_per_worker;
    if (const auto& rate = queue.limits.rate)
        view.rate = RateView{rate->starts, static_cast<std::int64_t>(rate->period.count())};
    view.paused = queue.paused;
    view.pause_reason = queue.pause_reason;
    view.in_line = queue.in_line;
    view.delayed = queue.delayed;
    view.running = queue.running;
    view.waiting = queue.waiting;
    view.oldest_at = queue.oldest_at;
    return view;
}

ScheduleView view_of(const ScheduleInfo& schedule) {
    return {schedule.name,      schedule.workflow_key, schedule.options.cron,
            schedule.options.zone, schedule.paused,    schedule.next_tick,
            schedule.last_tick, schedule.last_run_id,  schedule.fired,
            schedule.lost};
}

template <class View>
void put(boost::json::array& into, const View& view) {
    into.push_back(boost::json::parse(to_json(view)));
}

Route list_route(std::string path, std::string summary, JsonSchema answer, Handler handler) {
    Route route;
    route.path = std::move(path);
    route.summary = std::move(summary);
    route.group = "operations";
    route.response_schema = std::move(answer);
    route.handler = std::move(handler);
    return route;
}

}  // namespace

void add_queue_routes(Routes& routes, belay::detail::EnginePort& engine) {
    routes.add(list_route(
        "/api/queues", "Where runs wait for their turn", list_schema("queues", schema_of<QueueView>()),
        [&engine](const Request&) {
            boost::json::array rows;
            for (const QueueInfo& queue : engine.queues()) put(rows, view_of(queue));
            return json_response(200, {{"queues", std::move(rows)}, {"next_cursor", nullptr}});
        }));
    routes.add(list_route(
        "/api/schedules", "What starts by the clock",
        list_schema("schedules", schema_of<ScheduleView>()), [&engine](const Request& request) {
            boost::json::array rows;
            for (const ScheduleInfo& schedule : engine.schedules()) {
                const std::string& owner = schedule.options.organization_id;
                if (owner.empty() || owner == request.caller.organization_id)
                    put(rows, view_of(schedule));
            }
            return json_response(200, {{"schedules", std::move(rows)}, {"next_cursor", nullptr}});
        }));
}

}  // namespace belay::api

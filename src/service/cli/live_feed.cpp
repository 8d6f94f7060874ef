#include "service/cli/live_feed.hpp"

#include <boost/json.hpp>

#include "core/base/limits.hpp"

namespace belay::cli {

namespace {

using namespace std::chrono_literals;

// The longest that the end of the server waits for this thread.
constexpr Duration kLookUp = 200ms;

bool is_engines(const Event& event) {
    return event.type.starts_with("run_") || event.type.starts_with("stage_");
}

// Under which name the payload of an engine's event stands.
std::string_view payload_name(const Event& event) {
    if (event.type == "run_progress") return "progress";
    if (event.type == "run_exposed") return "exposed";
    if (event.type == "run_labeled") return "labels";
    return event.type.starts_with("stage_") ? "output" : "result";
}

void put(boost::json::object& into, std::string_view name, const std::string& text) {
    if (!text.empty()) into[name] = text;
}

}  // namespace

std::string live_data(const Event& event) {
    if (!is_engines(event)) return event.data;
    boost::json::object data;
    put(data, "workflow_run_id", event.run_id);
    put(data, "workflow_key", event.workflow_key);
    put(data, "status", event.status);
    put(data, "stage_key", event.stage_key);
    put(data, "path", event.path);
    if (event.attempt > 0) data["attempt"] = event.attempt;
    put(data, "message", event.message);
    std::string text = boost::json::serialize(data);
    if (event.data.empty()) return text;
    // It is JSON already.
    text.back() = ',';
    text += '"';
    text += payload_name(event);
    text += "\":";
    text += event.data;
    text += '}';
    return text;
}

LiveFeed::LiveFeed(Engine& engine, api::EventRing& ring)
    : ring_(ring), events_(engine.watch({{}, {}, base::kFeedEventsMax})),
      thread_([this] { carry(); }) {}

LiveFeed::~LiveFeed() {
    stopping_ = true;
    thread_.join();
}

void LiveFeed::carry() {
    while (!stopping_ && !events_.ended()) {
        const auto event = events_.next(kLookUp);
        if (events_.take_lost() > 0) ring_.skip();
        if (event) ring_.publish(event->organization_id, event->type, live_data(*event));
    }
}

}  // namespace belay::cli

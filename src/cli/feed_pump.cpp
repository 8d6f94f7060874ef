#include "cli/feed_pump.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include "env/thread.hpp"

namespace belay::cli {

namespace {

constexpr Duration kLookEvery{250};

void put(boost::json::object& into, std::string_view name, const std::string& text) {
    if (!text.empty()) into[name] = text;
}

// The engine's own events in the words of the API; a program's own are told as it published them.
template <class Event>
std::string data_of(const Event& event) {
    const std::string_view type = event.type;
    const bool own = !type.starts_with("run_") && !type.starts_with("stage_");
    if (own) return event.data.empty() ? "{}" : event.data;
    boost::json::object out;
    put(out, "workflow_run_id", event.run_id);
    put(out, "workflow_key", event.workflow_key);
    put(out, "status", event.status);
    put(out, "stage_key", event.stage_key);
    put(out, "path", event.path);
    if (event.attempt > 0) out["attempt"] = event.attempt;
    put(out, "message", event.message);
    if (!event.data.empty()) {
        boost::system::error_code error;
        boost::json::value data = boost::json::parse(event.data, error);
        if (!error) out["data"] = std::move(data);
    }
    return boost::json::serialize(out);
}

template <class E>
void pump(E& engine, api::EventRing& ring, const std::atomic<bool>& stopping,
          const FeedPump::Log& log) {
    if constexpr (requires { engine.watch({}); }) {
        auto stream = engine.watch({});
        while (!stopping) {
            while (auto event = stream.next(kLookEvery)) {
                ring.publish(event->organization_id, event->type, data_of(*event));
                if (stopping) return;
            }
            if (const auto lost = stream.take_lost(); lost > 0)
                log(fmt::format("live feed: {} events were lost: more came than were read", lost));
        }
    }
}

}  // namespace

FeedPump::FeedPump(Engine& engine, api::EventRing& ring, Log log)
    : thread_(env::start_thread("belay-feed", [this, &engine, &ring, log = std::move(log)] {
          pump(engine, ring, stopping_, log);
      })) {}

FeedPump::~FeedPump() {
    stopping_ = true;
    thread_.join();
}

}  // namespace belay::cli

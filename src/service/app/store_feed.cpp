#include "service/app/store_feed.hpp"

#include <belay/error.hpp>

#include "core/env/pause.hpp"
#include "service/cli/live_feed.hpp"

namespace belay::app {

namespace {

constexpr Duration kLookEvery{250};
// Whoever watches reads everything again: not with every look.
constexpr int kLooksBetweenSkips = 8;

std::string type_of(const cli::TailLine& line) {
    if (line.stage_status) {
        switch (*line.stage_status) {
            case StageStatus::Queued:
            case StageStatus::Running:
                return "stage_started";
            case StageStatus::Retrying:
                return "stage_retrying";
            default:
                return "stage_ended";
        }
    }
    switch (line.run_status.value_or(RunStatus::Queued)) {
        case RunStatus::Queued:
            return "run_queued";
        case RunStatus::Running:
            return "run_started";
        case RunStatus::Waiting:
            return "run_waiting";
        case RunStatus::Paused:
            return "run_paused";
        default:
            return "run_ended";
    }
}

}  // namespace

Event event_of(const cli::TailLine& line) {
    Event event;
    event.at = line.at;
    event.type = type_of(line);
    event.organization_id = line.organization_id;
    event.run_id = line.run_id;
    event.workflow_key = line.workflow_key;
    event.status = line.status;
    event.stage_key = line.stage_key;
    event.path = line.path;
    event.attempt = line.attempt;
    // What it says is read from the run: a workflow may keep that from the feed (`redact`).
    return event;
}

StoreFeed::StoreFeed(store::Store& store, api::EventRing& ring)
    : tail_(store, std::nullopt), ring_(ring),
      thread_([this](const std::stop_token& stop) { follow(stop); }) {}

void StoreFeed::follow(const std::stop_token& stop) {
    env::SystemPause pause;
    while (!stop.stop_requested()) {
        try {
            look();
        } catch (const Error&) {
            // The next look tells what this one would have.
        }
        pause.wait(kLookEvery, stop);
    }
}

void StoreFeed::look() {
    const auto lines = tail_.look();
    for (const cli::TailLine& line : lines) {
        const Event event = event_of(line);
        ring_.publish(event.organization_id, event.type, cli::live_data(event));
    }
    if (looks_until_told_ > 0) --looks_until_told_;
    if (!tail_.missed_some() || lines.empty() || looks_until_told_ > 0) return;
    looks_until_told_ = kLooksBetweenSkips;
    ring_.skip();
}

}  // namespace belay::app

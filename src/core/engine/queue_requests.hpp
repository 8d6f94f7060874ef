// queue_requests.hpp — what is asked of queues and schedules, as verbs of the store and as JSON.
//
// The engine, the command line on a store that nobody executes on, and the requests of other processes all
// come through here, so that all check the same.
#pragma once

#include <string>

#include <belay/engine.hpp>

#include "core/env/time_zones.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

// The kinds of requests to an executor (store::ControlRequest).
inline constexpr const char* kQueueRequest = "queue";
inline constexpr const char* kScheduleRequest = "schedule";

// Throws Error{InvalidArgument} for a name or a limit that cannot be.
store::ChangeQueue change_of(const belay::detail::QueueRequest& request);

// Throws Error{InvalidArgument} also for a cron expression or a zone that cannot be used.
// `organization_id` is taken if the options have none.
store::ChangeSchedule change_of(const belay::detail::ScheduleRequest& request,
                                env::TimeZones& zones, const std::string& organization_id);

// Throws what the outcome means: Error{NotFound}, {InvalidArgument}.
void throw_unless_done(const store::ChangeQueue& change);
void throw_unless_done(const store::ChangeSchedule& change);

std::string to_payload(const belay::detail::QueueRequest& request);
std::string to_payload(const belay::detail::ScheduleRequest& request);
// Throw Error{BadValue} for JSON that is none of ours.
belay::detail::QueueRequest queue_request(const std::string& payload);
belay::detail::ScheduleRequest schedule_request(const std::string& payload);

// How a schedule stands; one whose zone or cron this machine cannot read has no next tick.
ScheduleInfo info_of(const model::StoredSchedule& stored, env::TimeZones& zones, Time now);

}  // namespace belay::engine

// trigger.hpp — a schedule's run that begins now, beside its ticks, because somebody asks for it.
//
// It changes neither the next tick nor the last. Whoever does not execute asks the process that does, with a control request
// of this kind: only that one knows whose the schedule is (engine/outside.hpp, is_declared) and what its workflow admits.
#pragma once

#include <string>

#include <boost/describe.hpp>

#include <belay/options.hpp>
#include <belay/schedule.hpp>

namespace belay::model {

inline constexpr const char* kTriggerRequest = "trigger_schedule";

// The request's payload; its answer is the run's id.
struct Trigger {
    std::string schedule;
    std::string mark;  // what the run's id ends with: the same mark again is the same run
};
BOOST_DESCRIBE_STRUCT(Trigger, (), (schedule, mark))

// How the run is submitted.
SubmitOptions options_of_trigger(const ScheduleInfo& schedule, const std::string& mark);

}  // namespace belay::model

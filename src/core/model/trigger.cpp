#include "core/model/trigger.hpp"

#include <fmt/format.h>

namespace belay::model {

SubmitOptions options_of_trigger(const ScheduleInfo& schedule, const std::string& mark) {
    SubmitOptions options;
    options.id = fmt::format("sched_{}_by_hand_{}", schedule.name, mark);
    options.organization_id = schedule.options.organization_id;
    options.source_channel = "schedule";
    options.queue = schedule.options.queue;
    options.priority = schedule.options.priority;
    return options;
}

}  // namespace belay::model

// schedules.hpp — `belay schedules list|show|next|add|set|pause|resume|remove`.
#pragma once

#include <string>

#include <belay/schedule.hpp>

#include "cli/exit_code.hpp"
#include "cli/screen.hpp"
#include "store/store.hpp"

namespace belay::cli {

ExitCode list_schedules(store::Store& store, Time now, const Screen& screen, bool json);

// Throws Error{NotFound}.
ExitCode show_schedule(store::Store& store, const std::string& name, Time now, const Screen& screen, bool json);

// The next ticks of a timetable, in UTC and in its zone. Throws Error{InvalidArgument} for one that cannot
// be used.
ExitCode show_ticks(const ScheduleOptions& options, int count, Time now, const Screen& screen, bool json);

}  // namespace belay::cli

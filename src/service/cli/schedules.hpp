// schedules.hpp — `belay schedules list|show|next|add|set|backfill|pause|resume|remove`.
#pragma once

#include <string>
#include <vector>

#include <belay/schedule.hpp>

#include "service/cli/exit_code.hpp"
#include "service/cli/screen.hpp"

namespace CLI {
class App;
}

namespace belay::cli {

struct Session;

// The schedules of a store or of a server, and what that is called.
struct Schedules {
    std::vector<ScheduleInfo> all{};
    std::string where{};
};

ExitCode list_schedules(const Schedules& schedules, const Screen& screen, bool json);

// Throws Error{NotFound}.
ExitCode show_schedule(const Schedules& schedules, const std::string& name, const Screen& screen,
                       bool json);

// The next ticks of a timetable, in UTC and in its zone. Throws Error{InvalidArgument} for one that cannot
// be used.
ExitCode show_ticks(const ScheduleOptions& options, int count, Time now, const Screen& screen,
                    bool json);

// `belay schedules backfill`.
void add_backfill(CLI::App& schedules, Session& session);

}  // namespace belay::cli

// events.hpp — every event that Belay logs, by a name that never changes.
//
// People search logs and set alarms by these names, so a name is a promise: sentences may be reworded,
// names may not. An event that is not in the table is not logged; events_test.cpp compares the table with
// the code. A log line is text for people, or JSON with one member per field for machines; it never
// carries a run's input, outputs or result.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <belay/log.hpp>

namespace belay::base {

struct EventKind {
    std::string_view name;
    LogLevel level;  // the usual one; what ends well may be logged below it
    std::string_view meaning;
};

inline constexpr std::array kEvents{
    // --- runs and steps
    EventKind{"run_failed", LogLevel::Failure, "a run ended as failed"},
    EventKind{"run_canceled", LogLevel::Info, "a run ended as canceled"},
    EventKind{"run_paused", LogLevel::Failure, "a run waits for a person"},
    EventKind{"run_not_started", LogLevel::Failure, "a run could not be called at all"},
    EventKind{"run_stalled", LogLevel::Warning, "a run waits for something that cannot come"},
    EventKind{"history_long", LogLevel::Warning, "a run's history comes near its limit"},
    EventKind{"watchdog_failed", LogLevel::Warning, "stalled runs could not be looked for"},
    EventKind{"attempt_failed", LogLevel::Warning, "an attempt of a step failed"},
    EventKind{"step_overdue", LogLevel::Warning, "an attempt runs on after its timeout"},
    EventKind{"step_left_behind", LogLevel::Warning, "the engine stopped beside a step under way"},
    EventKind{"threads_used_up", LogLevel::Warning,
              "steps wait: too many threads are stuck in steps past their timeout"},
    EventKind{"cache_unusable", LogLevel::Warning,
              "a cached answer could not be used; the step ran"},
    EventKind{"runs_deleted", LogLevel::Info, "runs that were over went by their retention"},
    EventKind{"retention_failed", LogLevel::Warning,
              "old runs or values could not be removed; tried again"},
    EventKind{"hook_failed", LogLevel::Failure, "an on_start or on_end hook threw"},
    EventKind{"transition_refused", LogLevel::Warning, "a write asked for an impossible change"},
    EventKind{"write_fenced", LogLevel::Warning, "another worker holds the run by now"},
    EventKind{"loop_blocked", LogLevel::Warning, "workflow code held up the scheduler"},
    // --- the store
    EventKind{"commit_failed", LogLevel::Failure, "a commit failed; its runs are replayed"},
    EventKind{"body_lost", LogLevel::Failure,
              "a transaction or a hook met a failure of the store; its run is replayed"},
    EventKind{"store_unavailable", LogLevel::Failure, "the store cannot be written"},
    EventKind{"store_unreadable", LogLevel::Warning, "the store could not be read; tried again"},
    EventKind{"store_repaired", LogLevel::Info, "the store can be written again"},
    EventKind{"look_outside_failed", LogLevel::Warning, "requests could not be looked for"},
    EventKind{"stop_waits", LogLevel::Warning,
              "the engine's end waits for a step that does not end"},
    EventKind{"stop_failed", LogLevel::Warning, "something went wrong while stopping"},
    EventKind{"stopped_unwritten", LogLevel::Failure, "the engine stopped with writes undone"},
    EventKind{"blobs_collected", LogLevel::Info, "large values that nothing named were removed"},
    EventKind{"commits_lost", LogLevel::Failure,
              "the database is older than what was acknowledged"},
    EventKind{"store_held_up", LogLevel::Warning, "another process keeps the write-ahead log long"},
    EventKind{"definitions_not_written", LogLevel::Warning,
              "what this program defines could not be written for others to read"},
    // --- deaths
    EventKind{"worker_died", LogLevel::Warning, "a process died, and what it was executing"},
    EventKind{"no_black_box", LogLevel::Warning,
              "whose code executes cannot be kept; deaths are charged to nobody"},
    // --- schedules
    EventKind{"schedule_fired", LogLevel::Info, "a run was submitted for a tick"},
    EventKind{"schedule_ticks_lost", LogLevel::Warning, "ticks were let go by a policy"},
    EventKind{"schedule_refused", LogLevel::Failure, "a schedule cannot be used"},
    // --- the server
    EventKind{"request_failed", LogLevel::Failure,
              "a request met a fault of ours and was told 500"},
    EventKind{"inbox_failed", LogLevel::Failure,
              "what waits in the inbox could not be worked on; tried again"},
    EventKind{"traces_failed", LogLevel::Failure,
              "the collector of traces is away, or refuses what it is sent"},
    EventKind{"watch_folder", LogLevel::Warning,
              "a file in the watched folder was refused, or has to wait"},
};

// Nothing for a name that is not in the table.
std::optional<EventKind> event_kind(std::string_view name);

// One line without its end: "belay: warning: the sentence". Control characters are shown as spaces, so that
// recorded text cannot forge a line.
std::string log_line(const LogEntry& entry);

// {"time": …, "level": …, "event": …, "message": …} and the fields that are set.
std::string log_json(const LogEntry& entry);

}  // namespace belay::base

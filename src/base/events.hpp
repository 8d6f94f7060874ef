// events.hpp — every event that Belay logs, by a name that never changes.
//
// People search logs and set alarms by these names, so a name is a promise: sentences may be reworded,
// names may not. An event that is not in the table is not logged; events_test.cpp compares the table with
// the code. A log line is text for people, or JSON with one member per field for machines; it never
// carries a run's input, outputs or result.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <belay/time.hpp>

namespace belay::base {

enum class EventLevel { Info, Warning, Failure };

std::string_view to_string(EventLevel level);  // "info", "warning", "failure"

struct EventKind {
    std::string_view name;
    EventLevel level;  // the usual one; what ends well may be logged below it
    std::string_view meaning;
};

inline constexpr std::array kEvents{
    // --- runs and steps
    EventKind{"run_failed", EventLevel::Failure, "a run ended as failed"},
    EventKind{"run_canceled", EventLevel::Info, "a run ended as canceled"},
    EventKind{"run_paused", EventLevel::Failure, "a run waits for a person"},
    EventKind{"run_not_started", EventLevel::Failure, "a run could not be called at all"},
    EventKind{"run_stalled", EventLevel::Warning, "a run waits for something that cannot come"},
    EventKind{"history_long", EventLevel::Warning, "a run's history comes near its limit"},
    EventKind{"watchdog_failed", EventLevel::Warning, "stalled runs could not be looked for"},
    EventKind{"attempt_failed", EventLevel::Warning, "an attempt of a step failed"},
    EventKind{"step_overdue", EventLevel::Warning, "an attempt runs on after its timeout"},
    EventKind{"step_left_behind", EventLevel::Warning,
              "the engine stopped beside a step under way"},
    EventKind{"threads_used_up", EventLevel::Warning,
              "steps wait: too many threads are stuck in steps past their timeout"},
    EventKind{"cache_unusable", EventLevel::Warning, "a cached answer could not be used; the step ran"},
    EventKind{"runs_deleted", EventLevel::Info, "runs that were over went by their retention"},
    EventKind{"retention_failed", EventLevel::Warning, "old runs or values could not be removed; tried again"},
    EventKind{"hook_failed", EventLevel::Failure, "an on_start or on_end hook threw"},
    EventKind{"transition_refused", EventLevel::Warning, "a write asked for an impossible change"},
    EventKind{"write_fenced", EventLevel::Warning, "another worker holds the run by now"},
    EventKind{"loop_blocked", EventLevel::Warning, "workflow code held up the scheduler"},
    // --- the store
    EventKind{"commit_failed", EventLevel::Failure, "a commit failed; its runs are replayed"},
    EventKind{"body_lost", EventLevel::Failure,
              "a transaction or a hook met a failure of the store; its run is replayed"},
    EventKind{"store_unavailable", EventLevel::Failure, "the store cannot be written"},
    EventKind{"store_unreadable", EventLevel::Warning, "the store could not be read; tried again"},
    EventKind{"store_repaired", EventLevel::Info, "the store can be written again"},
    EventKind{"look_outside_failed", EventLevel::Warning, "requests could not be looked for"},
    EventKind{"stop_waits", EventLevel::Warning, "the engine's end waits for a step that does not end"},
    EventKind{"stop_failed", EventLevel::Warning, "something went wrong while stopping"},
    EventKind{"stopped_unwritten", EventLevel::Failure, "the engine stopped with writes undone"},
    EventKind{"blobs_collected", EventLevel::Info, "large values that nothing named were removed"},
    // --- schedules
    EventKind{"schedule_fired", EventLevel::Info, "a run was submitted for a tick"},
    EventKind{"schedule_ticks_lost", EventLevel::Warning, "ticks were let go by a policy"},
    EventKind{"schedule_refused", EventLevel::Failure, "a schedule cannot be used"},
};

// Nothing for a name that is not in the table.
std::optional<EventKind> event_kind(std::string_view name);

struct LogEntry {
    Time time{};
    EventLevel level = EventLevel::Info;
    std::string_view event{};
    std::string_view sentence{};
    // What it is about, as far as it is about one; empty or zero: it is not.
    std::string_view run_id{};
    std::string_view workflow_key{};
    std::string_view organization_id{};
    std::string_view stage_key{};
    std::int64_t attempt = 0;
    std::string_view worker{};
};

// One line without its end: 2026-11-15T20:00:00.000Z warning attempt_failed: the sentence. Control characters
// are shown as spaces, so that recorded text cannot forge a line.
std::string log_line(const LogEntry& entry);

// {"time": …, "level": …, "event": …, "message": …} and the fields that are set.
std::string log_json(const LogEntry& entry);

}  // namespace belay::base

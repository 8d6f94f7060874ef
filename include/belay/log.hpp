// log.hpp — what the engine tells of itself: events with names that never change.
//
// EngineOptions::log sends them where a program's own log goes; without it, warnings and failures are lines
// on stderr. docs/observability.md has the names. An entry never carries a run's input, outputs or result.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <belay/time.hpp>

namespace belay {

enum class LogLevel { Info, Warning, Failure };

std::string_view to_string(LogLevel level);  // "info", "warning", "failure"

// One event. What it refers to lives as long as the call that is given it.
struct LogEntry {
    Time time{};
    LogLevel level = LogLevel::Info;
    std::string_view event{};    // a fixed name: "attempt_failed"
    std::string_view message{};  // a sentence
    // What it is about, as far as it is about one; empty or zero: it is not.
    std::string_view run_id{};
    std::string_view workflow_key{};
    std::string_view organization_id{};
    std::string_view stage_key{};
    std::int64_t attempt = 0;
    std::string_view worker{};
};

// Called from any thread, also from several at once; must not throw.
using LogSink = std::function<void(const LogEntry& entry)>;

// How lines on stderr look.
enum class LogFormat {
    Text,  // belay: warning: a sentence
    Json,  // {"time": …, "level": …, "event": …, "message": …, "run_id": …}, one object per line
};

}  // namespace belay

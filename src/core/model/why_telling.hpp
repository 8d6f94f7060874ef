// why_telling.hpp — the sentences of `why`, one function per state of a run. Only model/why*.cpp see this.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/why.hpp"

namespace belay::model {

// The open stages that something hangs on: a scope only holds others.
struct Open {
    std::vector<const Stage*> running;
    std::vector<const Stage*> in_line;  // steps that no thread has taken yet
    std::vector<const Stage*> timed;    // sleeps and retries, the earliest first
    std::vector<const Stage*> outside;  // waits for messages and other runs
    const Stage* last_done = nullptr;
};

Open open_stages(const std::vector<Stage>& stages);

// "since 2026-11-15T20:00:00.000Z (3 min 20 s)". Clocks differ: what seems to come is now.
std::string since_text(Time since, Time now);
std::string until_text(Time until, Time now);
std::string at_text(Time at, Time now);
std::string progress_text(const Run& run);
std::string others(std::size_t count, std::string_view what);

// Null if none of the stage has failed.
const Attempt* last_attempt(const std::vector<Attempt>& attempts, const std::string& path);

// Fills one Why.
struct Telling {
    const Run& run;
    const std::vector<Stage>& stages;
    const std::vector<Attempt>& attempts;
    const Around& around;
    const std::optional<Executor>& executor;
    Time now;
    Open open;
    Why out{};

    // What a stage's sentence is about: its name, attempt and last error.
    void about(const Stage& stage);

    // The states (why_queued.cpp, why_waiting.cpp, why_running.cpp, why_ended.cpp).
    void queued();
    void waiting();
    void running();
    void paused();
    void ended();

    // Added to any of them.
    void undoing();
    void stalled();

    std::string start_a_program() const;
    // It stands in line, having begun or not.
    void in_line(const std::string& head);
    bool nobody_defines_it() const;
    std::string what_is_defined() const;
    void nobody_will_wake_it();
    void timed(const Stage& stage);
    // The fan that the stage in question is in, before the sentence about it.
    void in_a_fan(const Stage& stage);
    void message_awaited(const Stage& stage);
    void child_awaited(const Stage& stage);
    // Only as many as were read can be missing.
    std::size_t around_children_read() const;
    void outside();
    void step_under_way(const Stage& stage);
    void step_in_line(const Stage& stage);
    void between_steps();
    void left_running();
};

}  // namespace belay::model

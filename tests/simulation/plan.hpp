// plan.hpp — everything that happens in one simulation, as data that can be shown, cut down and run again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "simulation/program.hpp"

namespace belay::test {

struct PlannedRun {
    std::string id{};
    Program program{};
    int submit_at = 0;  // after so many jobs
};
BOOST_DESCRIBE_STRUCT(PlannedRun, (), (id, program, submit_at))

// What a commit meets.
enum class CommitFault {
    DieBefore,    // the process is gone, nothing was written
    DieAfter,     // the process is gone, all was written
    Refused,      // nothing was written, and the engine is told
    UnknownDone,  // it was written, and the engine is told that it may have been
    UnknownLost,  // it was not written, and the engine is told the same
    Full,         // nothing is written from here on, until somebody makes room
};
BOOST_DESCRIBE_ENUM(CommitFault, DieBefore, DieAfter, Refused, UnknownDone, UnknownLost, Full)

struct PlannedFault {
    int commit = 0;  // over all processes, from 1
    CommitFault fault = CommitFault::DieBefore;
};
BOOST_DESCRIBE_STRUCT(PlannedFault, (), (commit, fault))

enum class EventKind {
    Kill,  // the process is gone between two jobs
    Freeze,  // it stands still; another takes over; it wakes up later and goes on as if nothing had happened
    Stop,  // it stops as asked
    Jump,  // the clock is an hour later
    Cancel,
    Pause,
    Fork,  // a new run begins with what this one has done
    Send,  // a message from outside
    Retry,
    Ask,    // somebody asks the run who it is
    Leave,  // canceled, and what it did is left as it is
};
BOOST_DESCRIBE_ENUM(EventKind, Kill, Freeze, Stop, Jump, Cancel, Pause, Fork, Send, Retry, Ask,
                    Leave)

struct PlannedEvent {
    int at = 0;  // after so many jobs
    EventKind kind = EventKind::Kill;
    std::string run{};    // Cancel, Pause, Fork, Send: which
    std::string topic{};  // Send; of Fork, the stage that it begins at
    std::int64_t value = 0;
};
BOOST_DESCRIBE_STRUCT(PlannedEvent, (), (at, kind, run, topic, value))

struct Plan {
    std::uint64_t seed = 0;  // also the order of jobs
    std::vector<PlannedRun> runs{};
    std::vector<PlannedFault> faults{};
    std::vector<PlannedEvent> events{};
};
BOOST_DESCRIBE_STRUCT(Plan, (), (seed, runs, faults, events))

Plan draw_plan(std::uint64_t seed);

// The same without forks and queues, as it was drawn before there were any: a seed that once found something
// keeps its meaning.
Plan draw_plain_plan(std::uint64_t seed);

}  // namespace belay::test

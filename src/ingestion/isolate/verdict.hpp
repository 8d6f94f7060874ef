// verdict.hpp — what a job's end means, as a pure function of what was seen.
#pragma once

#include <optional>
#include <string>

#include "ingestion/isolate/frame.hpp"
#include "ingestion/isolate/job.hpp"
#include "ingestion/isolate/message.hpp"

namespace belay::isolate {

// Why the parent ended a job itself.
enum class Ending { Stopped, TimedOut, OutputTooLarge, BadAnswer };

// What the parent saw of a job.
struct Seen {
    std::optional<Ending> ending{};  // if the parent killed it
    std::string bad_answer{};        // what was wrong with it
    std::optional<Frame> frame{};    // its whole answer or failure
    std::optional<Ended> ended{};    // how its process ended; none if the helper died with it
};

// The answer, or throws the JobFailed that says best what happened.
Answer judge(const Job& job, Seen seen);

}  // namespace belay::isolate

// queues.hpp — `belay queues list|show|set|pause|resume|remove`.
#pragma once

#include <string>
#include <vector>

#include <belay/queue.hpp>

#include "service/cli/exit_code.hpp"
#include "service/cli/screen.hpp"

namespace belay::cli {

// "100/1m": so many starts in that period. Throws Error{InvalidArgument} saying what it should look like.
RateLimit parse_rate(const std::string& text);

// The queues of a store or of a server, and what that is called.
struct Queues {
    std::vector<QueueInfo> all{};
    std::string where{};
};

ExitCode list_queues(const Queues& queues, Time now, const Screen& screen, bool json);

// Throws Error{NotFound}.
ExitCode show_queue(const Queues& queues, const std::string& name, Time now, const Screen& screen,
                    bool json);

}  // namespace belay::cli

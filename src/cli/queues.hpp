// queues.hpp — `belay queues list|show|set|pause|resume|remove`.
#pragma once

#include <string>

#include <belay/queue.hpp>

#include "cli/exit_code.hpp"
#include "cli/screen.hpp"
#include "store/store.hpp"

namespace belay::cli {

// "100/1m": so many starts in that period. Throws Error{InvalidArgument} saying what it should look like.
RateLimit parse_rate(const std::string& text);

ExitCode list_queues(store::Store& store, Time now, const Screen& screen, bool json);

// Throws Error{NotFound}.
ExitCode show_queue(store::Store& store, const std::string& name, Time now, const Screen& screen, bool json);

}  // namespace belay::cli

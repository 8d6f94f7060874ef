// remote_runs.hpp — `belay runs …` on a server: what the API tells, shown as the commands on a store show it.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/remote.hpp"
#include "cli/run_filter.hpp"
#include "cli/runs_send.hpp"

namespace belay::cli {

// Options of `runs list` as the query of GET /api/runs. Throws Error{InvalidArgument} naming one that a server does not
// know.
std::string remote_query(const FilterOptions& options);

// The query of GET /api/runs without its limit: "status=failed&workflow_key=…"; may be empty.
ExitCode list_remote_runs(const Remote& remote, const std::string& query, int limit, bool json,
                          const Screen& screen);
ExitCode show_remote_run(const Remote& remote, const std::string& id, bool json,
                         const Screen& screen);
ExitCode tell_remote_why(const Remote& remote, const std::string& id, bool json,
                         const Screen& screen);
// `verb` is cancel, pause, resume or retry.
ExitCode control_remote_run(const Remote& remote, const std::string& id, const std::string& verb,
                            const std::string& reason, bool json, const Screen& screen);

// Writes what a server recorded of a run to the screen, or to the file `output`.
ExitCode export_remote_run(const Remote& remote, const std::string& id, const std::string& output,
                           const Screen& screen);
ExitCode fork_remote_run(const Remote& remote, const std::string& id, const ForkOptions& fork, bool json,
                         const Screen& screen);
ExitCode send_remote(const Remote& remote, const Sending& sending, bool json, const Screen& screen);

}  // namespace belay::cli

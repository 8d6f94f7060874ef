// runs_over_http.hpp — `belay runs …` on a server: what the API tells, shown as the commands on a store show it.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include <belay/control.hpp>

#include "core/store/store.hpp"
#include "service/cli/command.hpp"
#include "service/cli/over_http.hpp"
#include "service/cli/runs_send.hpp"

namespace belay::cli {

// `again` is the command without a cursor, for whoever wants to see more.
ExitCode list_remote_runs(const ServerClient& remote, const store::RunFilter& filter,
                          const std::string& again, bool json, const Screen& screen);
// An id is also its beginning, in all of these.
ExitCode show_remote_run(const ServerClient& remote, const std::string& id, bool json,
                         const Screen& screen);
ExitCode tell_remote_why(const ServerClient& remote, const std::string& id, bool json,
                         const Screen& screen);
ExitCode control_remote_run(const ServerClient& remote, const std::string& id,
                            store::ControlKind kind, const std::string& reason, bool json,
                            const Screen& screen);

// What is sent for one of these, and for a fork. Throws Error{InvalidArgument} for an option that is no JSON.
boost::json::object control_body(store::ControlKind kind, const std::string& reason);
boost::json::object fork_body(const ForkOptions& fork);

// Writes what a server recorded of a run to the screen, or to the file `output`.
ExitCode export_remote_run(const ServerClient& remote, const std::string& id,
                           const std::string& output, const Screen& screen);
ExitCode fork_remote_run(const ServerClient& remote, const std::string& id, const ForkOptions& fork,
                         bool json, const Screen& screen);
ExitCode send_remote(const ServerClient& remote, const Sending& sending, bool json,
                     const Screen& screen);

}  // namespace belay::cli

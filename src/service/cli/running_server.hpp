// running_server.hpp — work for a data directory that a server executes on: the server is asked to do it.
#pragma once

#include <functional>
#include <memory>

#include "service/cli/command.hpp"

namespace belay::cli {

// The server that executes on the place, by the address that it noted there. Throws Error{StoreLocked} saying who
// executes there and what to do, if that is no server.
std::unique_ptr<ServerClient> running_server(const Session& session, const Place& place);

// `there` on the server that was named; else `here`, which takes the store's lock before anything else; and if a server
// holds that, `there` on this one.
ExitCode here_or_by_server(const Session& session,
                           const std::function<ExitCode(const Place&)>& here,
                           const std::function<ExitCode(ServerClient&)>& there);

}  // namespace belay::cli

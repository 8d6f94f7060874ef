#include "service/cli/running_server.hpp"

#include <ostream>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "service/cli/server_note.hpp"

namespace belay::cli {

namespace {

[[noreturn]] void refuse(const Place& place) {
    const auto executor = executor_of(place);
    throw Error(ErrorCode::StoreLocked,
                fmt::format("{} executes on {}, and no server's address is noted there: ask that "
                            "server with --server "
                            "URL, or stop the program",
                            executor ? plain(executor->who) : "another process", shown(place)));
}

}  // namespace

std::unique_ptr<ServerClient> running_server(const Session& session, const Place& place) {
    const auto url = noted_server(place);
    if (!url) refuse(place);
    session.world.errors << fmt::format("A server runs on {}: it is asked at {}\n",
                                        place.data_folder.string(), *url);
    std::string token = session.remote_options.token;
    if (token.empty()) token = session.world.environment("BELAY_TOKEN").value_or("");
    return std::make_unique<ServerClient>(
        *url, token, session.world.environment("BELAY_ORGANIZATION").value_or(""));
}

ExitCode here_or_by_server(const Session& session,
                           const std::function<ExitCode(const Place&)>& here,
                           const std::function<ExitCode(ServerClient&)>& there) {
    if (const auto remote = session.remote()) return there(*remote);
    const Place place = session.place();
    try {
        return here(place);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::StoreLocked) throw;
    }
    return there(*running_server(session, place));
}

}  // namespace belay::cli

// serve.hpp — `NAME serve`: an engine and its server on a data directory, until it is told to stop.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "service/app/program.hpp"
#include "service/cli/command.hpp"
#include "service/cli/exit_code.hpp"
#include "service/cli/place.hpp"
#include "service/cli/settings.hpp"

namespace belay::app {

struct ServeWorld {
    std::ostream& out;
    std::ostream& errors;
    // Called when it answers, with its URL; it stops when this returns.
    std::function<void(const std::string& url)> wait;
};

// Where it works: what the flags say, or the environment, or the configuration file.
cli::Place serve_place(const cli::PlaceOptions& flags, const cli::Environment& environment,
                       const cli::ServeOptions& options);

// Throws Error as Engine does, and Error{InvalidArgument} if others could reach it and no token was made.
cli::ExitCode serve(const Program& program, const cli::Place& place,
                    const cli::ServeOptions& options, const ServeWorld& world);

void add_serve(CLI::App& app, cli::Session& session, const Program& program);

}  // namespace belay::app

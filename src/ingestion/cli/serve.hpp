// serve.hpp — `belay serve`: an engine and its HTTP server on a data directory, until it is told to stop.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "service/cli/exit_code.hpp"
#include "service/cli/place.hpp"
#include "service/cli/settings.hpp"

namespace belay::cli {

struct ServeWorld {
    std::ostream& out;
    std::ostream& errors;
    // Called when it answers, with its URL; it stops when this returns.
    std::function<void(const std::string& url)> wait;
};

// Where it works: what the flags say, or the environment, or the configuration file.
Place serve_place(const PlaceOptions& flags, const Environment& environment,
                  const ServeOptions& options);

// Throws Error as Engine does, and Error{InvalidArgument} if others could reach it and no token was made.
ExitCode serve(const Place& place, const ServeOptions& options, const ServeWorld& world);

}  // namespace belay::cli

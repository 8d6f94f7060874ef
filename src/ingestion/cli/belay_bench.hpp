// belay_bench.hpp — the program `belay` for the tests of this room: what apps/belay/main.cpp makes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ingestion/cli/bundle.hpp"
#include "service/app/own_commands.hpp"
#include "service/app/program.hpp"
#include "service/app/serve.hpp"

namespace belay::cli {

inline const app::Program& belay_program() {
    static const app::Program program = [] {
        app::Program made;
        made.bundles.push_back(std::make_shared<IngestionBundle>());
        return made;
    }();
    return program;
}

inline GivenSettings gather_settings(const std::map<std::string, std::string>& flags,
                                     const Environment& environment, const std::string& config) {
    return gather_settings(settings_of(belay_program()), flags, environment, config);
}

using app::serve_place;
using app::ServeWorld;

inline ExitCode serve(const Place& place, const ServeOptions& options, const ServeWorld& world) {
    return app::serve(belay_program(), place, options, world);
}

// A command line of `belay`.
inline ExitCode run_belay(const std::vector<std::string>& words, World& world) {
    return run(words, world, app::commands_of(belay_program()), app::names_of(belay_program()));
}

}  // namespace belay::cli

// program.hpp — what an App was given, before anything runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <belay/server.hpp>

#include "service/cli/settings.hpp"

namespace belay::app {

struct Program {
    std::string name = "belay";
    std::string summary{};
    std::string version{};  // the program's own; recorded with its runs
    std::vector<std::function<void(Engine&)>> prepare{};
    std::vector<HttpRoute> routes{};
    std::vector<Gauge> gauges{};
    std::vector<Command> commands{};
    PageLook look{};
    std::vector<std::shared_ptr<Bundle>> bundles{};
};

// Throws Error{InvalidArgument} for a name that is not 1 to 32 lower-case letters, digits and `-`, beginning with a
// letter: it is also that of a folder, a command and, in capitals, of variables.
void check_name(const std::string& name);

// Of the server and of every bundle.
cli::Settings settings_of(const Program& program);

// What is recorded with every run: Belay's own version, or the program's.
std::string code_version_of(const Program& program);

// Does what the program does with every engine.
void prepare(const Program& program, Engine& engine);

}  // namespace belay::app

// command.hpp — what every command is given, and how one is added.
//
// A command is one file: add_NAME() puts it on the command line, and what it does is a function of a
// store, its options and a Screen, so that tests read its text without a process.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "cli/exit_code.hpp"
#include "cli/place.hpp"
#include "cli/screen.hpp"
#include "env/clock.hpp"

namespace CLI {
class App;
}

namespace belay::cli {

// The process around the command line.
struct World {
    Screen screen;
    std::ostream& errors;
    Environment environment;
    const env::Clock& clock;
    std::function<void(Duration)> nap;  // lets time pass between two looks at a store
};

// One command line: filled while it is read, used by the command that it chose.
struct Session {
    explicit Session(World& w) : world(w) {}

    World& world;
    PlaceOptions place_options{};
    bool json = false;
    std::function<ExitCode()> chosen{};

    Place place() const { return find_place(place_options, world.environment); }
    Time now() const { return world.clock.now(); }
};

// A command with its example, its --json if it has one, and what to call when it is chosen.
CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::string& example);
void add_json(CLI::App& command, Session& session);
void choose(CLI::App& command, Session& session, std::function<ExitCode()> action);

void add_runs_list(CLI::App& runs, Session& session);
void add_runs_show(CLI::App& runs, Session& session);
void add_runs_why(CLI::App& runs, Session& session);
void add_runs_tail(CLI::App& runs, Session& session);
void add_runs_export(CLI::App& runs, Session& session);
void add_runs_control(CLI::App& runs, Session& session);  // cancel, pause, resume, retry
void add_tokens(CLI::App& app, Session& session);         // create, list, revoke
void add_queues(CLI::App& app, Session& session);         // list, show, set, pause, resume, remove
void add_schedules(CLI::App& app, Session& session);      // the same, and next, add
void add_serve(CLI::App& app, Session& session);
void add_content(CLI::App& app, Session& session);        // extract
void add_ingest(CLI::App& app, Session& session);
void add_doctor(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);

}  // namespace belay::cli

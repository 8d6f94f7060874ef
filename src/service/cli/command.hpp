// command.hpp — what every command is given, and how one is added.
//
// A command is one file: add_NAME() puts it on the command line, and what it does is a function of a
// store, its options and a Screen, so that tests read its text without a process.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "core/env/clock.hpp"
#include "service/cli/exit_code.hpp"
#include "service/cli/over_http.hpp"
#include "service/cli/place.hpp"
#include "service/cli/screen.hpp"

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
    bool errors_on_terminal = false;    // somebody may look at a progress bar there
};

// What the rows of a copied data directory name and `folder` does not have.
using FindMissing = std::function<std::vector<std::string>(
    const std::filesystem::path& folder, store::Store& store, const env::Clock& clock)>;

struct Check;  // doctor.hpp

// One command line: filled while it is read, used by the command that it chose.
struct Session {
    explicit Session(World& w) : world(w) {}

    World& world;
    PlaceOptions place_options{};
    ServerOptions remote_options{};
    bool json = false;
    std::function<ExitCode()> chosen{};
    FindMissing
        find_missing{};  // what an application misses in a backup; null: it keeps nothing beside its rows
    std::function<std::vector<Check>()>
        more_checks{};  // what the doctor looks at for an application

    Place place() const {
        // Every command that also works on a server asks for remote() first.
        if (!remote_options.server.empty()) refuse_server();
        return find_place(place_options, world.environment);
    }
    // The server that was named; null: a store on this machine is meant.
    std::unique_ptr<ServerClient> remote() const {
        return find_remote(remote_options, place_options, world.environment);
    }
    [[noreturn]] static void refuse_server();
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
void add_runs_fork(CLI::App& runs, Session& session);
void add_runs_send(CLI::App& runs, Session& session);  // send, messages
void add_runs_ask(CLI::App& runs, Session& session);
void add_runs_replay(CLI::App& runs, Session& session);
void add_runs_delete(CLI::App& runs, Session& session);
void add_stats(CLI::App& app, Session& session);
void add_tokens(CLI::App& app, Session& session);     // create, list, revoke
void add_queues(CLI::App& app, Session& session);     // list, show, set, pause, resume, remove
void add_schedules(CLI::App& app, Session& session);  // the same, and next, add
void add_budgets(CLI::App& app, Session& session);    // list, set, remove, approve
void add_doctor(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_approvals(CLI::App& app, Session& session);  // request, list, approve, reject
void add_backup(CLI::App& app, Session& session);     // backup, restore

}  // namespace belay::cli

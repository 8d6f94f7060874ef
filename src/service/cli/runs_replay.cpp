// runs_replay.cpp — `belay runs replay FILE|ID`: today's code against a history, without effects.
//
// The code is in a program: Belay's own server by default, or any program that links the library. It is
// started with BELAY_REPLAY, under which its engine replays instead of running (library/replay_program.hpp).
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <belay/error.hpp>

#include "core/env/files.hpp"
#include "core/env/program.hpp"
#include "service/cli/command.hpp"
#include "service/cli/runs_export.hpp"

namespace belay::cli {

namespace {

namespace fs = std::filesystem;

// A folder of its own for what the replay needs, gone with it.
class Scratch {
public:
    Scratch() : folder_((fs::temp_directory_path() / "belay-replay-XXXXXX").string()) {
        if (::mkdtemp(folder_.data()) == nullptr)
            throw Error(ErrorCode::StoreUnavailable, fmt::format("{} cannot be made", folder_));
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    fs::path path() const { return folder_; }

private:
    std::string folder_;
};

ExitCode replay(Session& session, const std::string& what,
                const std::vector<std::string>& program) {
    const Scratch scratch;
    fs::path file = fs::absolute(what);
    if (!fs::exists(file)) {
        const auto store = open_to_read(session.place());
        env::SystemFiles files;
        file = scratch.path() / "history.json";
        write_whole(files, file, model::history_json(history_of(*store, what)));
    }
    std::vector<std::string> words = program;
    if (words.empty()) {
        words = {env::this_program(), "serve",      "--data", (scratch.path() / "data").string(),
                 "--listen",          "127.0.0.1:0"};
    }
    session.world.screen.out.flush();
    const int code = env::run_program(words, {{"BELAY_REPLAY", file.string()}});
    switch (code) {
        case 0:
            return ExitCode::Ok;
        case 1:
            return ExitCode::Failed;
        default:
            break;
    }
    session.world.errors << fmt::format(
        "belay: {} could not replay it (exit code {}).{}\n", plain(words.front()), code,
        program.empty() ? " The code of a workflow that is not Belay's own is in your program: "
                          "name it with --program."
                        : "");
    return ExitCode::Failed;
}

}  // namespace

void add_runs_replay(CLI::App& runs, Session& session) {
    struct Options {
        std::string what;
        std::vector<std::string> program;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command = add_command(
        runs, "replay",
        "Run today's code against a recorded history, without effects; exit 1 if it diverges",
        "belay runs replay july.json --program ./invoices\n  belay runs replay july --store "
        "invoices.db --program "
        "./invoices");
    command
        ->add_option("HISTORY", options->what,
                     "a file that `belay runs export` wrote, or a run's id")
        ->required();
    command->add_option(
        "--program", options->program,
        "the program that defines the workflow, and its arguments (default: belay itself)");
    choose(*command, session,
           [options, &session] { return replay(session, options->what, options->program); });
}

}  // namespace belay::cli

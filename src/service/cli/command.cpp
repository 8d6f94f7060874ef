#include "service/cli/command.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <belay/error.hpp>

namespace belay::cli {

CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::string& example) {
    CLI::App* command = parent.add_subcommand(name, description);
    command->footer(fmt::format(
        "Example:\n  {}\n\n--data DIR and --store FILE say which runs; see belay --help.",
        example));
    return command;
}

void add_json(CLI::App& command, Session& session) {
    command.add_flag("--json", session.json, "print data instead of text");
}

void choose(CLI::App& command, Session& session, std::function<ExitCode()> action) {
    command.callback([&session, action = std::move(action)] { session.chosen = action; });
}

void Session::refuse_server() {
    throw Error(ErrorCode::InvalidArgument,
                "a server has no way to be asked this over HTTP: the command works on a store "
                "(--data DIR or --store "
                "FILE), also while a server runs on it");
}

}  // namespace belay::cli

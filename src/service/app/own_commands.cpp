#include "service/app/own_commands.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <belay/error.hpp>

#include "service/app/bundle.hpp"
#include "service/app/serve.hpp"
#include "service/app/submit.hpp"

namespace belay::app {

namespace {

void add_own(CLI::App& app, cli::Session& session, const Command& own) {
    if (own.name.empty() || own.summary.empty() || !own.run) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("command `{}`: it needs a name, a summary and something to run", own.name));
    }
    CLI::App* command = app.add_subcommand(own.name, own.summary);
    using Values = std::map<std::string, std::string, std::less<>>;
    const auto values = std::make_shared<Values>();
    for (const CommandOption& option : own.options) {
        CLI::Option* added = nullptr;
        if (option.is_flag) {
            added = command->add_flag_callback(
                option.name, [values, name = option.name] { (*values)[name] = "true"; },
                option.meaning);
        } else {
            added = command->add_option_function<std::string>(
                option.name,
                [values, name = option.name](const std::string& value) { (*values)[name] = value; },
                option.meaning);
        }
        added->required(option.required);
    }
    cli::choose(*command, session, [values, &own, &session] {
        CommandCall call{*values, cli::config_of(session.place()), session.world.screen.out,
                         session.world.errors};
        return static_cast<cli::ExitCode>(own.run(call));
    });
}

}  // namespace

cli::AddCommands commands_of(const Program& program) {
    // Shared by the copies of the function; the commands keep references to them.
    const auto of_bundles = std::make_shared<std::vector<Command>>();
    for (const auto& bundle : program.bundles) {
        for (Command& one : bundle->commands()) of_bundles->push_back(std::move(one));
    }
    return [&program, of_bundles](CLI::App& app, cli::Session& session) {
        add_serve(app, session, program);
        add_submit(app, session, program);
        for (const auto& bundle : program.bundles) {
            if (auto* adder = dynamic_cast<CommandAdder*>(bundle.get()))
                adder->add_commands(app, session);
        }
        for (const Command& own : program.commands) add_own(app, session, own);
        for (const Command& own : *of_bundles) add_own(app, session, own);
    };
}

cli::Names names_of(const Program& program) {
    cli::Names names;
    names.program = program.name;
    if (!program.summary.empty()) names.summary = program.summary;
    names.version = program.version;
    return names;
}

}  // namespace belay::app

namespace belay {

std::string CommandCall::value(std::string_view option, std::string otherwise) const {
    const auto found = values.find(option);
    return found == values.end() ? std::move(otherwise) : found->second;
}

}  // namespace belay

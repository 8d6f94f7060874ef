#include "service/cli/run.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <belay/error.hpp>

#include "core/env/parker.hpp"
#include "core/env/terminal.hpp"
#include "service/cli/manual.hpp"
#include "service/cli/names.hpp"
#include "service/cli/version.hpp"
#include "service/cli/words.hpp"

namespace belay::cli {

namespace {

// App::help() would answer for the command that was chosen, which is `help` itself.
std::string help_on(const CLI::App& about, const std::string& path) {
    return about.get_formatter()->make_help(&about, path, CLI::AppFormatMode::Normal);
}

void add_help(CLI::App& app, Session& session, const std::string& version) {
    const auto topic = std::make_shared<std::vector<std::string>>();
    const auto man = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("help", "Help on a command, or on exit-codes");
    command->add_option("TOPIC", *topic, "a command, such as: runs list");
    command->add_flag("--man", *man, "all of it as a page for man(1)");
    choose(*command, session, [&app, topic, man, version, &session] {
        if (*man) {
            session.world.screen.out << man_page(app, version);
            return ExitCode::Ok;
        }
        if (topic->size() == 1 && topic->front() == "exit-codes") {
            session.world.screen.out << kExitCodesHelp;
            return ExitCode::Ok;
        }
        CLI::App* about = &app;
        std::string path = app.get_name();
        for (const std::string& word : *topic) {
            try {
                about = about->get_subcommand(word);
                path += " " + word;
            } catch (const CLI::OptionNotFound&) {
                session.world.errors << fmt::format(
                    "{0}: there is no help on `{1}`; `{0} --help` lists the commands\n",
                    app.get_name(), plain(word));
                return ExitCode::Usage;
            }
        }
        session.world.screen.out << help_on(*about, path);
        return ExitCode::Ok;
    });
}

std::string version_line(const Names& names) {
    if (names.program == "belay") return fmt::format("belay {}", version());
    return fmt::format("{}{}{} (Belay {})", names.program, names.version.empty() ? "" : " ",
                       names.version, version());
}

// As if it stood in the environment.
void speak_for(World& world, const std::string& organization) {
    world.environment = [organization, before = world.environment](
                            const std::string& name) -> std::optional<std::string> {
        return name == "BELAY_ORGANIZATION" ? std::optional(organization) : before(name);
    };
}

void add_commands(CLI::App& app, Session& session, const AddCommands& more, const Names& names) {
    app.fallthrough();  // --data and --store may stand anywhere
    app.add_option(
        "--data", session.place_options.data,
        "Belay's folder; the database is belay.db in it (default ./belay-data, or BELAY_DATA)");
    app.add_option("--store", session.place_options.store,
                   "a Belay database anywhere, such as a program's own (or BELAY_STORE)");
    app.add_option("--objects", session.place_options.objects,
                   "where files are kept if not beside the database: a folder, or s3://bucket?… "
                   "(or BELAY_OBJECTS)");
    app.add_option("--server", session.remote_options.server,
                   "a Belay server to ask instead of a store, such as http://127.0.0.1:8080 (or "
                   "BELAY_SERVER)");
    app.add_option("--token", session.remote_options.token, "for that server (or BELAY_TOKEN)");
    app.add_option_function<std::string>(
        "--organization", [&session](const std::string& name) { speak_for(session.world, name); },
        "whose files and runs are meant: on a store, and on a server that needs no token (or "
        "BELAY_ORGANIZATION)");
    app.set_version_flag("--version", version_line(names));
    app.require_subcommand(1);
    CLI::App* runs = app.add_subcommand("runs", "Look at runs, and stop or retry them");
    runs->require_subcommand(0, 1);
    runs->footer(
        "Example:\n  belay runs list --status failed\n\n"
        "Without a command it lists the runs.");
    add_runs_list(*runs, session);
    add_runs_show(*runs, session);
    add_runs_why(*runs, session);
    add_runs_tail(*runs, session);
    add_runs_export(*runs, session);
    add_runs_control(*runs, session);
    add_queues(app, session);
    add_schedules(app, session);
    add_budgets(app, session);
    add_runs_fork(*runs, session);
    add_runs_send(*runs, session);
    add_runs_ask(*runs, session);
    add_runs_replay(*runs, session);
    add_runs_delete(*runs, session);
    if (more) more(app, session);
    add_approvals(app, session);
    add_backup(app, session);
    add_stats(app, session);
    add_tokens(app, session);
    add_doctor(app, session);
    add_bench(app, session);
    add_completion(app, session);
    add_help(app, session, version_line(names));
    // At the end: commands take over the footer that their parent has when they are added.
    app.footer(
        fmt::format("Examples:\n  belay runs list --store invoices.db\n  belay runs why july\n\n{}",
                    kExitCodesHelp));
    put_name_in_help(app, names.program);
}

bool takes_a_value(const std::string& word) {
    return word == "--data" || word == "--store" || word == "--server" || word == "--token" ||
           word == "--objects" || word == "--organization";
}

// The first word that should be a command and is none, and the commands that could stand there.
struct UnknownCommand {
    std::string word;
    std::vector<std::string> known;
    std::string path;  // "belay runs"
};

std::optional<UnknownCommand> unknown_command(const CLI::App& app,
                                              const std::vector<std::string>& words) {
    const CLI::App* at = &app;
    std::string path = app.get_name();
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (takes_a_value(words[i])) {
            ++i;  // and its value
            continue;
        }
        if (words[i].starts_with('-')) continue;
        const auto subcommands = at->get_subcommands([](const CLI::App*) { return true; });
        if (subcommands.empty()) return std::nullopt;
        const auto found =
            std::find_if(subcommands.begin(), subcommands.end(),
                         [&](const CLI::App* sub) { return sub->get_name() == words[i]; });
        if (found == subcommands.end()) {
            std::vector<std::string> known;
            for (const CLI::App* sub : subcommands) known.push_back(sub->get_name());
            return UnknownCommand{words[i], std::move(known), std::move(path)};
        }
        at = *found;
        path += " " + words[i];
    }
    return std::nullopt;
}

// The command that the words reached, for "see … --help".
std::string reached(const CLI::App& app) {
    std::string path = app.get_name();
    for (const CLI::App* at = &app;;) {
        const auto chosen = at->get_subcommands();
        if (chosen.empty()) return path;
        at = chosen.front();
        path += " " + at->get_name();
    }
}

ExitCode explain(const CLI::App& app, const CLI::ParseError& error,
                 const std::vector<std::string>& words, World& world) {
    if (error.get_exit_code() == 0) {  // --help, --version
        app.exit(error, world.screen.out, world.errors);
        return ExitCode::Ok;
    }
    if (const auto unknown = unknown_command(app, words)) {
        world.errors << fmt::format("{}: `{}` has no command `{}`", app.get_name(), unknown->path,
                                    plain(unknown->word));
        if (const auto near = nearest(unknown->word, unknown->known)) {
            world.errors << fmt::format("; did you mean `{} {}`?\n", unknown->path, *near);
        } else {
            world.errors << fmt::format("; it has: {}\n", fmt::join(unknown->known, ", "));
        }
        return ExitCode::Usage;
    }
    if (app.get_subcommands().empty() && error.get_name() == "RequiredError") {
        world.errors << app.help()
                     << fmt::format("\n{0}: name a command, such as `{0} runs list`\n",
                                    app.get_name());
        return ExitCode::Usage;
    }
    world.errors << fmt::format("{}: {}\nSee {} --help.\n", app.get_name(), plain(error.what()),
                                reached(app));
    return ExitCode::Usage;
}

ExitCode exit_code_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument:
            return ExitCode::Usage;
        case ErrorCode::StoreUnavailable:
        case ErrorCode::StoreLocked:
        case ErrorCode::SchemaTooNew:
        case ErrorCode::CommitUnknown:
            return ExitCode::NoStore;
        default:
            return ExitCode::Failed;
    }
}

std::optional<std::string> from_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

}  // namespace

ExitCode run(const std::vector<std::string>& words, World& world, const AddCommands& more,
             const Names& names) {
    world.environment = environment_of(world.environment, names.program);
    Session session{world};
    CLI::App app{names.summary, names.program};
    add_commands(app, session, more, names);
    try {
        std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 wants them
        app.parse(std::move(reversed));
    } catch (const CLI::ParseError& error) {
        return explain(app, error, words, world);
    }
    try {
        const ExitCode code = session.chosen();
        world.screen.out.flush();
        return code;
    } catch (const Error& error) {
        world.errors << names.program << ": " << with_name(plain_lines(error.what()), names.program)
                     << '\n';
        return exit_code_of(error.code());
    }
}

int run(int argc, const char* const* argv, const AddCommands& more, const Names& names) {
    env::SystemClock clock;
    env::Parker parker;
    const bool colour = env::is_terminal(1) && from_environment("NO_COLOR").value_or("").empty() &&
                        from_environment("TERM") != "dumb";
    World world{Screen{std::cout, env::terminal_width(1), colour},
                std::cerr,
                from_environment,
                clock,
                [&parker](Duration duration) { parker.park_for(duration); },
                env::is_terminal(2)};
    try {
        return static_cast<int>(run({argv + 1, argv + argc}, world, more, names));
    } catch (const std::exception& error) {
        std::cerr << names.program << ": " << error.what() << '\n';
        return static_cast<int>(ExitCode::Failed);
    }
}

}  // namespace belay::cli

#include "service/cli/runs_why.hpp"

#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/model/run_json.hpp"
#include "core/store/why_of.hpp"
#include "service/cli/command.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/runs_over_http.hpp"

namespace belay::cli {

namespace {

// What gets it going; empty: no command by itself (what was undone is forked, from where `to_do` says).
std::string_view command_for(const model::Run& run) {
    switch (run.status) {
        case RunStatus::Paused:
            return run.failure && run.failure->code == to_string(ErrorCode::BudgetReached)
                       ? "budgets approve"
                       : "runs resume";
        case RunStatus::Failed:
            return run.undo_plan ? std::string_view() : "runs retry";
        default:
            return {};
    }
}

}  // namespace

ExitCode tell_why(store::Store& store, const model::Run& run,
                  const std::optional<model::Executor>& executor, const std::string& option,
                  Time now, const Screen& screen) {
    const model::Why why = store::why_of(store, run, executor, now);
    screen.out << plain_lines(why.sentence) << '\n';
    if (!why.to_do.empty()) screen.out << plain(why.to_do) << '\n';
    if (const auto command = command_for(run); !command.empty()) {
        screen.out << styled(screen, Style::Dim,
                             fmt::format("  belay {} {}{}", command, plain(run.id), plain(option)))
                   << '\n';
    }
    return ExitCode::Ok;
}

ExitCode tell_why_json(store::Store& store, const model::Run& run,
                       const std::optional<model::Executor>& executor, Time now,
                       const Screen& screen) {
    const model::Why why = store::why_of(store, run, executor, now);
    screen.out << boost::json::serialize(model::why_json(run, why, executor)) << '\n';
    return ExitCode::Ok;
}

void add_runs_why(CLI::App& runs, Session& session) {
    const auto id = std::make_shared<std::string>();
    CLI::App* command =
        add_command(runs, "why", "What a run waits for, or how it ended", "belay runs why july");
    command->add_option("ID", *id, kRunIdHelp)->required();
    add_json(*command, session);
    choose(*command, session, [id, &session] {
        if (const auto remote = session.remote())
            return tell_remote_why(*remote, *id, session.json, session.world.screen);
        const Place place = session.place();
        const auto store = open_to_read(place);
        const model::Run run = find_run(*store, *id);
        // After the run: one that a process takes up meanwhile must not look left behind.
        const auto executor = executor_of(place);
        return session.json
                   ? tell_why_json(*store, run, executor, session.now(), session.world.screen)
                   : tell_why(*store, run, executor, place.option, session.now(),
                              session.world.screen);
    });
}

}  // namespace belay::cli

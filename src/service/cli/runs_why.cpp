#include "service/cli/runs_why.hpp"

#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include "core/model/run_json.hpp"
#include "core/store/why_of.hpp"
#include "service/cli/command.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/runs_over_http.hpp"

namespace belay::cli {

namespace {

std::string_view verb_for(RunStatus status) {
    switch (status) {
        case RunStatus::Paused:
            return "resume";
        case RunStatus::Failed:
            return "retry";
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
    if (const auto verb = verb_for(run.status); !verb.empty()) {
        screen.out << styled(
                          screen, Style::Dim,
                          fmt::format("  belay runs {} {}{}", verb, plain(run.id), plain(option)))
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

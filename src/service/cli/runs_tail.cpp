// runs_tail.cpp — `belay runs tail [ID]`: a line whenever a stage changes.
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/base/utf8.hpp"
#include "service/cli/command.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/run_list_over_http.hpp"
#include "service/cli/tail.hpp"
#include "service/cli/tail_over_http.hpp"

namespace belay::cli {

namespace {

constexpr Duration kLookEvery{200};
constexpr Duration kAskEvery{500};  // a server

std::string text_of(const TailLine& line, bool one_run, const Screen& screen) {
    const Style style = line.run_status ? style_of(*line.run_status) : style_of(*line.stage_status);
    std::string subject = line.stage_key.empty() ? "run" : line.stage_key;
    if (!one_run)
        subject = line.stage_key.empty() ? line.run_id
                                         : fmt::format("{} {}", line.run_id, line.stage_key);
    std::string rest =
        line.stage_status && line.attempt > 1 ? fmt::format(" attempt {}", line.attempt) : "";
    if (!line.message.empty()) rest += ": " + line.message;
    // date, status and their gaps take 36 characters; the rest gives way
    std::string tail = plain(fmt::format("{}{}", subject, rest));
    if (screen.width > 40) tail = base::truncate(tail, static_cast<std::size_t>(screen.width - 36));
    return fmt::format("{}  {} {}", styled(screen, Style::Dim, base::format_time(line.at)),
                       styled(screen, style, fmt::format("{:<9}", line.status)), tail);
}

std::string json_of(const TailLine& line) {
    boost::json::object out{{"at", base::format_time(line.at)},
                            {"run_id", line.run_id},
                            {"workflow_key", line.workflow_key},
                            {"stage_key", nullptr},
                            {"status", line.status},
                            {"attempt", line.attempt},
                            {"message", nullptr}};
    if (!line.stage_key.empty()) out["stage_key"] = line.stage_key;
    if (!line.message.empty()) out["message"] = line.message;
    return boost::json::serialize(out);
}

// Prints what `tail` sees until its run has ended, or whoever reads has gone.
template <class T>
void follow(Session& session, T& tail, bool one_run, Duration look_every) {
    const Screen& screen = session.world.screen;
    bool said_nothing = true;
    while (true) {
        for (const TailLine& line : tail.look()) {
            screen.out << (session.json ? json_of(line) : text_of(line, one_run, screen)) << '\n';
            said_nothing = false;
        }
        if (tail.ended()) return;
        if (std::exchange(said_nothing, false) && !session.json) {
            session.world.errors
                << "No run is unfinished; waiting for the next. Ctrl-C ends this.\n";
        }
        screen.out.flush();
        // Whoever read the lines has gone, as `head` does.
        if (!screen.out) return;
        session.world.nap(look_every);
    }
}

ExitCode tail_remote(Session& session, const ServerClient& remote, const std::string& id) {
    ServerTail tail{remote, id.empty() ? id : find_remote_run(remote, id)};
    follow(session, tail, !id.empty(), kAskEvery);
    return !tail.ended() || tail.succeeded() ? ExitCode::Ok : ExitCode::Failed;
}

ExitCode tail_runs(Session& session, const std::string& id) {
    if (const auto remote = session.remote()) return tail_remote(session, *remote, id);
    const auto store = open_to_read(session.place());
    std::optional<store::RunNo> only;
    if (!id.empty()) only = find_run(*store, id).no;
    Tail tail{*store, only};
    follow(session, tail, only.has_value(), kLookEvery);
    if (!tail.ended()) return ExitCode::Ok;
    const auto run = store->find_run(*only);
    return run && run->status == RunStatus::Succeeded ? ExitCode::Ok : ExitCode::Failed;
}

}  // namespace

void add_runs_tail(CLI::App& runs, Session& session) {
    const auto id = std::make_shared<std::string>();
    CLI::App* command = add_command(runs, "tail", "Follow one run to its end, or all until Ctrl-C",
                                    "belay runs tail july && echo succeeded");
    command->add_option("ID", *id, fmt::format("{}; all runs without it", kRunIdHelp));
    add_json(*command, session);
    choose(*command, session, [id, &session] { return tail_runs(session, *id); });
}

}  // namespace belay::cli

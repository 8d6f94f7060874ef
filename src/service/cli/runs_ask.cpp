// runs_ask.cpp — `belay runs ask ID NAME [JSON]`: what a run answers now, or exposed before it ended.
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/client.hpp>
#include <belay/error.hpp>

#include "service/cli/command.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/over_http.hpp"
#include "service/cli/run_list_over_http.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

struct Asking {
    std::string id;
    std::string name;
    std::string question = "null";  // JSON
    int wait_seconds = 5;
};

json::value question_of(const Asking& asking) {
    json::error_code error;
    json::value question = json::parse(asking.question, error);
    if (!error) return question;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("`{}` is not JSON ({}); a text needs its quotes: '\"yes\"'",
                            plain(asking.question), error.message()));
}

json::value answer_of(const Session& session, const Asking& asking, std::string& id) {
    const json::value question = question_of(asking);
    if (const auto remote = session.remote()) {
        id = find_remote_run(*remote, asking.id);
        return remote
            ->post(fmt::format("/api/runs/{}/questions/{}?wait_s={}", in_url(id),
                               in_url(asking.name), asking.wait_seconds),
                   question)
            .at("answer");
    }
    const Place place = session.place();
    id = find_run(*open_to_read(place), asking.id).id;
    Client client{config_of(place)};
    return client.ask(id, asking.name, question, std::chrono::seconds{asking.wait_seconds});
}

}  // namespace

void add_runs_ask(CLI::App& runs, Session& session) {
    const auto asking = std::make_shared<Asking>();
    CLI::App* command =
        add_command(runs, "ask", "Ask a run: its code answers now, or what it exposed does",
                    "belay runs ask order-7 price '{\"pieces\": 3}'");
    command->add_option("ID", asking->id, kRunIdHelp)->required();
    command->add_option("NAME", asking->name, "what the run answers to")->required();
    command->add_option("JSON", asking->question, "the question (nothing: null)");
    command->add_option("--wait", asking->wait_seconds, "seconds to wait for the answer")
        ->check(CLI::Range(1, 30))
        ->capture_default_str();
    add_json(*command, session);
    choose(*command, session, [asking, &session] {
        std::string id;
        json::value answer = answer_of(session, *asking, id);
        auto& out = session.world.screen.out;
        if (session.json) {
            out << json::serialize(json::object{
                       {"id", id}, {"name", asking->name}, {"answer", std::move(answer)}})
                << '\n';
        } else {
            out << plain(json::serialize(answer)) << '\n';
        }
        return ExitCode::Ok;
    });
}

}  // namespace belay::cli

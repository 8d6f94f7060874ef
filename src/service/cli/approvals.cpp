// approvals.cpp — `belay approvals`: ask a person, see who is asked what, answer.
#include <filesystem>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "service/api/tables.hpp"
#include "service/approvals/api/routes.hpp"
#include "service/approvals/approval.hpp"
#include "service/cli/ask_executor.hpp"
#include "service/cli/command.hpp"
#include "service/cli/data_folder.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/run_list_over_http.hpp"
#include "service/cli/table.hpp"
#include "service/cli/version.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

struct ApprovalOptions {
    std::string title{};
    std::string details{};
    std::string organization = "default";
    std::string status{};
    std::string id{};
    std::string comment{};
    int limit = 20;
};

json::object json_of(const approvals::Approval& approval) {
    return json::parse(to_json(approvals::approval_view(approval))).as_object();
}

std::string text_of(const json::object& from, std::string_view name) {
    const auto* found = from.if_contains(name);
    return found == nullptr || !found->is_string() ? "" : std::string(found->as_string());
}

approvals::Ask ask_store(api::StoreTables& tables) {
    return [&tables](std::string_view sql, const std::vector<SqlValue>& values) {
        try {
            return SqlRows{tables.query(sql, values)};
        } catch (const Error& error) {
            // The table comes with the first server.
            const bool no_table =
                std::string_view(error.what()).find("approval_requests") != std::string_view::npos;
            if (error.code() == ErrorCode::InvalidArgument && no_table) return SqlRows{SqlResult{}};
            throw;
        }
    };
}

// By an engine of our own that runs nothing, or by the process that executes there.
std::string change(const Session& session, const approvals::ApprovalRequest& asked) {
    const Place place = session.place();
    make_data_folder(place);
    const std::string text = to_json(asked);
    try {
        EngineOptions options;
        options.code_version = std::string(version());
        options.seal = place.seal;
        Engine engine{config_of(place), options};
        approvals::define_approval(engine);
        return engine.transact([&](Tx& tx) { return approvals::approval_request(tx, text); });
    } catch (const Error& error) {
        if (error.code() != ErrorCode::StoreLocked) throw;
    }
    return ask_executor(session, place, std::string(approvals::kApprovalsRequest), text);
}

ExitCode told(const Session& session, const json::object& answer, const std::string& sentence) {
    if (session.json) {
        session.world.screen.out << json::serialize(answer) << '\n';
    } else {
        session.world.screen.out << plain(sentence) << '\n';
    }
    return ExitCode::Ok;
}

ExitCode request(Session& session, const ApprovalOptions& options) {
    std::string id;
    if (const auto remote = session.remote()) {
        const auto answer = remote->post("/api/approvals",
                                         {{"title", options.title}, {"details", options.details}});
        id = text_of(answer.as_object(), "id");
    } else {
        approvals::ApprovalRequest asked;
        asked.verb = "request";
        asked.organization_id = options.organization;
        asked.title = options.title;
        asked.details = options.details;
        id = change(session, asked);
    }
    return told(session, {{"id", id}, {"status", "pending"}},
                fmt::format("{} waits for an answer: belay approvals approve {}", id, id));
}

ExitCode answer(Session& session, const ApprovalOptions& options, const std::string& verb) {
    std::string id;
    if (const auto remote = session.remote()) {
        id = find_remote_run(*remote, options.id);
        remote->post(fmt::format("/api/approvals/{}/{}", in_url(id), verb),
                     {{"comment", options.comment}});
    } else {
        id = find_run(*open_to_read(session.place()), options.id).id;
        approvals::ApprovalRequest asked;
        asked.verb = verb;
        asked.workflow_run_id = id;
        asked.comment = options.comment;
        change(session, asked);
    }
    const std::string status = verb == "approve" ? "approved" : "rejected";
    return told(session, {{"id", id}, {"status", status}}, fmt::format("{} is {}.", id, status));
}

json::array requests_of(Session& session, const ApprovalOptions& options) {
    if (!options.status.empty() && !approvals::is_approval_status(options.status))
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("--status is one of {}, not `{}`", approvals::kApprovalStatuses,
                                options.status));
    if (const auto remote = session.remote()) {
        std::string path = fmt::format("/api/approvals?limit={}", options.limit);
        if (!options.status.empty()) path += "&status=" + in_url(options.status);
        return remote->get(path).at("approvals").as_array();
    }
    const auto store = open_to_read(session.place());
    api::StoreTables tables{*store, session.world.clock};
    json::array rows;
    for (const auto& one :
         approvals::list_approvals(ask_store(tables), "", options.status, options.limit))
        rows.push_back(json_of(one));
    return rows;
}

ExitCode list(Session& session, const ApprovalOptions& options) {
    json::array rows = requests_of(session, options);
    const Screen& screen = session.world.screen;
    if (session.json) {
        screen.out << json::serialize(
                          json::object{{"approvals", std::move(rows)}, {"next_cursor", nullptr}})
                   << '\n';
        return ExitCode::Ok;
    }
    if (rows.empty()) {
        screen.out << "Nobody is asked anything.\n";
        return ExitCode::Ok;
    }
    Table table{
        {{"ID", 12}, {"TITLE", 12}, {"STATUS"}, {"REQUESTED"}, {"EXPIRES"}, {"COMMENT", 10}}};
    for (const json::value& row : rows) {
        const json::object& one = row.as_object();
        table.row({{text_of(one, "id")},
                   {text_of(one, "title")},
                   {text_of(one, "status"),
                    text_of(one, "status") == "pending" ? Style::Busy : Style::Plain},
                   {text_of(one, "requested_at")},
                   {text_of(one, "expires_at")},
                   {text_of(one, "comment")}});
    }
    table.print(screen);
    return ExitCode::Ok;
}

}  // namespace

void add_approvals(CLI::App& app, Session& session) {
    CLI::App* group =
        app.add_subcommand("approvals", "Ask a person, and answer: yes or no, with a comment");
    group->require_subcommand(1);
    group->footer(
        "A request is a run that waits up to 7 days.\n\nExample:\n  belay approvals request \"Pay "
        "invoice 12?\"\n  belay approvals list --status pending");
    const auto options = std::make_shared<ApprovalOptions>();

    CLI::App* make = add_command(*group, "request", "Ask for an approval",
                                 "belay approvals request \"Pay invoice 12?\"");
    make->add_option("TITLE", options->title, "what is asked, in one line")->required();
    make->add_option("--details", options->details, "what else there is to know");
    make->add_option("--organization", options->organization, "whose request it is (on a store)")
        ->capture_default_str();
    add_json(*make, session);
    choose(*make, session, [options, &session] { return request(session, *options); });

    CLI::App* all = add_command(*group, "list", "Requests, newest first",
                                "belay approvals list --status pending");
    all->add_option("--status", options->status, std::string(approvals::kApprovalStatuses));
    all->add_option("--limit", options->limit, "how many at most")
        ->check(CLI::Range(1, 500))
        ->capture_default_str();
    add_json(*all, session);
    choose(*all, session, [options, &session] { return list(session, *options); });

    for (const auto& [verb, description] :
         {std::pair{"approve", "Say yes"}, std::pair{"reject", "Say no: a result, not an error"}}) {
        CLI::App* command = add_command(*group, verb, description,
                                        fmt::format("belay approvals {} ID --comment \"…\"", verb));
        command->add_option("ID", options->id, "its id, or at least 4 characters of its beginning")
            ->required();
        command->add_option("--comment", options->comment, "kept with the answer");
        add_json(*command, session);
        choose(*command, session, [options, &session, verb = std::string(verb)] {
            return answer(session, *options, verb);
        });
    }
}

}  // namespace belay::cli

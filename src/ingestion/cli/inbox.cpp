// inbox.cpp — `belay inbox`: what object stores told and what became of it, on a store or on a server.
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "ingestion/cli/commands.hpp"
#include "ingestion/ingest/api/event_views.hpp"
#include "ingestion/ingest/inbox.hpp"
#include "ingestion/ingest/tables.hpp"
#include "service/api/tables.hpp"
#include "service/cli/ask_executor.hpp"
#include "service/cli/command.hpp"
#include "service/cli/doctor.hpp"
#include "service/cli/place.hpp"
#include "service/cli/table.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

struct InboxOptions {
    std::string status{};
    int limit = 20;
    std::string id{};
    bool all = false;
};

// A store on which nothing was ever ingested has no such table: then there is no message either.
ingest::Ask ask_store(api::StoreTables& tables) {
    return [&tables](std::string_view sql, const std::vector<SqlValue>& values) {
        try {
            return SqlRows{tables.query(sql, values)};
        } catch (const Error& error) {
            const bool no_table =
                std::string_view(error.what()).find("object_inbox") != std::string_view::npos;
            if (error.code() == ErrorCode::InvalidArgument && no_table) return SqlRows{SqlResult{}};
            throw;
        }
    };
}

json::object json_of(const ingest::InboxMessage& message) {
    return json::parse(to_json(ingest::message_view(message))).as_object();
}

std::string text_of(const json::object& message, std::string_view name) {
    const auto* found = message.if_contains(name);
    if (found == nullptr || found->is_null()) return "";
    return found->is_string() ? std::string(found->as_string()) : json::serialize(*found);
}

Style style_of_status(std::string_view status) {
    if (status == "done") return Style::Good;
    if (status == "dead" || status == "invalid") return Style::Bad;
    if (status == "waiting") return Style::Busy;
    return Style::Dim;
}

json::object messages_of(Session& session, const InboxOptions& options) {
    if (!options.status.empty() && !ingest::is_inbox_status(options.status))
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("--status is one of {}, not `{}`", ingest::kInboxStatuses, options.status));
    if (const auto remote = session.remote()) {
        std::string path = fmt::format("/api/inbox?limit={}", options.limit);
        if (!options.status.empty()) path += "&status=" + in_url(options.status);
        return remote->get(path).as_object();
    }
    const auto store = open_to_read(session.place());
    api::StoreTables tables{*store, session.world.clock};
    ingest::InboxFilter filter;
    filter.status = options.status;
    filter.limit = options.limit;
    const ingest::InboxPage page = ingest::list_inbox(ask_store(tables), filter);
    json::array rows;
    for (const auto& message : page.messages) rows.push_back(json_of(message));
    json::object out{{"messages", std::move(rows)}, {"next_cursor", nullptr}};
    if (!page.next.empty()) out["next_cursor"] = page.next;
    return out;
}

ExitCode list(Session& session, const InboxOptions& options) {
    const json::object answer = messages_of(session, options);
    const Screen& screen = session.world.screen;
    if (session.json) {
        screen.out << json::serialize(answer) << '\n';
        return ExitCode::Ok;
    }
    const auto& messages = answer.at("messages").as_array();
    if (messages.empty()) {
        screen.out << (options.status.empty() ? "No object store has told anything yet.\n"
                                              : "There is no such message.\n");
        return ExitCode::Ok;
    }
    Table table{
        {{"ID"}, {"STATUS"}, {"KIND"}, {"KEY", 12}, {"TRIES"}, {"RECEIVED"}, {"REASON", 12}}};
    for (const json::value& value : messages) {
        const json::object& message = value.as_object();
        const std::string status = text_of(message, "status");
        table.row({{text_of(message, "id")},
                   {status, style_of_status(status)},
                   {text_of(message, "kind")},
                   {text_of(message, "key")},
                   {text_of(message, "attempts")},
                   {text_of(message, "received_at")},
                   {text_of(message, "reason")}});
    }
    table.print(screen);
    return ExitCode::Ok;
}

ExitCode show(Session& session, const InboxOptions& options) {
    json::object message;
    if (const auto remote = session.remote()) {
        message = remote->get("/api/inbox/" + in_url(options.id)).as_object();
    } else {
        const auto store = open_to_read(session.place());
        api::StoreTables tables{*store, session.world.clock};
        const auto found = ingest::find_message(ask_store(tables), "", options.id);
        if (!found)
            throw Error(ErrorCode::NotFound,
                        fmt::format("there is no message `{}`", plain(options.id)));
        message = json_of(*found);
    }
    if (session.json) {
        session.world.screen.out << json::serialize(message) << '\n';
        return ExitCode::Ok;
    }
    for (const auto& field : message) {
        const std::string text = text_of(message, field.key());
        if (!text.empty())
            session.world.screen.out
                << fmt::format("{:<17}{}\n", std::string_view(field.key()), plain(text));
    }
    return ExitCode::Ok;
}

ExitCode act(Session& session, const std::string& id, const std::string& verb) {
    std::string status;
    if (const auto remote = session.remote()) {
        const json::value answer = remote->post(fmt::format("/api/inbox/{}/{}", in_url(id), verb));
        status = text_of(answer.as_object(), "status");
    } else {
        const std::string request = to_json(ingest::InboxRequest{id, verb});
        status = ask_or_do(session, std::string(ingest::kInboxRequest), request,
                           {std::string(ingest::kOwner), ingest::migrations()},
                           [&](Tx& tx) { return ingest::inbox_request(tx, request); });
    }
    if (session.json) {
        session.world.screen.out << json::serialize(json::object{{"id", id}, {"status", status}})
                                 << '\n';
    } else {
        session.world.screen.out << fmt::format("Message {} is {}.\n", plain(id), status);
    }
    return ExitCode::Ok;
}

// What is dead on a server is its organization's; on a store, everybody's.
ExitCode retry_all(Session& session) {
    std::string count;
    if (const auto remote = session.remote()) {
        count = text_of(remote->post("/api/inbox/retry").as_object(), "retried");
    } else {
        const std::string request =
            to_json(ingest::InboxRequest{"", std::string(ingest::kRetryAll)});
        count = ask_or_do(session, std::string(ingest::kInboxRequest), request,
                          {std::string(ingest::kOwner), ingest::migrations()},
                          [&](Tx& tx) { return ingest::inbox_request(tx, request); });
    }
    if (session.json) {
        session.world.screen.out << json::serialize(json::object{{"retried", json::parse(count)}})
                                 << '\n';
    } else {
        session.world.screen.out << fmt::format(
            "{} message{} that {} dead {} tried again.\n", count, count == "1" ? "" : "s",
            count == "1" ? "was" : "were", count == "1" ? "is" : "are");
    }
    return ExitCode::Ok;
}

ExitCode act_on(Session& session, const InboxOptions& options, const std::string& verb) {
    if (options.all == !options.id.empty())
        throw Error(ErrorCode::InvalidArgument, "say which message, or --all");
    return options.all ? retry_all(session) : act(session, options.id, verb);
}

}  // namespace

Check check_inbox(Session& session) {
    const auto store = open_to_read(session.place());
    api::StoreTables tables{*store, session.world.clock};
    const ingest::InboxCounts counts = ingest::count_inbox(ask_store(tables));
    if (counts.dead > 0) {
        return {
            "inbox", Health::Warn,
            fmt::format("{} notification{} of objects could not be handled", counts.dead,
                        counts.dead == 1 ? "" : "s"),
            "`belay inbox list --status dead` says why; `belay inbox retry --all` tries again."};
    }
    if (counts.waiting_for_store > 0) {
        return {"inbox", Health::Warn,
                fmt::format("{} notification{} wait{} for the object store, which does not answer",
                            counts.waiting_for_store, counts.waiting_for_store == 1 ? "" : "s",
                            counts.waiting_for_store == 1 ? "s" : ""),
                "They go on by themselves when it is back; `belay inbox retry ID` does not wait."};
    }
    return {"inbox",
            Health::Good,
            counts.waiting == 0 ? "nothing waits" : fmt::format("{} being handled", counts.waiting),
            {}};
}

void add_inbox(CLI::App& app, Session& session) {
    CLI::App* inbox =
        app.add_subcommand("inbox", "Messages of object stores: look, retry, give up");
    inbox->require_subcommand(1);
    inbox->footer("Example:\n  belay inbox list --status dead");
    const auto options = std::make_shared<InboxOptions>();

    CLI::App* all =
        add_command(*inbox, "list", "Messages, newest first", "belay inbox list --status dead");
    all->add_option("--status", options->status, std::string(ingest::kInboxStatuses));
    all->add_option("--limit", options->limit, "how many at most")
        ->check(CLI::Range(1, 500))
        ->capture_default_str();
    add_json(*all, session);
    choose(*all, session, [options, &session] { return list(session, *options); });

    CLI::App* one =
        add_command(*inbox, "show", "One message with its body", "belay inbox show msg_…");
    one->add_option("ID", options->id, "as `belay inbox list` shows it")->required();
    add_json(*one, session);
    choose(*one, session, [options, &session] { return show(session, *options); });

    for (const auto& [verb, description] :
         {std::pair{"retry", "Try a message again that was set aside"},
          std::pair{"drop", "Give a message up: nothing will be done about it"}}) {
        CLI::App* command =
            add_command(*inbox, verb, description, fmt::format("belay inbox {} msg_…", verb));
        command->add_option("ID", options->id, "as `belay inbox list` shows it");
        if (std::string_view(verb) == "retry")
            command->add_flag("--all", options->all, "every message that is dead");
        add_json(*command, session);
        choose(*command, session, [options, &session, verb = std::string(verb)] {
            return act_on(session, *options, verb);
        });
    }
}

}  // namespace belay::cli

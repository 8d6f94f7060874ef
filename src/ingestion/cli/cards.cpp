// cards.cpp — `belay cards` and `belay export`: card statements, the receipts of their lines, and both as files.
//
// Reads a store whoever executes there; what changes a line is done by the process that executes, or here if none does.
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "ingestion/cli/card_requests.hpp"
#include "ingestion/cli/commands.hpp"
#include "ingestion/cli/own_organization.hpp"
#include "ingestion/cli/paper_settings.hpp"
#include "ingestion/ingest/tables.hpp"
#include "ingestion/workflows/paper/card_invoices.hpp"
#include "ingestion/workflows/paper/day.hpp"
#include "ingestion/workflows/paper/export.hpp"
#include "service/cli/ask_executor.hpp"
#include "service/cli/command.hpp"
#include "service/cli/table.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;
namespace flow = belay::workflows;

constexpr int kListMax = 200;

// A store that no file ever came to has no such tables: then there is no statement either.
flow::TableReader reading_of(store::Store& store) {
    return flow::TableReader([&store](std::string_view sql, std::span<const SqlValue> values) {
        try {
            return SqlRows{store.query(sql, values)};
        } catch (const Error& error) {
            const std::string_view why = error.what();
            const bool no_table = why.find("no such table") != std::string_view::npos ||
                                  why.find("does not exist") != std::string_view::npos;
            if (error.code() == ErrorCode::InvalidArgument && no_table) return SqlRows{SqlResult{}};
            throw;
        }
    });
}

std::string document_of(const Session& session, const flow::TableReader& reading,
                        const std::string& id) {
    const auto found = flow::find_card_document(reading, own_organization(session.world), id);
    if (!found)
        throw Error(ErrorCode::NotFound, fmt::format("there is no card statement {}", plain(id)));
    return *found;
}

std::string text_of(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    if (value == nullptr || value->is_null()) return "-";
    if (value->is_string()) return std::string(value->as_string());
    return json::serialize(*value);
}

// ---- looking

std::vector<json::object> statements(Session& session) {
    if (const auto remote = session.remote()) {
        std::vector<json::object> rows;
        const json::value answer =
            remote->get(fmt::format("/api/card-invoices?limit={}", kListMax));
        for (const json::value& row : answer.at("card_invoices").as_array())
            rows.push_back(row.as_object());
        return rows;
    }
    const auto store = open_to_read(session.place());
    return flow::list_card_invoices(reading_of(*store), own_organization(session.world),
                                    std::nullopt, kListMax)
        .rows;
}

json::object statement(Session& session, const std::string& id) {
    if (const auto remote = session.remote())
        return remote->get("/api/card-invoices/" + in_url(id)).as_object();
    const auto store = open_to_read(session.place());
    const flow::TableReader reading = reading_of(*store);
    return flow::card_invoice(reading, document_of(session, reading, id));
}

ExitCode list(Session& session) {
    const auto rows = statements(session);
    if (session.json) {
        for (const json::object& row : rows)
            session.world.screen.out << json::serialize(row) << '\n';
        return ExitCode::Ok;
    }
    Table table{
        {{"id", 12}, {"number"}, {"date"}, {"total", 0, true}, {"matched", 0, true}, {"status"}}};
    for (const json::object& row : rows) {
        const json::object& counts = row.at("line_counts").as_object();
        const std::int64_t matched = counts.at("matched").to_number<std::int64_t>();
        const std::int64_t unmatched = counts.at("unmatched").to_number<std::int64_t>();
        table.row({{text_of(row, "id")},
                   {text_of(row, "invoice_number")},
                   {text_of(row, "statement_date")},
                   {text_of(row, "total")},
                   {fmt::format("{}/{}", matched, matched + unmatched)},
                   {text_of(row, "status")}});
    }
    table.print(session.world.screen);
    return ExitCode::Ok;
}

ExitCode show(Session& session, const std::string& id) {
    const json::object one = statement(session, id);
    if (session.json) {
        session.world.screen.out << json::serialize(one) << '\n';
        return ExitCode::Ok;
    }
    session.world.screen.out << plain(fmt::format(
                                    "statement {} of {}, {} {}, {}", text_of(one, "invoice_number"),
                                    text_of(one, "statement_date"), text_of(one, "total"),
                                    text_of(one, "currency"), text_of(one, "status")))
                             << '\n';
    Table table{{{"line", 0, true},
                 {"date"},
                 {"description", 12},
                 {"amount", 0, true},
                 {"match"},
                 {"receipt", 12}}};
    for (const json::value& value : one.at("rows").as_array()) {
        const json::object& line = value.as_object();
        table.row({{text_of(line, "id")},
                   {text_of(line, "date")},
                   {text_of(line, "description")},
                   {text_of(line, "amount")},
                   {text_of(line, "match_status")},
                   {text_of(line, "matched_file_id")}});
    }
    table.print(session.world.screen);
    return ExitCode::Ok;
}

std::string exported_as(Session& session, const std::string& what) {
    if (const auto remote = session.remote()) {
        return remote->text(what == "sie" ? "/api/export/sie" : "/api/export/receipts.csv");
    }
    const auto store = open_to_read(session.place());
    const flow::TableReader reading = reading_of(*store);
    if (what == "sie")
        return flow::sie_export(reading, own_organization(session.world), {},
                                flow::day_of(session.now()));
    return flow::receipts_csv(reading, own_organization(session.world), {});
}

ExitCode export_as(Session& session, const std::string& what) {
    const std::string exported = exported_as(session, what);
    session.world.screen.out << exported;
    // The file goes into another; who asked for it should know without opening it.
    const std::string comment = what == "sie" ? flow::sie_comment(exported) : "";
    if (!comment.empty()) session.world.errors << plain(comment) << '\n';
    return ExitCode::Ok;
}

// ---- changing

json::object asked_of(Session& session, CardRequest request) {
    request.organization_id = own_organization(session.world);
    const std::string text = to_json(request);
    const auto settings = match_settings(paper_options(session.world.environment));
    const std::string answer = ask_or_do(session, std::string(kCardsRequest), text,
                                         {std::string(ingest::kOwner), ingest::migrations()},
                                         [&](Tx& tx) { return card_request(tx, text, settings); });
    return json::parse(answer).as_object();
}

json::object matched(Session& session, const std::string& id) {
    if (const auto remote = session.remote())
        return remote->post(fmt::format("/api/card-invoices/{}/match", in_url(id))).as_object();
    CardRequest request;
    request.verb = "match";
    request.document_id = document_of(session, reading_of(*open_to_read(session.place())), id);
    return asked_of(session, request);
}

ExitCode match(Session& session, const std::string& id) {
    const json::object done = matched(session, id);
    if (session.json) {
        session.world.screen.out << json::serialize(done) << '\n';
    } else {
        session.world.screen.out << fmt::format("{} of {} lines have a receipt, {} changed: {}\n",
                                                text_of(done, "matched"), text_of(done, "lines"),
                                                text_of(done, "changed"), text_of(done, "status"));
    }
    return ExitCode::Ok;
}

// A server names a line by its statement too.
std::string statement_with(const ServerClient& remote, std::int64_t line) {
    const json::value all = remote.get(fmt::format("/api/card-invoices?limit={}", kListMax));
    for (const json::value& one : all.at("card_invoices").as_array()) {
        const std::string id = text_of(one.as_object(), "id");
        const json::value lines =
            remote.get(fmt::format("/api/card-invoices/{}/lines", in_url(id)));
        for (const json::value& row : lines.at("lines").as_array()) {
            if (row.at("id").to_number<std::int64_t>() == line) return id;
        }
    }
    throw Error(ErrorCode::NotFound, fmt::format("there is no line {}", line));
}

json::object changed(Session& session, const CardRequest& request) {
    const auto remote = session.remote();
    if (!remote) {
        open_to_read(session.place());  // says so if there is no store
        return asked_of(session, request);
    }
    json::object body;
    if (request.verb == "link") body["file_id"] = request.receipt;
    return remote
        ->post(fmt::format("/api/card-invoices/{}/lines/{}/{}",
                           in_url(statement_with(*remote, request.line)), request.line,
                           request.verb == "link" ? "match" : request.verb),
               body)
        .as_object();
}

ExitCode change(Session& session, const CardRequest& request) {
    const json::object done = changed(session, request);
    if (session.json) {
        session.world.screen.out << json::serialize(done) << '\n';
    } else {
        session.world.screen.out << fmt::format("line {} is {}\n", request.line,
                                                text_of(done, "match_status"));
    }
    return ExitCode::Ok;
}

void add_line_command(CLI::App& cards, Session& session, const std::string& verb,
                      const std::string& meaning) {
    const auto request = std::make_shared<CardRequest>();
    request->verb = verb;
    CLI::App* command = add_command(cards, verb, meaning, fmt::format("belay cards {} 17", verb));
    command->add_option("LINE", request->line, "as `belay cards show` lists it")->required();
    if (verb == "link")
        command->add_option("FILE_ID", request->receipt, "the receipt's file")->required();
    add_json(*command, session);
    choose(*command, session, [request, &session] { return change(session, *request); });
}

}  // namespace

void add_cards(CLI::App& app, Session& session) {
    CLI::App* cards =
        app.add_subcommand("cards", "Card statements, and the receipts of their lines");
    cards->require_subcommand(1);
    cards->footer("Example:\n  belay cards list");

    CLI::App* all = add_command(*cards, "list", "The statements, newest first", "belay cards list");
    add_json(*all, session);
    choose(*all, session, [&session] { return list(session); });

    const auto id = std::make_shared<std::string>();
    CLI::App* one =
        add_command(*cards, "show", "One statement with its lines", "belay cards show 1");
    one->add_option("ID", *id, "its id, number or file")->required();
    add_json(*one, session);
    choose(*one, session, [id, &session] { return show(session, *id); });

    CLI::App* now =
        add_command(*cards, "match", "Match the lines that have no receipt", "belay cards match 1");
    now->add_option("ID", *id, "its id, number or file")->required();
    add_json(*now, session);
    choose(*now, session, [id, &session] { return match(session, *id); });

    add_line_command(*cards, session, "link", "Link a receipt to a line by hand");
    add_line_command(*cards, session, "confirm", "Confirm a line's receipt");
    add_line_command(*cards, session, "reject", "Take a line's receipt away");
    add_line_command(*cards, session, "ignore", "Say that a line needs no receipt");

    CLI::App* sie = add_command(app, "export", "Receipts as CSV, or their entries as SIE 4",
                                "belay export sie > receipts.se");
    const auto what = std::make_shared<std::string>();
    sie->add_option("FORMAT", *what, "csv or sie")
        ->required()
        ->check(CLI::IsMember({"csv", "sie"}));
    choose(*sie, session, [what, &session] { return export_as(session, *what); });
}

}  // namespace belay::cli

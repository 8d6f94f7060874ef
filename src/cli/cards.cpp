// cards.cpp — `belay cards`: card statements and the receipts of their lines, on a data directory that nobody executes
// on. While a server runs there, its HTTP routes do the same.
#include <filesystem>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json/serialize.hpp>

#include <belay/engine.hpp>
#include <belay/error.hpp>

#include "cli/command.hpp"
#include "cli/ingesting.hpp"
#include "cli/table.hpp"
#include "cli/version.hpp"
#include "workflows/paper/card_invoices.hpp"
#include "workflows/paper/day.hpp"
#include "workflows/paper/export.hpp"
#include "workflows/paper/match_rows.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;
namespace flow = belay::workflows;

constexpr int kListMax = 200;

// An engine on the data directory, for the length of one command.
class Desk {
public:
    explicit Desk(Session& session) : engine_(open(session)) {
        const Place place = session.place();
        ingesting_ = std::make_unique<Ingesting>(
            place.data_folder, session.world.clock,
            ingesting_options(place, session.world.environment));
        ingesting_->define(engine_);
        engine_.start();
    }
    ~Desk() { engine_.stop(); }

    Engine& engine() { return engine_; }
    const flow::PaperServices& paper() { return ingesting_->paper(); }
    std::string organization() const { return EngineOptions{}.organization_id; }
    std::string document(const std::string& id) {
        const auto found = flow::find_card_document(engine_, organization(), id);
        if (!found)
            throw Error(ErrorCode::NotFound, fmt::format("there is no card statement {}", id));
        return *found;
    }

private:
    static Engine open(Session& session) {
        const Place place = session.place();
        if (place.data_folder.empty() || !std::filesystem::exists(place.file))
            throw Error(ErrorCode::StoreUnavailable,
                        fmt::format("there is no Belay data in {}", place.data_folder.string()));
        EngineOptions options;
        options.code_version = std::string(version());
        return Engine{sqlite(place.file.string()), options};
    }

    std::unique_ptr<Ingesting> ingesting_;  // destroyed after the engine, whose steps use it
    Engine engine_;
};

std::string text_of(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    if (value == nullptr || value->is_null()) return "-";
    if (value->is_string()) return std::string(value->as_string());
    return json::serialize(*value);
}

ExitCode list(Session& session) {
    Desk desk{session};
    const auto page =
        flow::list_card_invoices(desk.engine(), desk.organization(), std::nullopt, kListMax);
    if (session.json) {
        for (const json::object& row : page.rows) session.world.screen.out << json::serialize(row) << '\n';
        return ExitCode::Ok;
    }
    Table table{{{"id", 12}, {"number"}, {"date"}, {"total", 0, true}, {"lines", 0, true}, {"status"}}};
    for (const json::object& row : page.rows) {
        const json::object& counts = row.at("line_counts").as_object();
        table.row({{text_of(row, "id")},
                   {text_of(row, "invoice_number")},
                   {text_of(row, "statement_date")},
                   {text_of(row, "total")},
                   {fmt::format("{}/{}", text_of(counts, "matched"), text_of(counts, "total"))},
                   {text_of(row, "status")}});
    }
    table.print(session.world.screen);
    return ExitCode::Ok;
}

ExitCode show(Session& session, const std::string& id) {
    Desk desk{session};
    const json::object one = flow::card_invoice(desk.engine(), desk.document(id));
    if (session.json) {
        session.world.screen.out << json::serialize(one) << '\n';
        return ExitCode::Ok;
    }
    session.world.screen.out << plain(fmt::format("statement {} of {}, {} {}, {}", text_of(one, "invoice_number"),
                                                  text_of(one, "statement_date"), text_of(one, "total"),
                                                  text_of(one, "currency"), text_of(one, "status")))
                             << '\n';
    Table table{{{"line", 0, true}, {"date"}, {"description", 12}, {"amount", 0, true}, {"match"}, {"receipt", 12}}};
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

ExitCode match(Session& session, const std::string& id) {
    Desk desk{session};
    const std::string document = desk.document(id);
    const flow::MatchSettings settings{desk.paper().options.matching,
                                       !desk.paper().options.company_cards_last_4.empty()};
    const auto done = desk.engine().transact(
        [&](Tx& tx) { return flow::match_document(tx, document, settings); });
    if (session.json) {
        session.world.screen.out << to_json(done) << '\n';
    } else {
        session.world.screen.out << fmt::format("{} of {} lines have a receipt, {} changed: {}\n",
                                                done.matched, done.lines, done.changed, done.status);
    }
    return ExitCode::Ok;
}

std::string refusal_of(const flow::LineOutcome& outcome) {
    if (std::holds_alternative<flow::ReceiptNotFound>(outcome)) return "there is no such receipt";
    if (const auto* taken = std::get_if<flow::ReceiptTaken>(&outcome))
        return fmt::format("line {} has this receipt: reject that match first", taken->by_line);
    if (const auto* no = std::get_if<flow::NotPossible>(&outcome))
        return fmt::format("the line is `{}`, which cannot become `{}`", no->from, no->to);
    return "there is no such line";
}

ExitCode change(Session& session, std::int64_t line, flow::LineAction action,
                const std::string& receipt) {
    Desk desk{session};
    const flow::LineOutcome outcome = desk.engine().transact([&](Tx& tx) {
        return flow::change_line(tx, desk.organization(), line, action, receipt, "cli");
    });
    const auto* changed = std::get_if<flow::LineChanged>(&outcome);
    if (changed == nullptr) throw Error(ErrorCode::InvalidArgument, refusal_of(outcome));
    if (session.json) session.world.screen.out << to_json(*changed) << '\n';
    else session.world.screen.out << fmt::format("line {} is {}\n", line, changed->match_status);
    return ExitCode::Ok;
}

ExitCode export_as(Session& session, const std::string& what) {
    Desk desk{session};
    session.world.screen.out << (what == "sie"
                                     ? flow::sie_export(desk.engine(), desk.organization(), {},
                                                        flow::day_of(session.now()))
                                     : flow::receipts_csv(desk.engine(), desk.organization(), {}));
    return ExitCode::Ok;
}

struct CardOptions {
    std::string id{};
    std::int64_t line = 0;
    std::string receipt{};
};

void add_line_command(CLI::App& cards, Session& session, const std::string& name,
                      const std::string& meaning, flow::LineAction action) {
    const auto options = std::make_shared<CardOptions>();
    CLI::App* command = add_command(cards, name, meaning, fmt::format("belay cards {} 17", name));
    command->add_option("LINE", options->line, "as `belay cards show` lists it")->required();
    if (action == flow::LineAction::Link)
        command->add_option("FILE_ID", options->receipt, "the receipt's file")->required();
    add_json(*command, session);
    choose(*command, session, [options, action, &session] {
        return change(session, options->line, action, options->receipt);
    });
}

}  // namespace

void add_cards(CLI::App& app, Session& session) {
    CLI::App* cards = app.add_subcommand("cards", "Card statements, and the receipts of their lines");
    cards->require_subcommand(1);
    cards->footer("Example:\n  belay cards list");

    CLI::App* all = add_command(*cards, "list", "The statements, newest first", "belay cards list");
    add_json(*all, session);
    choose(*all, session, [&session] { return list(session); });

    const auto options = std::make_shared<CardOptions>();
    CLI::App* one = add_command(*cards, "show", "One statement with its lines", "belay cards show 1");
    one->add_option("ID", options->id, "its id, number or file")->required();
    add_json(*one, session);
    choose(*one, session, [options, &session] { return show(session, options->id); });

    CLI::App* now = add_command(*cards, "match", "Match the lines that have no receipt",
                                "belay cards match 1");
    now->add_option("ID", options->id, "its id, number or file")->required();
    add_json(*now, session);
    choose(*now, session, [options, &session] { return match(session, options->id); });

    add_line_command(*cards, session, "link", "Link a receipt to a line by hand", flow::LineAction::Link);
    add_line_command(*cards, session, "confirm", "Confirm a line's receipt", flow::LineAction::Confirm);
    add_line_command(*cards, session, "reject", "Take a line's receipt away", flow::LineAction::Reject);
    add_line_command(*cards, session, "ignore", "Say that a line needs no receipt", flow::LineAction::Ignore);

    CLI::App* sie = add_command(app, "export", "Receipts as CSV, or their entries as SIE 4",
                                "belay export sie > receipts.se");
    const auto what = std::make_shared<std::string>();
    sie->add_option("FORMAT", *what, "csv or sie")->required()->check(CLI::IsMember({"csv", "sie"}));
    choose(*sie, session, [what, &session] { return export_as(session, *what); });
}

}  // namespace belay::cli

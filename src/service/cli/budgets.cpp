// budgets.cpp — `belay budgets list|set|remove|approve`: how much may be paid, and who lets a run pay more.
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/model/budget.hpp"
#include "service/cli/ask.hpp"
#include "service/cli/budgets.hpp"
#include "service/cli/command.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/over_http.hpp"
#include "service/cli/run_list_over_http.hpp"
#include "service/cli/table.hpp"
#include "service/cli/words.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;
using Request = belay::detail::BudgetRequest;

struct SetOptions {
    std::string name;
    std::string limit;
    std::string per = "day";
    std::string workflow;
    std::string organization;
};

struct ApproveOptions {
    std::string run_id;
    std::string limit;
};

json::array rows_of(const Session& session, const std::string& run_id) {
    if (const auto remote = session.remote()) {
        const std::string path =
            run_id.empty()
                ? "/api/budgets"
                : fmt::format("/api/budgets?run={}", in_url(find_remote_run(*remote, run_id)));
        return remote->get(path).at("budgets").as_array();
    }
    const auto store = open_to_read(session.place());
    std::optional<model::Run> run;
    if (!run_id.empty()) run = find_run(*store, run_id);
    json::array rows;
    for (const BudgetInfo& one : store->budgets(session.now(), run ? &*run : nullptr))
        rows.push_back(model::budget_json(one));
    return rows;
}

std::string text(const json::object& row, std::string_view field) {
    const auto* found = row.if_contains(field);
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : "";
}

ExitCode told(const Session& session, const json::object& data, const std::string& sentence) {
    if (session.json) {
        session.world.screen.out << json::serialize(data) << '\n';
    } else {
        session.world.screen.out << plain(sentence) << '\n';
    }
    return ExitCode::Ok;
}

ExitCode set_budget(Session& session, const SetOptions& options) {
    if (options.per != "day" && options.per != "run")
        throw Error(ErrorCode::InvalidArgument, "--per is day or run");
    Request request;
    request.what = Request::What::Set;
    request.name = options.name;
    const Money limit = parse_amount(options.limit);
    Budget& budget = request.budget;
    if (limit.currency() == kTokenUnit) {
        budget.tokens = std::stoll(limit.amount());
    } else {
        budget.money = limit;
    }
    budget.per = options.per == "run" ? BudgetPer::Run : BudgetPer::Day;
    budget.workflow = options.workflow;
    budget.organization = options.organization;
    const std::string sentence =
        fmt::format("Budget {}: {}.", options.name, model::limit_text(budget));
    const json::object body = json::parse(model::budget_text(budget)).as_object();
    if (const auto remote = session.remote()) {
        const auto answer =
            remote->post(fmt::format("/api/budgets/{}", in_url(options.name)), body);
        return told(session, answer.as_object(), sentence);
    }
    change(session, request);
    json::object data = body;
    data["name"] = options.name;
    return told(session, data, sentence);
}

ExitCode remove_budget(Session& session, const std::string& name) {
    if (const auto remote = session.remote()) {
        remote->post(fmt::format("/api/budgets/{}/remove", in_url(name)));
    } else {
        Request request;
        request.what = Request::What::Remove;
        request.name = name;
        change(session, request);
    }
    return told(session, {{"name", name}, {"removed", true}},
                fmt::format("Budget {} is removed.", name));
}

ExitCode approve(Session& session, const ApproveOptions& options) {
    belay::detail::ApprovalRequest request;
    if (!options.limit.empty()) request.limit = parse_amount(options.limit);
    if (const auto remote = session.remote()) {
        request.run_id = find_remote_run(*remote, options.run_id);
        json::object body;
        if (request.limit.currency() == kTokenUnit) {
            body["tokens"] = std::stoll(request.limit.amount());
        } else if (!options.limit.empty()) {
            body["amount"] = request.limit.amount();
            body["currency"] = request.limit.currency();
        }
        remote->post(fmt::format("/api/runs/{}/approve", in_url(request.run_id)), body);
    } else {
        request.run_id = find_run(*open_to_read(session.place()), options.run_id).id;
        change(session, request);
    }
    return told(
        session, {{"id", request.run_id}, {"approved", true}},
        options.limit.empty()
            ? fmt::format("Run {} goes on, and may pay what it asked, once.", request.run_id)
            : fmt::format("Run {} goes on under a limit of {}.", request.run_id,
                          model::amount_text(request.limit)));
}

}  // namespace

Money parse_amount(const std::string& text) {
    const auto end = text.find_first_not_of("0123456789.-");
    const std::string amount = text.substr(0, end);
    std::string unit = end == std::string::npos ? "" : text.substr(end);
    unit.erase(0, unit.find_first_not_of(' '));
    const bool is_whole = amount.find('.') == std::string::npos;
    if ((unit == "tokens" || unit == "token") && is_whole && amount.size() <= 18)
        return {amount, kTokenUnit};
    if (amount.empty() || unit.size() != 3 || unit == kTokenUnit) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("--limit `{}` is not a limit; give money such as \"20 USD\", or "
                                "\"50000 tokens\"",
                                plain(text)));
    }
    return {amount, unit};
}

ExitCode list_budgets(const json::array& rows, const Screen& screen, bool as_json) {
    if (as_json) {
        screen.out << json::serialize(json::object{{"budgets", rows}}) << '\n';
        return ExitCode::Ok;
    }
    if (rows.empty()) {
        screen.out << "No budgets yet: nothing limits what is paid. Set one with "
                      "engine.budget(\"NAME\", limit) or `belay budgets set NAME --limit \"20 "
                      "USD\"`.\n";
        return ExitCode::Ok;
    }
    Table table{{{"BUDGET", 10},
                 {"SET BY"},
                 {"OF"},
                 {"WORKFLOW", 10},
                 {"PER"},
                 {"LIMIT", 0, true},
                 {"SPENT", 0, true},
                 {"RESERVED", 0, true},
                 {"UNIT"}}};
    for (const json::value& each : rows) {
        const json::object& row = each.as_object();
        const bool has_period = !text(row, "period").empty();
        table.row({{text(row, "name")},
                   {text(row, "set_by")},
                   {text(row, "organization")},
                   {text(row, "workflow")},
                   {text(row, "per")},
                   {text(row, "limit")},
                   {has_period ? text(row, "spent") : ""},
                   {has_period ? text(row, "reserved") : ""},
                   {text(row, "unit")}});
    }
    table.print(screen);
    return ExitCode::Ok;
}

void add_budgets(CLI::App& app, Session& session) {
    CLI::App* budgets =
        app.add_subcommand("budgets", "How much may be paid, and runs that wait for more");
    budgets->require_subcommand(0, 1);
    budgets->footer(
        "Example:\n  belay budgets set models --limit \"20 USD\" --per day\n\n"
        "Without a command it lists the budgets, as they stand today.");

    const auto run = std::make_shared<std::string>();
    const auto list = [run, &session] {
        return list_budgets(rows_of(session, *run), session.world.screen, session.json);
    };
    CLI::App* all = add_command(*budgets, "list", "The budgets, what is spent and reserved",
                                "belay budgets list --run july");
    all->add_option("--run", *run, "those that count this run, as they stand for it");
    add_json(*all, session);
    choose(*all, session, list);
    add_json(*budgets, session);
    budgets->callback([list, &session] {
        if (!session.chosen) session.chosen = list;
    });

    const auto options = std::make_shared<SetOptions>();
    CLI::App* set = add_command(*budgets, "set", "Set a budget, or another limit of one",
                                "belay budgets set papers --limit \"0.50 USD\" --per run "
                                "--workflow WF1_RECEIPT");
    set->add_option("NAME", options->name, "letters, digits, `.`, `-` and `_`")->required();
    set->add_option("--limit", options->limit, "money such as \"20 USD\", or \"50000 tokens\"")
        ->required();
    set->add_option("--per", options->per,
                    "day (UTC, all runs together) or run; a day if not said");
    set->add_option("--workflow", options->workflow, "only runs of this workflow");
    set->add_option("--of", options->organization,
                    "whose runs: another organization's, or * for all of them together");
    add_json(*set, session);
    choose(*set, session, [options, &session] { return set_budget(session, *options); });

    const auto name = std::make_shared<std::string>();
    CLI::App* remove =
        add_command(*budgets, "remove", "Remove a budget; what was spent stays known",
                    "belay budgets remove papers");
    remove->add_option("NAME", *name, "as `belay budgets list` shows it")->required();
    add_json(*remove, session);
    choose(*remove, session, [name, &session] { return remove_budget(session, *name); });

    const auto asked = std::make_shared<ApproveOptions>();
    CLI::App* go_on = add_command(*budgets, "approve",
                                  "Let a run that a budget has paused pay what it asked, and go on",
                                  "belay budgets approve july --limit \"25 USD\"");
    go_on->add_option("RUN", asked->run_id, kRunIdHelp)->required();
    go_on->add_option(
        "--limit", asked->limit,
        "a new limit for this run or for today, such as \"25 USD\"; without it, once");
    add_json(*go_on, session);
    choose(*go_on, session, [asked, &session] { return approve(session, *asked); });
}

}  // namespace belay::cli

#include "service/cli/stats.hpp"

#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/duration_text.hpp"
#include "core/base/text.hpp"
#include "service/cli/command.hpp"
#include "service/cli/table.hpp"

namespace belay::cli {

namespace {

std::string day_text(Time day) { return base::format_time(day).substr(0, 10); }

std::string saved_text(const model::Saved& saved) {
    if (saved.steps == 0) return "-";
    std::string text = fmt::format("{} step{}", saved.steps, saved.steps == 1 ? "" : "s");
    if (saved.time > Duration{0}) text += ", " + base::format_duration(saved.time);
    if (!saved.cost.empty()) text += ", " + to_string(saved.cost);
    return text;
}

boost::json::object row_json(const model::LedgerRow& row, const StatsBy& by) {
    boost::json::object out;
    if (by.day) out["day"] = day_text(row.day);
    if (by.workflow) out["workflow_key"] = row.workflow_key;
    if (by.organization) out["organization_id"] = row.organization_id;
    for (auto& member : model::ledger_json(row)) out[member.key()] = std::move(member.value());
    return out;
}

model::LedgerRow total_of(const std::vector<model::LedgerRow>& rows) {
    model::LedgerRow total;
    for (const auto& row : rows) model::add_to(total, row);
    return total;
}

std::optional<Time> moment(const char* option, const std::string& typed, Time now) {
    if (typed.empty()) return std::nullopt;
    const auto time = base::parse_moment(typed, now);
    if (time) return time;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} `{}` is not a time; give one such as {}", option, plain(typed),
                            base::kMomentExamples));
}

}  // namespace

StatsBy stats_by(const std::string& words) {
    StatsBy by;
    std::size_t from = 0;
    while (from <= words.size()) {
        const std::size_t comma = std::min(words.find(',', from), words.size());
        const std::string word = words.substr(from, comma - from);
        if (word == "day") {
            by.day = true;
        } else if (word == "workflow") {
            by.workflow = true;
        } else if (word == "organization") {
            by.organization = true;
        } else {
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format(
                    "--by `{}` is not known; there are workflow, day and organization, with commas "
                    "between them",
                    plain(word)));
        }
        from = comma + 1;
    }
    return by;
}

std::vector<model::LedgerRow> added_up(const std::vector<model::LedgerRow>& rows,
                                       const StatsBy& by) {
    model::LedgerSums sums;
    for (const model::LedgerRow& row : rows) {
        model::add_to(
            model::row_of(sums, by.day ? row.day : Time{}, by.workflow ? row.workflow_key : "",
                          by.organization ? row.organization_id : ""),
            row);
    }
    return model::rows_of(sums);
}

ExitCode print_stats(const std::vector<model::LedgerRow>& rows, const StatsBy& by,
                     const Screen& screen) {
    if (rows.empty()) {
        screen.out << "No run has ended in that time.\n";
        return ExitCode::Ok;
    }
    std::vector<Column> columns;
    if (by.day) columns.push_back({"DAY"});
    if (by.workflow) columns.push_back({"WORKFLOW", 10});
    if (by.organization) columns.push_back({"ORGANIZATION", 8});
    for (const char* number : {"RUNS", "FAILED", "CANCELED", "STEPS"})
        columns.push_back({number, 0, true});
    columns.push_back({"TIME", 0, true});
    columns.push_back({"COST", 12});
    columns.push_back({"SAVED BY CHECKPOINTS", 12});
    columns.push_back({"SAVED BY CACHE", 12});
    Table table{std::move(columns)};
    const auto add = [&](const model::LedgerRow& row, bool is_total) {
        std::vector<Cell> cells;
        if (by.day) cells.push_back({is_total ? "total" : day_text(row.day)});
        if (by.workflow) cells.push_back({is_total ? (by.day ? "" : "total") : row.workflow_key});
        if (by.organization) {
            cells.push_back(
                {is_total ? (by.day || by.workflow ? "" : "total") : row.organization_id});
        }
        cells.push_back({std::to_string(row.succeeded + row.failed + row.canceled)});
        cells.push_back({std::to_string(row.failed)});
        cells.push_back({std::to_string(row.canceled)});
        cells.push_back({std::to_string(row.steps)});
        cells.push_back({base::format_duration(row.time)});
        cells.push_back({row.cost.empty() ? "-" : to_string(row.cost)});
        cells.push_back({saved_text(row.saved)});
        cells.push_back({saved_text(row.saved_by_cache)});
        table.row(std::move(cells));
    };
    for (const model::LedgerRow& row : rows) add(row, false);
    if (rows.size() > 1) add(total_of(rows), true);
    table.print(screen);
    return ExitCode::Ok;
}

ExitCode print_stats_json(const std::vector<model::LedgerRow>& rows, const StatsBy& by,
                          const Screen& screen) {
    boost::json::array out;
    for (const model::LedgerRow& row : rows) out.push_back(row_json(row, by));
    screen.out << boost::json::serialize(boost::json::object{
                      {"stats", std::move(out)}, {"total", row_json(total_of(rows), {})}})
               << '\n';
    return ExitCode::Ok;
}

void add_stats(CLI::App& app, Session& session) {
    struct Options {
        std::string by = "workflow,day";
        std::string since = "30d";
        std::string until;
        std::string workflow;
        std::string organization;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command = add_command(app, "stats", "What runs did, cost and saved, added up",
                                    "belay stats --by workflow,day --since 7d");
    command
        ->add_option("--by", options->by,
                     "tell apart by workflow, day, organization; with commas between them")
        ->capture_default_str();
    command
        ->add_option("--since", options->since,
                     "runs that ended since: 7d (ago), 2026-11-15, or an RFC 3339 time")
        ->capture_default_str();
    command->add_option("--until", options->until, "and before that");
    command->add_option("--workflow", options->workflow, "only of this workflow");
    command->add_option("--organization", options->organization, "only of this organization");
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        const StatsBy by = stats_by(options->by);
        model::LedgerFilter filter;
        filter.since = moment("--since", options->since, session.now());
        filter.until = moment("--until", options->until, session.now());
        filter.workflow_key = options->workflow;
        filter.organization_id = options->organization;
        const auto rows = added_up(open_to_read(session.place())->ledger(filter), by);
        return session.json ? print_stats_json(rows, by, session.world.screen)
                            : print_stats(rows, by, session.world.screen);
    });
}

}  // namespace belay::cli

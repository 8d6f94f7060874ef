#include "core/testing/outcome.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <belay/sql.hpp>

namespace belay::testing {
namespace {

std::string text_of(const SqlValue& value) {
    struct Visitor {
        std::string operator()(std::monostate) const { return "NULL"; }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return fmt::format("{}", v); }
        std::string operator()(const std::string& v) const { return "'" + v + "'"; }
        std::string operator()(const Bytes& v) const { return to_json(v); }
    };
    return std::visit(Visitor{}, value);
}

std::string end_of(const model::Run& run) {
    if (run.result) return fmt::format("{} with {}", to_string(run.status), *run.result);
    if (run.failure) return fmt::format("{}: {}", to_string(run.status), run.failure->message);
    return std::string(to_string(run.status));
}

// What it is found by and what it shows of itself, as it stands at its end.
std::string said_by(store::Store& disk, model::RunNo run) {
    const model::Said said = disk.said(run);
    std::string text;
    for (const auto& [name, value] : said.labels)
        text += fmt::format("; labeled {}={}", name, value);
    for (const auto& [name, value] : said.exposed)
        text += fmt::format("; exposes {} = {}", name, value);
    return text;
}

std::vector<std::string> own_tables(store::Store& disk) {
    static const std::set<std::string> ours{"workflow_runs",           "workflow_stage_runs",
                                            "workflow_stage_attempts", "workflow_waiters",
                                            "workflow_messages",       "control_requests"};
    const SqlRows found{
        disk.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", {})};
    std::vector<std::string> names;
    for (const SqlRow row : found) {
        const auto name = row.get<std::string>(0);
        if (!ours.contains(name) && !name.starts_with("sqlite_")) names.push_back(name);
    }
    return names;
}

std::vector<std::string> rows_of(store::Store& disk, const std::string& table,
                                 const std::vector<std::string>& ignore_columns) {
    const SqlResult all = disk.query(fmt::format("SELECT * FROM \"{}\"", table), {});
    std::vector<std::string> rows;
    for (const auto& values : all.rows) {
        std::string row;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::string& column = all.columns[i];
            if (std::find(ignore_columns.begin(), ignore_columns.end(), column) !=
                ignore_columns.end())
                continue;
            row += fmt::format("{}{} = {}", row.empty() ? "" : ", ", column, text_of(values[i]));
        }
        rows.push_back(std::move(row));
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

void compare(const std::map<std::string, std::string>& expected,
             const std::map<std::string, std::string>& found, std::string_view what,
             std::vector<std::string>& out) {
    for (const auto& [key, value] : expected) {
        const auto other = found.find(key);
        if (other == found.end()) {
            out.push_back(fmt::format("{} {} is missing; it was {}", what, key, value));
        } else if (other->second != value) {
            out.push_back(fmt::format("{} {} is {}; it was {}", what, key, other->second, value));
        }
    }
    for (const auto& [key, value] : found) {
        if (!expected.contains(key))
            out.push_back(fmt::format("{} {} is new: {}", what, key, value));
    }
}

// Table rows that one has more often than the other.
void compare_rows(const std::string& table, const std::vector<std::string>& expected,
                  const std::vector<std::string>& found, std::vector<std::string>& out) {
    std::vector<std::string> missing;
    std::vector<std::string> extra;
    std::set_difference(expected.begin(), expected.end(), found.begin(), found.end(),
                        std::back_inserter(missing));
    std::set_difference(found.begin(), found.end(), expected.begin(), expected.end(),
                        std::back_inserter(extra));
    for (const auto& row : missing)
        out.push_back(fmt::format("table {} lacks the row {}", table, row));
    for (const auto& row : extra)
        out.push_back(fmt::format("table {} has one more row {}", table, row));
}

}  // namespace

Outcome read_outcome(store::Store& disk, const std::string& run_id,
                     const std::vector<std::string>& ignore_columns) {
    Outcome outcome;
    outcome.end = "nothing: there is no run";
    store::RunFilter all;
    all.limit = 1'000'000;
    for (const model::Run& run : disk.list_runs(all).runs) {
        outcome.runs[run.id] = end_of(run) + said_by(disk, run.no);
        if (run.id == run_id) outcome.end = end_of(run);
        for (const model::Stage& stage : disk.stages(run.no)) {
            outcome.stages[fmt::format("{} of {}", stage.path, run.id)] =
                fmt::format("{} `{}`, {}", model::to_string(stage.kind), stage.stage_key,
                            to_string(stage.status));
        }
    }
    for (const std::string& table : own_tables(disk)) {
        outcome.rows[table] = rows_of(disk, table, ignore_columns);
    }
    return outcome;
}

std::vector<std::string> differences(const Outcome& expected, const Outcome& found) {
    std::vector<std::string> out;
    compare(expected.runs, found.runs, "run", out);
    compare(expected.stages, found.stages, "stage", out);
    for (const auto& [table, rows] : expected.rows) {
        const auto other = found.rows.find(table);
        compare_rows(table, rows,
                     other == found.rows.end() ? std::vector<std::string>{} : other->second, out);
    }
    if (expected.effects != found.effects) {
        out.push_back(
            fmt::format("the effects are {}; they were {}", found.effects, expected.effects));
    }
    return out;
}

std::vector<std::string> stuck_in(const Outcome& outcome) {
    std::vector<std::string> out;
    for (const auto& [id, end] : outcome.runs) {
        for (const std::string_view word : {"queued", "running", "waiting"}) {
            if (end.starts_with(word)) {
                out.push_back(
                    fmt::format("run {} is stuck: it is {} and nothing can wake it", id, end));
            }
        }
    }
    return out;
}

}  // namespace belay::testing

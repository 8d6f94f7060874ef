// doctor_report.cpp — what `belay doctor` found, for people and as JSON, and how it ends.
#include <algorithm>
#include <memory>
#include <ostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include "service/cli/command.hpp"
#include "service/cli/doctor.hpp"
#include "service/cli/words.hpp"

namespace belay::cli {

namespace {

std::string_view mark_of(Health health) {
    switch (health) {
        case Health::Good:
            return "✓";
        case Health::Warn:
            return "!";
        case Health::Bad:
            return "✗";
        case Health::NotChecked:
            return "?";
    }
    return "?";
}

std::string_view word_of(Health health) {
    switch (health) {
        case Health::Good:
            return "ok";
        case Health::Warn:
            return "warning";
        case Health::Bad:
            return "failed";
        case Health::NotChecked:
            return "not_checked";
    }
    return "not_checked";
}

auto count_of(const std::vector<Check>& checks, Health health) {
    return std::count_if(checks.begin(), checks.end(),
                         [&](const Check& check) { return check.health == health; });
}

Style style_of(Health health) {
    switch (health) {
        case Health::Good:
            return Style::Good;
        case Health::Warn:
            return Style::Warn;
        case Health::Bad:
            return Style::Bad;
        case Health::NotChecked:
            return Style::Dim;
    }
    return Style::Plain;
}

}  // namespace

bool is_well(const std::vector<Check>& checks) { return count_of(checks, Health::Bad) == 0; }

ExitCode exit_code_of(const std::vector<Check>& checks) {
    if (is_well(checks)) return ExitCode::Ok;
    const bool no_store = std::any_of(checks.begin(), checks.end(),
                                      [](const Check& check) { return check.no_store; });
    return no_store ? ExitCode::NoStore : ExitCode::Failed;
}

void print_checks(const std::vector<Check>& checks, const Screen& screen) {
    for (const Check& check : checks) {
        screen.out << styled(screen, style_of(check.health), mark_of(check.health)) << ' '
                   << fmt::format("{:<16} {}\n", check.name, plain(check.found));
        if (!check.to_do.empty())
            screen.out << fmt::format("  {:<16} → {}\n", "", plain(check.to_do));
    }
    const auto bad = count_of(checks, Health::Bad);
    const auto warn = count_of(checks, Health::Warn);
    const auto unknown = count_of(checks, Health::NotChecked);
    if (bad + warn + unknown == 0) {
        screen.out << "All is well.\n";
    } else {
        screen.out << fmt::format("{} to put right, {} to know about{}.\n", bad, warn,
                                  unknown == 0 ? "" : fmt::format(", {} not checked", unknown));
    }
}

void print_checks_json(const std::vector<Check>& checks, const Screen& screen) {
    boost::json::array rows;
    for (const Check& check : checks) {
        rows.push_back(
            boost::json::object{{"check", check.name},
                                {"status", word_of(check.health)},
                                {"found", check.found},
                                {"to_do", check.to_do.empty() ? boost::json::value(nullptr)
                                                              : boost::json::value(check.to_do)}});
    }
    screen.out << boost::json::serialize(
                      boost::json::object{{"ok", is_well(checks)}, {"checks", std::move(rows)}})
               << '\n';
}

void add_doctor(CLI::App& app, Session& session) {
    const auto options = std::make_shared<DoctorOptions>();
    CLI::App* command = add_command(app, "doctor", "Check the store, its disk and who executes",
                                    "belay doctor --store invoices.db");
    command->add_flag("--full", options->full, "check the integrity of a database above 1 GiB too");
    command->add_flag("--accept-loss", options->accept_loss,
                      "a database that is older than what was acknowledged is meant to be");
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        std::vector<Check> checks = examine(session.place(), *options);
        if (session.more_checks) {
            for (Check& check : session.more_checks()) checks.push_back(std::move(check));
        }
        (session.json ? print_checks_json : print_checks)(checks, session.world.screen);
        return exit_code_of(checks);
    });
}

}  // namespace belay::cli

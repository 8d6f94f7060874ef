// bench_command.cpp — `belay bench W1|W2|W3|W4`: how fast Belay is here; measure/bench.hpp has the works.
#include <memory>

#include <CLI/CLI.hpp>

#include <belay/error.hpp>

#include "service/cli/command.hpp"
#include "service/cli/whole_number.hpp"
#include "service/measure/bench.hpp"

namespace belay::cli {

void add_bench(CLI::App& app, Session& session) {
    struct Options {
        std::string work;
        std::string folder = ".";
        measure::BenchOptions bench;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("bench", "Measure Belay beside what this disk and SQLite can do");
    command->footer(
        "W1: runs of 10 steps, 1,000 in flight. W2: one run of 1,000 steps. W3: chords of 100 and "
        "of 100,000 branches. W4: 100,000 sleeping "
        "runs.\n\n"
        "Example:\n  belay bench W1 --folder /var/tmp\n  belay bench W1 --store postgres:///test "
        "--workers 4");
    command->add_option("WORK", options->work, "what to measure")
        ->required()
        ->check(CLI::IsMember({"W1", "W2", "W3", "W4"}));
    command->add_option("--runs", options->bench.runs, "how many runs; 0: the work's own number")
        ->check(whole_number_from(0));
    command->add_option("--in-flight", options->bench.in_flight, "W1: runs at a time")
        ->check(whole_number_from(1))
        ->capture_default_str();
    command->add_option("--rounds", options->bench.rounds, "the median counts")
        ->check(whole_number_from(1))
        ->capture_default_str();
    command
        ->add_option("--workers", options->bench.workers,
                     "W1 with --store postgres://…: workers at a time")
        ->check(whole_number_from(1))
        ->capture_default_str();
    command
        ->add_option("--finished", options->bench.finished,
                     "W1 with --store postgres://…: finished runs that are there before it begins")
        ->check(whole_number_from(0))
        ->capture_default_str();
    command->add_option("--folder", options->folder, "the disk to measure")
        ->check(CLI::ExistingDirectory)
        ->capture_default_str();
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        if (!session.remote_options.server.empty())
            throw Error(
                ErrorCode::InvalidArgument,
                "a benchmark measures this machine, not a server: run it there, without --server");
        measure::BenchOptions bench = options->bench;
        bench.folder = options->folder;
        bench.json = session.json;
        const std::string& store = session.place_options.store;
        if (store_at(store).kind == StoreConfig::Kind::Postgres) bench.store = store;
        measure::run_bench(options->work, bench, session.world.screen.out);
        return ExitCode::Ok;
    });
}

}  // namespace belay::cli

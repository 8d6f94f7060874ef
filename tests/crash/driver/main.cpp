// main.cpp — the program that tests/crash kills.
//
//     crash_driver --db FILE --witness FILE --accepted FILE --runs N --life N --signal FD [--bombs N]
//
// Runs `run-0000` … on a SQLite file until all are finished or paused, and leaves two files that no crash of
// it can falsify: a line per step function that runs, written when it runs, and the ids whose submission
// has returned. `--bombs` adds runs whose step kills the process.
#include <fcntl.h>
#include <unistd.h>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <belay/belay.hpp>

#include "crash/workload.hpp"

namespace {

using namespace std::chrono_literals;
using belay::Attempt;
using belay::Context;
using belay::Task;
using belay::Tx;

int witness_file = -1;
int accepted_file = -1;
int signal_pipe = -1;
std::string life;

void signal_test() { [[maybe_unused]] const auto written = ::write(signal_pipe, "x", 1); }

// One write(2) for a line, to a file opened for appending: whole or not there.
void append(int file, const std::string& line) {
    if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
}

void witness(const Attempt& attempt) {
    append(witness_file,
           fmt::format("{} {} {}\n", life, attempt.idempotency_key(), attempt.number()));
    signal_test();
}

// ---- the workflow

int fetch(const Attempt& attempt, int n) {
    witness(attempt);
    return n + 1;
}
int parse(const Attempt& attempt, int n) {
    witness(attempt);
    return n * 2;
}
void save_parsed(Tx& tx, const int& value) {
    tx.exec("INSERT INTO parsed (run, value) VALUES (?, ?)", tx.run_id(), value);
}
int flaky(const Attempt& attempt, int n) {
    witness(attempt);
    if (attempt.number() == 1) throw std::runtime_error("not at the first attempt");
    return n + 3;
}
int count(Tx& tx, int n) {
    tx.exec("UPDATE counter SET n = n + 1");
    tx.exec("INSERT INTO applied (run) VALUES (?)", tx.run_id());
    return n;
}

Task<int> group(Context& ctx, int n) {
    n = co_await ctx.step("inner_a", fetch, n);
    co_return co_await ctx.step("inner_b", fetch, n);
}

Task<int> work(Context& ctx, int n) {
    n = co_await ctx.step("fetch", fetch, n);
    n = co_await ctx.step("parse", parse, n).commit(save_parsed);
    const belay::StepOptions soon{.retry = {.attempts_max = 3, .first_delay = 1ms}};
    n = co_await ctx.step("flaky", soon, flaky, n);
    co_await ctx.sleep(3ms, "rest");
    n = co_await ctx.scope("group", group, n);
    n = co_await ctx.transaction("count", count, n);
    n = co_await ctx.step("render", fetch, n);
    co_return co_await ctx.step("finish", parse, n);
}

int explode(const Attempt& attempt) {
    witness(attempt);
    std::raise(SIGKILL);
    return 0;
}
Task<int> bomb(Context& ctx, int) { co_return co_await ctx.step("boom", explode); }

// ---- submitting

std::set<std::string> read_accepted(const std::string& file) {
    std::set<std::string> ids;
    if (std::FILE* in = std::fopen(file.c_str(), "r")) {
        char line[256];
        while (std::fgets(line, sizeof(line), in) != nullptr) {
            std::string id{line};
            if (id.ends_with('\n')) ids.insert(id.substr(0, id.size() - 1));
        }
        std::fclose(in);
    }
    return ids;
}

void submit(belay::Engine& engine, const char* workflow, const std::string& id, int input) {
    belay::SubmitOptions options;
    options.id = id;
    engine.submit<int>(workflow, input, options);
    append(accepted_file, id + "\n");
    signal_test();
}

// Many at once, as clients would; each commit takes all that wait.
void submit_missing(belay::Engine& engine, const std::set<std::string>& accepted, int runs) {
    constexpr int kClients = 16;
    std::atomic<int> next{0};
    std::vector<std::jthread> clients;
    for (int c = 0; c < kClients; ++c) {
        clients.emplace_back([&] {
            for (int n = next++; n < runs; n = next++) {
                const std::string id = belay::test::run_id(n);
                if (!accepted.contains(id)) submit(engine, "work", id, n);
            }
        });
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::map<std::string, std::string> flags;
    for (int i = 1; i + 1 < argc; i += 2) flags[argv[i]] = argv[i + 1];
    life = flags["--life"];
    signal_pipe = std::stoi(flags["--signal"]);
    witness_file = ::open(flags["--witness"].c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    accepted_file = ::open(flags["--accepted"].c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int runs = std::stoi(flags["--runs"]);
    const int bombs = flags.contains("--bombs") ? std::stoi(flags["--bombs"]) : 0;

    belay::EngineOptions options;
    options.log_to_stderr = false;
    // Killed 200 times within half a minute, a run can be found executing five times in a row without having done
    // anything wrong (docs/deaths.md says what cannot be told apart). That is not what these tests are about.
    if (bombs == 0) options.crash_loop_deaths_max = 0;
    belay::Engine engine{belay::sqlite(flags["--db"]), options};
    engine.migrate("driver",
                   {"CREATE TABLE parsed (run TEXT, value INTEGER)",
                    "CREATE TABLE counter (n INTEGER NOT NULL); INSERT INTO counter VALUES (0)",
                    "CREATE TABLE applied (run TEXT)"});
    engine.define("work", work);
    engine.define("bomb", bomb);
    signal_test();
    engine.start();

    const auto accepted = read_accepted(flags["--accepted"]);
    for (int n = 0; n < bombs; ++n) {
        const std::string id = belay::test::bomb_id(n);
        if (!accepted.contains(id)) submit(engine, "bomb", id, n);
    }
    submit_missing(engine, accepted, runs);
    for (int n = 0; n < bombs; ++n) engine.find<int>(belay::test::bomb_id(n)).wait_for(5min);
    for (int n = 0; n < runs; ++n) engine.find<int>(belay::test::run_id(n)).wait_for(5min);
    return 0;
}

// chaos_test.cpp — four worker processes on one database, killed, frozen and started again at random, while the
// server crashes too: every run ends, with the right result, and what was recorded never ran again.
//
// Short in `make test`; BELAY_CHAOS_SECONDS and BELAY_CHAOS_RUNS make it long (`make test-full`). BELAY_SEED repeats
// the order of what is done to whom.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/library/host.hpp"
#include "support/postgres_server.hpp"
#include "support/temp_dir.hpp"
#include "support/worker_process.hpp"

namespace belay {
namespace {

using namespace std::chrono_literals;

// A line of its own for each call, outside of what Belay keeps.
void witness(const std::string& file, const std::string& what) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const std::string line = what + "\n";
    [[maybe_unused]] const auto written = ::write(fd, line.data(), line.size());
    ::close(fd);
}

struct Job {
    std::string file;
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(Job, (), (file, number))

// One call of a step: the witness is told the key of its stage, by whom it was called, and when it began.
struct Part {
    Job job;
    std::string run;
    std::string key;
    int value = 0;
};
BOOST_DESCRIBE_STRUCT(Part, (), (job, run, key, value))

std::int64_t milliseconds_now() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

int work(const Part& part) {
    witness(part.job.file,
            fmt::format("{} {} {} {}", part.run, part.key, ::getpid(), milliseconds_now()));
    std::this_thread::sleep_for(std::chrono::milliseconds{part.job.number % 20});
    return part.value;
}

int add_to_total(Tx& tx, const std::string& run) {
    tx.exec("INSERT INTO totals (run) VALUES (?)", run);
    return 1;
}

Task<int> leaf(Context& ctx, Job job) {
    const Part part{job, ctx.run_id(), "leaf", 100};
    co_return co_await ctx.step("leaf", work, part);
}

// Steps, a chord, a timer, a child, a message from whoever started it, and a transaction.
Task<int> everything(Context& ctx, Job job) {
    const std::string run = ctx.run_id();
    const Part one{job, run, "one", 1};
    const Part two{job, run, "two", 2};
    int sum = co_await ctx.step("one", work, one);
    sum += co_await ctx.step("two", work, two);
    std::vector<Part> parts;
    for (int i = 1; i <= 3; ++i) parts.push_back({job, run, fmt::format("chord_{}", i), 10 * i});
    const auto chord = co_await ctx.map("chord", parts, work);
    for (const int value : chord) sum += value;
    co_await ctx.sleep(std::chrono::milliseconds{job.number % 700});
    sum += co_await ctx.child<int>("leaf", job);
    sum += co_await ctx.receive<int>("more");
    sum += co_await ctx.transaction("total", add_to_total, run);
    co_return sum;
}

constexpr int kSum = 1 + 2 + 10 + 20 + 30 + 100 + 1000 + 1;
constexpr int kCalls = 6;  // of work() in a run and its child

int from_environment(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
}

std::vector<std::string> lines_of(const std::string& file) {
    std::vector<std::string> lines;
    std::ifstream in{file};
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

class Chaos {
public:
    Chaos() : server({.fsync = true, .settings = {}}), address(server.new_schema()) {
        const auto store = library::open_store(postgres(address), true);
        store->migrate(
            {"chaos", {"CREATE TABLE totals (id INTEGER PRIMARY KEY, run TEXT NOT NULL)"}});
    }

    std::unique_ptr<test::WorkerProcess> worker() {
        return std::make_unique<test::WorkerProcess>(
            [this, at = address](const std::function<void()>& happened) {
                [[maybe_unused]] const auto* opened =
                    std::freopen(log_of(::getpid()).c_str(), "a", stderr);
                EngineOptions options;
                options.pool_threads_max = 8;
                options.crash_loop_deaths_max = 0;  // they are killed on purpose
                while (true) {
                    try {
                        Engine engine{postgres(at), options};
                        engine.define("everything", everything);
                        engine.define("leaf", leaf);
                        engine.start();
                        happened();
                        test::live_until_told();
                        return;
                    } catch (const Error&) {
                        std::this_thread::sleep_for(100ms);  // the server is away just now
                    }
                }
            });
    }

    // Those from `first` up to `end`. In this process nothing may run on when it returns: others are forked from it.
    void submit(int first, int end) {
        const auto store = library::open_store(postgres(address), true);
        const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
        for (; first < end; first += 500) {
            store::Batch batch;
            batch.now = now;
            for (int i = first; i < std::min(end, first + 500); ++i) {
                store::Submit submit;
                submit.run.id = fmt::format("run-{}", i);
                submit.run.workflow_key = "everything";
                submit.run.input = to_json(Job{folder.file("witness"), i});
                submit.run.organization_id = EngineOptions{}.organization_id;
                batch.verbs.emplace_back(submit);
                store::Send send;
                send.message = {submit.run.id, "more", "1000", submit.run.organization_id, "",
                                std::nullopt};
                batch.verbs.emplace_back(send);
            }
            store->commit(batch);
        }
    }
    std::string log_of(int worker) const { return folder.file(fmt::format("log.{}", worker)); }

    // Which runs a worker was told that it had lost, each with the worker.
    std::set<std::pair<int, std::string>> refusals() const {
        std::set<std::pair<int, std::string>> out;
        for (const int worker : workers) {
            for (const std::string& line : lines_of(log_of(worker))) {
                if (line.find("taken over at a newer epoch") == std::string::npos) continue;
                const auto begin = line.find("run `") + 5;
                out.emplace(worker, line.substr(begin, line.find('`', begin) - begin));
            }
        }
        return out;
    }
    std::string look(const std::string& query) {
        return server.sql("SET search_path = " + address.substr(address.rfind('=') + 1) + "; " +
                          query);
    }

    test::PostgresServer server;
    std::string address;
    test::TempDir folder;
    std::vector<int> workers;  // all that there have been
};

TEST(Chaos, whatever_is_killed_and_frozen_every_run_ends_once_and_right) {
    const int seed =
        from_environment("BELAY_SEED", static_cast<int>(std::random_device{}() % 100000));
    const int seconds = from_environment("BELAY_CHAOS_SECONDS", 12);
    const int runs = from_environment("BELAY_CHAOS_RUNS", 150);
    SCOPED_TRACE(fmt::format("BELAY_SEED={} BELAY_CHAOS_SECONDS={} BELAY_CHAOS_RUNS={}", seed,
                             seconds, runs));
    std::mt19937 dice{static_cast<unsigned>(seed)};
    Chaos chaos;
    std::vector<std::unique_ptr<test::WorkerProcess>> workers;
    const auto new_worker = [&] {
        auto worker = chaos.worker();
        chaos.workers.push_back(worker->pid());
        return worker;
    };
    for (int i = 0; i < 4; ++i) workers.push_back(new_worker());
    std::multimap<int, std::int64_t> thawed;
    std::vector<std::int64_t> crashes;  // of the server
    const auto begin = std::chrono::steady_clock::now();
    auto next_crash = begin + std::chrono::seconds{std::min(20, seconds / 2)};
    // As many at a time as make them last for as long as the chaos does: whoever is frozen must have some in hand.
    int submitted = 0;
    const auto submit_until = [&](std::chrono::steady_clock::duration time) {
        const double share = std::chrono::duration<double>(time).count() / seconds;
        const int due = std::min(runs, static_cast<int>(std::ceil(runs * share)));
        if (due > submitted) chaos.submit(std::exchange(submitted, due), due);
    };
    while (std::chrono::steady_clock::now() < begin + std::chrono::seconds{seconds}) {
        submit_until(std::chrono::steady_clock::now() - begin + 1s);
        auto& victim = workers[dice() % workers.size()];
        switch (dice() % 3) {
            case 0:
                victim->kill();
                victim = new_worker();
                break;
            case 1:  // for longer than its lease: others take its runs, and it wakes up with them
                std::this_thread::sleep_for(50ms);  // what was submitted is in somebody's hand
                victim->freeze();
                std::this_thread::sleep_for(5500ms);
                thawed.emplace(victim->pid(), milliseconds_now());
                victim->thaw();
                break;
            default:
                std::this_thread::sleep_for(std::chrono::milliseconds{dice() % 1000});
                break;
        }
        if (std::chrono::steady_clock::now() >= next_crash) {
            crashes.push_back(milliseconds_now());
            chaos.server.crash_and_start();
            next_crash = std::chrono::steady_clock::now() + 20s;
        }
    }
    submit_until(std::chrono::seconds{seconds});
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{60 + 2 * seconds};
    const std::string open_runs = "SELECT count(*) FROM workflow_runs WHERE status <> 'succeeded'";
    while (chaos.look(open_runs) != "0" && std::chrono::steady_clock::now() < patience) {
        std::this_thread::sleep_for(200ms);
    }

    EXPECT_EQ(
        chaos.look(
            "SELECT string_agg(DISTINCT status || ' ' || coalesce(error_message, ''), '; ') FROM "
            "workflow_runs WHERE status <> 'succeeded'"),
        "");
    EXPECT_EQ(
        chaos.look(fmt::format(
            "SELECT count(*) FROM workflow_runs WHERE workflow_key = 'everything' AND result = "
            "'{}'",
            kSum)),
        std::to_string(runs));
    // The transaction of each run, once (P4).
    EXPECT_EQ(chaos.look("SELECT count(*) || ' ' || count(DISTINCT run) FROM totals"),
              fmt::format("{} {}", runs, runs));
    // A step that has its record is not begun again (P1). Only a worker that was frozen or starved for longer than its
    // lease may still call what it had under way, because it cannot know better: it is told so when it comes to write, or
    // was killed before that, or the server crashed before it answered. Wall clocks of one machine; the store's is set by
    // round trips, so it may be off by a little.
    constexpr std::int64_t kClockError = 100;
    constexpr std::int64_t kWakesUpFor = 5000;
    constexpr std::int64_t kCallsFor =
        20000;  // with two thousand runs in memory, on a busy machine
    constexpr std::int64_t kComesToWriteIn = 3000;
    std::map<std::string, std::int64_t> recorded;
    for (const std::string& line :
         split(chaos.look("SELECT run.public_id || ' ' || stage.stage_key || ' ' || "
                          "stage.finished_at FROM workflow_stage_runs AS stage JOIN "
                          "workflow_runs AS run ON run.id = stage.workflow_run_id"))) {
        recorded.emplace(line.substr(0, line.rfind(' ')),
                         std::stoll(line.substr(line.rfind(' ') + 1)));
    }
    const auto refusals = chaos.refusals();
    const auto woke_up_within = [&](std::int64_t time, int worker, std::int64_t at) {
        const auto [first, last] = thawed.equal_range(worker);
        return std::any_of(first, last,
                           [&](const auto& t) { return at >= t.second && at < t.second + time; });
    };
    const auto was_not_answered = [&](std::int64_t at) {
        return std::any_of(crashes.begin(), crashes.end(), [&](std::int64_t crash) {
            return crash >= at && crash < at + kComesToWriteIn;
        });
    };
    std::set<std::string> called;
    int again = 0;
    int by_zombies = 0;
    for (const std::string& line : lines_of(chaos.folder.file("witness"))) {
        std::string run, key;
        int worker = 0;
        std::int64_t at = 0;
        std::istringstream{line} >> run >> key >> worker >> at;
        const std::string step = run + " " + key;
        if (!called.insert(step).second) ++again;
        const auto found = recorded.find(step);
        ASSERT_NE(found, recorded.end()) << step << " was called and is not recorded";
        if (at <= found->second + kClockError) continue;
        const bool zombie = refusals.contains({worker, run}) ||
                            woke_up_within(kWakesUpFor, worker, at) ||
                            (woke_up_within(kCallsFor, worker, at) && was_not_answered(at));
        if (zombie) ++by_zombies;
        if (!zombie) ADD_FAILURE() << step << " was finished and called again by worker " << worker;
    }
    EXPECT_EQ(static_cast<int>(called.size()), runs * kCalls);
    const auto refused = static_cast<int>(refusals.size());
    RecordProperty("refused_zombie_writes", refused);
    fmt::print(
        "chaos: {} runs, {} steps called again, {} of them by zombies, after the record; {} zombie "
        "writes refused; "
        "seed {}\n",
        runs, again, by_zombies, refused, seed);
    if (seconds >= 60) {
        EXPECT_GT(refused, 0) << "nothing was refused: the test did not test what it is for";
    }
}

}  // namespace
}  // namespace belay

// workers_test.cpp — engines that share a PostgreSQL database: who runs what, what the others hear of, and what
// happens when one of them dies, freezes or stops.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
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

// What steps have done is in a file of the test's own, a line each, outside of what Belay keeps.
void witness(const std::string& file, const std::string& what) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const std::string line = what + "\n";
    [[maybe_unused]] const auto written = ::write(fd, line.data(), line.size());
    ::close(fd);
}

std::int64_t milliseconds_now() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

std::vector<std::string> lines_of(const std::string& file) {
    std::vector<std::string> lines;
    std::ifstream in{file};
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

struct Work {
    std::string file;
    int steps = 0;
    int step_ms = 0;
};
BOOST_DESCRIBE_STRUCT(Work, (), (file, steps, step_ms))

int do_step(const Work& work, const std::string& run, int number) {
    if (work.step_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds{work.step_ms});
    witness(work.file, run + "/" + std::to_string(number));
    return number;
}

Task<int> count_up(Context& ctx, Work work) {
    int sum = 0;
    const std::string run = ctx.run_id();
    for (int i = 1; i <= work.steps; ++i) sum += co_await ctx.step("step", do_step, work, run, i);
    co_return sum;
}

Task<std::string> hear(Context& ctx, int) { co_return co_await ctx.receive<std::string>("word"); }

Task<int> family(Context& ctx, Work work) {
    int sum = 0;
    for (int i = 0; i < 3; ++i) sum += co_await ctx.child<int>("count", work);
    co_return sum;
}

void define_all(Engine& engine) {
    engine.define("count", count_up);
    engine.define("hear", hear);
    engine.define("family", family);
}

EngineOptions quiet() {
    EngineOptions options;
    options.log_to_stderr = false;
    return options;
}

class WorkersTest : public testing::Test {
protected:
    WorkersTest() : server(test::PostgresServer::shared()), address(server.new_schema()) {
        library::open_store(postgres(address), true).reset();  // makes the tables
    }
    std::string schema() const { return address.substr(address.rfind('=') + 1); }
    std::string look(const std::string& query) {
        return server.sql("SET search_path = " + schema() + "; " + query);
    }
    std::size_t witnessed() const { return lines_of(file()).size(); }
    // How many steps ran more than once.
    std::size_t repeated() const {
        const auto lines = lines_of(file());
        return lines.size() - std::set<std::string>(lines.begin(), lines.end()).size();
    }
    void wait_for_steps(std::size_t count) const {
        while (witnessed() < count) std::this_thread::sleep_for(10ms);
    }
    std::string file() const { return folder.file("witness"); }

    // Submitted by one that executes nothing: a worker takes it.
    void submit(const std::string& id, const Work& work, const std::string& workflow = "count") {
        const auto store = library::open_store(postgres(address), true);
        store::Batch batch;
        batch.now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
        store::Submit submit;
        submit.run.id = id;
        submit.run.workflow_key = workflow;
        submit.run.input = to_json(work);
        submit.run.organization_id = quiet().organization_id;
        batch.verbs.emplace_back(submit);
        store->commit(batch);
    }
    std::unique_ptr<test::WorkerProcess> worker(const std::string& counts_as = "") {
        return std::make_unique<test::WorkerProcess>(
            [at = address, counts_as](const std::function<void()>& happened) {
                Engine engine{postgres(at), quiet()};
                if (counts_as.empty()) {
                    define_all(engine);
                } else {
                    engine.define(counts_as, count_up);
                }
                engine.start();
                happened();
                test::live_until_told();
                engine.stop();
            });
    }

    test::PostgresServer& server;
    std::string address;
    test::TempDir folder;
};

TEST_F(WorkersTest, a_run_is_waited_for_here_and_executed_there) {
    const auto there = worker();
    ASSERT_TRUE(there->wait_for(1));
    EngineOptions options = quiet();
    Engine here{postgres(address), options};
    here.define("count", count_up);
    here.define("hear", hear);
    here.start();
    // Taken by whoever has room; the message is sent by the one that may not hold the run.
    const auto run = here.submit<std::string>("hear", 1, {.id = "hear"});

    here.send("hear", "word", std::string("hello"));

    EXPECT_EQ(run.result(), "hello");
}

TEST_F(WorkersTest, children_may_run_anywhere_and_their_parent_hears_of_their_end) {
    const auto one = worker();
    const auto two = worker();
    ASSERT_TRUE(one->wait_for(1) && two->wait_for(1));
    Engine here{postgres(address), quiet()};
    define_all(here);
    here.start();
    std::vector<belay::Run<int>> runs;
    for (int i = 0; i < 10; ++i) runs.push_back(here.submit<int>("family", Work{file(), 3, 0}));

    for (const auto& run : runs) EXPECT_EQ(run.result(), 18);
}

TEST_F(WorkersTest, a_cancel_reaches_a_run_that_another_worker_runs) {
    const auto there = worker();
    ASSERT_TRUE(there->wait_for(1));
    Engine here{postgres(address), quiet()};
    here.define("other", hear);  // and so cannot run `count`
    here.start();
    submit("long", Work{file(), 1000, 10});
    wait_for_steps(1);

    here.cancel("long", "enough");

    EXPECT_THROW(here.find<int>("long").result(), Error);
    EXPECT_EQ(here.find("long").status(), RunStatus::Canceled);
}

// Ten die one after the other, each at another moment of its beat; BELAY_TAKEOVERS says how often that is done.
TEST_F(WorkersTest, the_runs_of_killed_workers_are_taken_over_within_five_seconds) {
    constexpr std::size_t kWorkers = 10;
    const char* asked = std::getenv("BELAY_TAKEOVERS");
    std::vector<std::int64_t> took;
    for (int round = 0; round < (asked == nullptr ? 1 : std::atoi(asked)); ++round) {
        std::vector<std::unique_ptr<test::WorkerProcess>> dying;
        for (std::size_t i = 0; i < kWorkers; ++i)
            dying.push_back(worker(fmt::format("count-{}", i)));
        for (std::size_t i = 0; i < kWorkers; ++i) {
            ASSERT_TRUE(dying[i]->wait_for(1));
            submit(fmt::format("{}/{}", round, i), Work{file(), 200, 50},
                   fmt::format("count-{}", i));
        }
        const std::string untaken = fmt::format(
            "SELECT count(*) FROM workflow_runs WHERE public_id LIKE '{}/%' AND status <> "
            "'running'",
            round);
        while (look(untaken) != "0") std::this_thread::sleep_for(10ms);
        Engine heir{postgres(address), quiet()};
        for (std::size_t i = 0; i < kWorkers; ++i)
            heir.define(fmt::format("count-{}", i), count_up);
        heir.start();

        std::vector<std::int64_t> killed;
        for (std::size_t i = 0; i < kWorkers; ++i) {
            killed.push_back(milliseconds_now());
            dying[i]->kill();
            std::this_thread::sleep_for(137ms);
        }
        // Seen from outside: the epoch has risen.
        std::vector<bool> seen(kWorkers, false);
        for (std::size_t left = kWorkers; left > 0;) {
            const std::string taken =
                look(fmt::format("SELECT string_agg(public_id, ',') FROM workflow_runs WHERE "
                                 "public_id LIKE '{}/%' AND epoch > 1",
                                 round));
            const std::int64_t now = milliseconds_now();
            for (std::size_t i = 0; i < kWorkers; ++i) {
                const std::string id = fmt::format(",{}/{},", round, i);
                if (seen[i] || ("," + taken + ",").find(id) == std::string::npos) continue;
                seen[i] = true;
                took.push_back(now - killed[i]);
                --left;
            }
        }
        for (std::size_t i = 0; i < kWorkers; ++i)
            heir.cancel(fmt::format("{}/{}", round, i), "measured");
    }
    std::sort(took.begin(), took.end());

    fmt::print("takeover: {} deaths, median {} ms, p99 {} ms, longest {} ms\n", took.size(),
               took[took.size() / 2], took[took.size() * 99 / 100], took.back());
    EXPECT_LE(took.back(), 5000);
}

TEST_F(WorkersTest, a_worker_with_nothing_to_do_asks_the_database_next_to_nothing) {
    // The server's own housekeeping of what other tests left would be counted, too.
    server.sql("ALTER SYSTEM SET autovacuum = off");
    server.sql("SELECT pg_reload_conf()");
    const auto idle = worker();
    ASSERT_TRUE(idle->wait_for(1));
    // Counted by the server, of all its connections but the one that asks.
    const auto transactions = [&] {
        return std::stoll(look(
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'postgres'"));
    };
    std::this_thread::sleep_for(2s);  // until it has looked around
    const auto before = transactions();
    constexpr int kSeconds = 8;
    std::this_thread::sleep_for(std::chrono::seconds{kSeconds});
    const auto after = transactions();

    const double each = static_cast<double>(after - before) / kSeconds;
    server.sql("ALTER SYSTEM RESET autovacuum");
    server.sql("SELECT pg_reload_conf()");
    fmt::print("idle: {:.1f} transactions a second\n", each);
    EXPECT_LE(each, 5.0);
}

TEST_F(WorkersTest, the_runs_of_a_killed_worker_go_on_within_five_seconds) {
    auto dies = worker();
    ASSERT_TRUE(dies->wait_for(1));
    submit("survivor", Work{file(), 40, 50});
    wait_for_steps(5);
    Engine heir{postgres(address), quiet()};
    define_all(heir);
    heir.start();

    dies->kill();
    const auto killed = std::chrono::steady_clock::now();
    while (look("SELECT epoch FROM workflow_runs WHERE public_id = 'survivor'") == "1") {
        std::this_thread::sleep_for(10ms);
    }
    const auto took = std::chrono::steady_clock::now() - killed;

    EXPECT_LE(took, 5s);
    EXPECT_EQ(heir.find<int>("survivor").result(), 40 * 41 / 2);
    EXPECT_LE(repeated(), 1u) << "only the step that was under way may have run twice";
}

TEST_F(WorkersTest, a_worker_that_was_frozen_is_refused_when_it_wakes_up) {
    auto frozen = worker();
    ASSERT_TRUE(frozen->wait_for(1));
    submit("frozen", Work{file(), 60, 50});
    wait_for_steps(5);
    frozen->freeze();
    Engine heir{postgres(address), quiet()};
    define_all(heir);
    heir.start();
    while (look("SELECT epoch FROM workflow_runs WHERE public_id = 'frozen'") == "1") {
        std::this_thread::sleep_for(10ms);
    }

    frozen->thaw();

    EXPECT_EQ(heir.find<int>("frozen").result(), 60 * 61 / 2);
    // Two workers were at it, and each record was written once, by the one whose epoch was the newest.
    EXPECT_EQ(look("SELECT count(*) FROM workflow_stage_runs WHERE status = 'succeeded'"), "60");
    EXPECT_LE(repeated(), 2u);
}

}  // namespace
}  // namespace belay

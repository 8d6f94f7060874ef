// everywhere_test.cpp — many runs at once in a simulated world, and something at every commit.
//
// crash_everywhere looks at one run; here the commits are shared by many, so that one failure hits runs in
// every state: being loaded, running, waiting, ending.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <belay/belay.hpp>
#include <belay/testing.hpp>

#include "crash/workload.hpp"

namespace belay::test {
namespace {

using namespace std::chrono_literals;
using belay::testing::Fault;
using belay::testing::World;

constexpr int kRuns = 6;

int add_one(int n) { return n + 1; }
int flaky(const Attempt& attempt, int n) {
    if (attempt.number() == 1) throw std::runtime_error("not at the first attempt");
    return n * 2;
}
void save(Tx& tx, const int& n) { tx.exec("INSERT INTO saved VALUES (?, ?)", tx.run_id(), n); }
int book(Tx& tx, int n) {
    tx.exec("UPDATE counter SET n = n + 1");
    return n;
}
Task<int> inside(Context& ctx, int n) {
    n = co_await ctx.step("inner", add_one, n);
    co_return co_await ctx.step("inner", add_one, n);
}
Task<int> work(Context& ctx, int n) {
    n = co_await ctx.step("first", add_one, n).commit(save);
    n = co_await ctx.step("flaky", flaky, n);
    // Each at its own time, so that some wait while others run.
    co_await ctx.sleep(1s * (n % 3));
    n = co_await ctx.scope("group", inside, n);
    co_return co_await ctx.transaction("book", book, n);
}
int expected(int n) { return (n + 1) * 2 + 2; }

void set_up(World& world) {
    world.engine().migrate("test",
                           {"CREATE TABLE saved (run TEXT PRIMARY KEY, n INTEGER)",
                            "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)"});
    world.engine().define("work", work);
    world.engine().start();
}

// As a client that is told nothing asks again.
void submit_all(World& world) {
    for (int n = 0; n < kRuns; ++n) {
        SubmitOptions options;
        options.id = run_id(n);
        for (int tries = 0; tries < 3; ++tries) {
            try {
                world.engine().submit<int>("work", n, options);
                break;
            } catch (const Error&) {
                if (world.crashed()) world.restart();
                // As a client does: a store that has just failed is refused at once for a while.
                world.advance(std::chrono::milliseconds(200));
            }
        }
    }
    world.run_until_quiet();
    if (world.crashed()) {
        world.restart();
        world.run_until_quiet();
    }
}

void check(World& world) {
    for (int n = 0; n < kRuns; ++n) {
        const auto run = world.engine().find<int>(run_id(n));
        ASSERT_EQ(to_string(run.status()), "succeeded") << run.id();
        EXPECT_EQ(run.result(), expected(n));
    }
    EXPECT_EQ(world.engine().query("SELECT n FROM counter")[0].get<int>(0), kRuns);
    EXPECT_EQ(world.engine().query("SELECT count(*) FROM saved")[0].get<int>(0), kRuns);
}

std::int64_t commits_undisturbed(std::uint64_t seed) {
    World world{seed};
    set_up(world);
    submit_all(world);
    check(world);
    return world.commits();
}

class P4_at_every_commit : public ::testing::TestWithParam<Fault> {};

TEST_P(P4_at_every_commit, a_transaction_of_many_runs_applies_once) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const std::int64_t commits = commits_undisturbed(seed);
        for (std::int64_t commit = 1; commit <= commits; ++commit) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << ", commit " << commit);
            World world{seed};
            world.fail_commit(commit, GetParam());
            set_up(world);
            submit_all(world);
            check(world);
            if (HasFatalFailure() || HasFailure()) return;
        }
    }
}

// A second failure soon after the first meets runs that are just being taken again.
TEST_P(P4_at_every_commit, a_transaction_applies_once_when_it_happens_twice) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const std::int64_t commits = commits_undisturbed(seed);
        for (std::int64_t commit = 1; commit <= commits; ++commit) {
            for (std::int64_t later = 1; later <= 3; ++later) {
                SCOPED_TRACE(::testing::Message() << "seed " << seed << ", commits " << commit
                                                  << " and " << commit + later);
                World world{seed};
                world.fail_commit(commit, GetParam());
                world.fail_commit(commit + later, Fault::UnknownDone);
                set_up(world);
                submit_all(world);
                check(world);
                if (HasFatalFailure() || HasFailure()) return;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Faults, P4_at_every_commit,
                         ::testing::Values(Fault::CrashBefore, Fault::CrashInside,
                                           Fault::CrashAfter, Fault::Refused, Fault::UnknownDone,
                                           Fault::UnknownNotDone),
                         [](const auto& param) {
                             std::string name;
                             for (const char c : belay::testing::to_string(param.param)) {
                                 if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                                 if (c == ' ') name += '_';
                             }
                             return name;
                         });

}  // namespace
}  // namespace belay::test

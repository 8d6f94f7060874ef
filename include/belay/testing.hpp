// testing.hpp — the test kit: time that moves by itself, and a crash at every durable point.
//
//     const auto report = belay::testing::crash_everywhere(pdf_invoice, FileRef{"july.pdf"});
//     EXPECT_TRUE(report.passed()) << report.text();
//
// Everything here happens on the calling thread, in an order drawn from a seed, on a disk in memory: the
// engine is the real one, the world around it is not. Needs belay::testing (CMake) beside belay::belay.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <belay/engine.hpp>
#include <belay/time.hpp>

namespace belay::testing {

// What can happen at a commit. The first three end the process; the others are a store that fails under an
// engine that goes on.
enum class Fault {
    CrashBefore,  // the process dies and nothing of the commit has happened
    CrashInside,  // the same, when its transactions' bodies have run: what they wrote is taken back
    CrashAfter,   // the process dies and all of it has happened, but nobody was told
    Refused,      // nothing happens and the engine is told so: a full disk
    UnknownDone,  // it happens, and the engine is told that it may have: a lost connection
    UnknownNotDone,  // it does not happen, and the engine is told that it may have
};

// "dying before", "a refusal of", …: as reports begin their sentence.
std::string_view to_string(Fault fault);

// One computer: an engine, its disk and its time. Time stands still while something can run and jumps to
// the next timer when nothing can, so a run that sleeps for a week takes no time. Waiting for a run
// (Run::result) drives it.
class World {
public:
    // The same seed gives the same order of everything.
    explicit World(std::uint64_t seed = 1, const EngineOptions& options = {});
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    // Define, migrate and start as in a program. It stays the same object over a restart, and so do the
    // runs it handed out.
    Engine& engine();

    // The power goes and comes back: what was not committed is gone, steps under way with it. Definitions
    // and migrations are applied again, and the engine is started if it was.
    void restart();

    // Lets that much time pass, with all that becomes due in it.
    void advance(Duration duration);

    // Runs until nothing can run any more, however much time passes in the world. False if there is no end
    // to it (a workflow that sleeps and wakes for ever).
    bool run_until_quiet();

    Time now() const;

    // Lets this happen at the n-th commit from now, 1 being the next. After a crash every call of the
    // engine throws Error{Stopped} until restart().
    void fail_commit(std::int64_t n, Fault fault);
    bool crashed() const;

    // Commits so far, over all restarts.
    std::int64_t commits() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

struct CrashOptions {
    // Defines what the workflow needs beside itself: migrations of its tables, workflows that it submits.
    std::function<void(Engine&)> define{};

    // Called before each try, undisturbed or not: put back what your steps change outside the engine.
    std::function<void()> begin{};

    // What your steps did outside the engine, as text; must be the same after every crash as undisturbed.
    // A step is at-least-once: say here what must hold all the same ("the card was charged for order 7"),
    // not how often it was tried.
    std::function<std::string()> effects{};

    // Columns of your tables that may differ: times and whatever else is taken from outside.
    std::vector<std::string> ignore_columns{"created_at", "updated_at"};

    // The undisturbed run may end as failed. Otherwise that is reported: a test of a workflow that cannot
    // work passes too easily.
    bool may_fail = false;

    // Also let commits fail and be unknown under an engine that lives on.
    bool store_failures = true;

    std::uint64_t seed = 1;

    // Only this commit, to repeat one failure; 0 means all.
    std::int64_t only_commit = 0;

    // Stop after so many failures: they mostly are one.
    int failures_max = 10;
};

struct CrashReport {
    std::uint64_t seed = 0;
    std::int64_t commits = 0;  // durable points of the undisturbed run
    std::int64_t tries = 0;    // how often the workflow was disturbed
    std::string ended{};       // how the undisturbed run ended, and with what
    // One sentence each: "dying after commit 7, which recorded step `charge` …: …".
    std::vector<std::string> failures{};

    bool passed() const { return failures.empty(); }

    // All of it for people, with how to repeat the first failure.
    std::string text() const;
};

namespace detail {
CrashReport crash_everywhere(const std::string& workflow, const std::string& input,
                             const CrashOptions& options);
}

// Runs the workflow undisturbed, then once for every commit of that and every Fault there, restarts after a
// crash, and compares. The same must come out:
//   - the end: the result, or the failure;
//   - the stages and how each ended, of this run and of every run that it submitted;
//   - the rows of the program's own tables, and what `effects` says;
// and no step may run again whose record was committed (P1), no submission that was accepted may be missing
// (P2), nothing may be stuck. A workflow that depends on anything but its input and its steps fails this.
template <class In>
CrashReport crash_everywhere(std::string_view workflow, const In& input,
                             const CrashOptions& options) {
    return detail::crash_everywhere(std::string(workflow), to_json(input), options);
}

// The same for a workflow function, with or without an input.
template <class F, class In>
requires(!std::convertible_to<F, std::string_view>) CrashReport
    crash_everywhere(F workflow, const In& input, CrashOptions options = {}) {
    options.define = [workflow, define = std::move(options.define)](Engine& engine) {
        if (define) define(engine);
        engine.define("workflow", workflow);
    };
    return detail::crash_everywhere("workflow", to_json(input), options);
}
template <class F>
requires(!std::convertible_to<F, std::string_view>) CrashReport crash_everywhere(F workflow) {
    CrashOptions options;
    options.define = [workflow](Engine& engine) { engine.define("workflow", workflow); };
    return detail::crash_everywhere("workflow", "null", options);
}

}  // namespace belay::testing

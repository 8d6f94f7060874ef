// shortage_test.cpp — the machine has nothing left: a step waits for it, and uses up no attempt.
#include <cerrno>
#include <new>
#include <system_error>

#include <gtest/gtest.h>

#include "core/base/shortage.hpp"
#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

// A workflow of one step with a single attempt that fails `failures` times with what `fail` throws.
struct ShortBench : Bench {
    int failures = 0;
    std::function<void()> fail;
    std::vector<Time> ran{};

    Run<std::string> submit() {
        define = [this](Engine& engine) {
            engine.define("read", [this](Context& ctx) -> Task<std::string> {
                static const StepOptions once{.retry = {.attempts_max = 1}};
                co_return co_await ctx.step("read", once, [this](Attempt& attempt) {
                    ran.push_back(sim.clock().now());
                    if (static_cast<int>(ran.size()) <= failures) fail();
                    return "attempt " + std::to_string(attempt.number());
                });
            });
        };
        return start().submit<std::string>("read", {.id = "july"});
    }
};

TEST(Shortage, lack_of_descriptors_processes_or_memory_uses_up_no_attempt) {
    const std::function<void()> lacks[] = {
        [] { throw std::system_error(EMFILE, std::generic_category(), "cannot open"); },
        [] { throw std::system_error(EAGAIN, std::system_category(), "cannot fork"); },
        [] { throw std::bad_alloc(); },
        // What it became on its way up says nothing of it; what the system answered was noted.
        [] {
            base::note_shortage(EMFILE);
            throw NonRetryable("the helper cannot start");
        },
    };
    for (const auto& lack : lacks) {
        ShortBench b;
        b.failures = 20;
        b.fail = lack;

        EXPECT_EQ(b.submit().result(), "attempt 1");

        EXPECT_EQ(b.ran.size(), 21u);
        EXPECT_EQ(b.stage("july", "1").attempt, 1);
        EXPECT_TRUE(b.attempts("july").empty());
        // A second at first, and never more than a minute.
        EXPECT_EQ(b.ran[1] - b.ran[0], 1s);
        EXPECT_EQ(b.ran[20] - b.ran[19], 60s);
    }
}

TEST(Shortage, another_process_goes_on_with_the_same_attempt) {
    ShortBench b;
    b.failures = 5;
    b.fail = [] { throw std::bad_alloc(); };
    b.submit();
    b.run_until([&] { return b.ran.size() == 3; });
    b.restart();

    EXPECT_TRUE(b.run_until("july", RunStatus::Succeeded));

    EXPECT_EQ(b.stage("july", "1").attempt, 1);
}

TEST(Shortage, what_the_step_itself_does_wrong_fails_it_as_ever) {
    ShortBench b;
    b.failures = 1;
    b.fail = [] { throw std::system_error(ENOENT, std::generic_category(), "cannot open"); };

    EXPECT_THROW(b.submit().result(), Error);

    EXPECT_EQ(b.ran.size(), 1u);
}

}  // namespace
}  // namespace belay::engine

// identity_test.cpp — one id, one run, over a crash: the four cases of a second submission.
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <belay/belay.hpp>
#include <belay/testing.hpp>

namespace belay::test {
namespace {

using namespace std::chrono_literals;

bool broken = false;
int calls = 0;

int work(int n) {
    ++calls;
    if (broken) throw NonRetryable("out of paper");
    return n + 1;
}

Task<int> slow(Context& ctx, int n) {
    n = co_await ctx.step("first", work, n);
    co_await ctx.sleep(1h);
    co_return co_await ctx.step("second", work, n);
}

class P3_one_id_one_run : public ::testing::Test {
protected:
    P3_one_id_one_run() {
        broken = false;
        calls = 0;
        world.engine().define("slow", slow);
        world.engine().start();
    }

    belay::Run<int> submit(int input, bool retry = false) {
        SubmitOptions options;
        options.id = "the-one";
        options.retry = retry;
        return world.engine().submit<int>("slow", input, options);
    }

    belay::testing::World world;
};

TEST_F(P3_one_id_one_run, a_second_submission_joins_the_run_that_is_under_way) {
    submit(1);
    world.advance(1min);
    world.restart();

    const auto joined = submit(1);

    EXPECT_EQ(joined.status(), RunStatus::Waiting);
    EXPECT_EQ(joined.result(), 3);
    EXPECT_EQ(calls, 2);
}

TEST_F(P3_one_id_one_run, after_success_it_gives_the_result) {
    EXPECT_EQ(submit(1).result(), 3);
    world.restart();

    EXPECT_EQ(submit(1).result(), 3);
    EXPECT_EQ(calls, 2);
}

TEST_F(P3_one_id_one_run, after_failure_it_gives_the_failure_unless_a_retry_is_asked_for) {
    broken = true;
    EXPECT_THROW(submit(1).result(), Error);
    world.restart();

    try {
        submit(1).result();
        FAIL() << "the failure is gone";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::RunFailed);
        EXPECT_NE(std::string(error.what()).find("out of paper"), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(calls, 1);
    broken = false;
    EXPECT_EQ(submit(1, true).result(), 3);
    EXPECT_EQ(calls, 3);
}

TEST_F(P3_one_id_one_run, with_another_input_it_is_an_error) {
    submit(1);
    world.restart();

    try {
        submit(2);
        FAIL() << "two inputs were mixed";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InputMismatch);
    }
    EXPECT_EQ(submit(1).result(), 3);
}

}  // namespace
}  // namespace belay::test

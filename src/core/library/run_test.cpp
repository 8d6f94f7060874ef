// run_test.cpp — Engine::run(): a worker's main goes on until it is told to stop, and ends within its limit.
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

namespace belay {
namespace {

// A program in a process of its own: it writes a byte when its first step runs.
class Worker {
public:
    explicit Worker(bool step_that_never_ends) {
        if (::pipe(pipe_) != 0) std::abort();
        pid_ = ::fork();
        if (pid_ == 0) ::_exit(main_of(step_that_never_ends));
    }
    ~Worker() {
        ::close(pipe_[0]);
        ::close(pipe_[1]);
    }
    void await_first_step() const {
        char byte = 0;
        ASSERT_EQ(::read(pipe_[0], &byte, 1), 1);
    }
    int stop_with(int signal) const {
        ::kill(pid_, signal);
        int status = 0;
        ::waitpid(pid_, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

private:
    int main_of(bool step_that_never_ends) const {
        Engine engine{memory(), {.log_to_stderr = false}};
        engine.define("TELL", [fd = pipe_[1], step_that_never_ends](Context& ctx) -> Task<> {
            co_await ctx.step(
                "tell",
                [](int to, bool for_ever) {
                    if (::write(to, "x", 1) != 1) std::abort();
                    while (for_ever) ::pause();
                },
                fd, step_that_never_ends);
            co_await ctx.sleep(std::chrono::hours{1});
        });
        engine.submit<void>("TELL");
        return engine.run(std::chrono::milliseconds{step_that_never_ends ? 200 : 20'000});
    }

    int pipe_[2]{};
    pid_t pid_ = 0;
};

TEST(EngineRun, ends_with_0_when_it_is_told_to_stop) {
    for (const int signal : {SIGTERM, SIGINT}) {
        const Worker worker{false};
        worker.await_first_step();

        EXPECT_EQ(worker.stop_with(signal), 0);
    }
}

TEST(EngineRun, does_not_wait_for_a_step_that_never_ends) {
    const Worker worker{true};
    worker.await_first_step();

    EXPECT_EQ(worker.stop_with(SIGTERM), 1);
}

}  // namespace
}  // namespace belay

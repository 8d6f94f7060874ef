// sandbox_test.cpp — what a job that was taken over still cannot do, tried from inside one.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "ingestion/isolate/isolate_bench.hpp"
#include "ingestion/isolate/landlock.hpp"

namespace belay::isolate {
namespace {

using namespace std::chrono_literals;

constexpr auto kRefused = R"("Operation not permitted")";
constexpr auto kDenied = R"("Permission denied")";

class Sandbox : public ::testing::Test {
protected:
    Pool pool{with_test_helper()};

    std::string attempt(const std::string& name, const std::string& argument = "null") {
        return answer_of(pool, name, argument);
    }
    // The pool must serve the next job whatever this one did.
    void TearDown() override {
        EXPECT_EQ(answer_of(pool, "echo", "1"), "1");
        EXPECT_EQ(pool.starts(), 1);
    }
};

TEST_F(Sandbox, a_crash_is_contained_and_named) {
    const auto segfault = failure_of(pool, "segfault");
    EXPECT_EQ(segfault.code(), FailureCode::Crashed);
    EXPECT_STREQ(segfault.what(), "segfault crashed: signal 11 (Segmentation fault)");
    EXPECT_STREQ(failure_of(pool, "abort").what(), "abort crashed: signal 6 (Aborted)");
    EXPECT_STREQ(failure_of(pool, "exit").what(), "exit ended without an answer (exit code 7)");
}

TEST_F(Sandbox, a_job_that_hangs_is_killed_at_its_time_limit) {
    for (const auto* name : {"sleep", "ignore_signals_and_sleep", "spin"}) {
        Job job = job_called(name);
        job.limits.wall_time = 30ms;
        const auto failure = failure_of(pool, job);
        EXPECT_EQ(failure.code(), FailureCode::TimedOut);
        EXPECT_EQ(std::string{failure.what()},
                  std::string{name} + " took longer than its limit of 30 ms");
    }
}

TEST_F(Sandbox, a_job_that_burns_its_processor_time_is_killed) {
    Job job = job_called("spin");
    job.limits.cpu_time = 1s;
    const auto failure = failure_of(pool, job);
    EXPECT_EQ(failure.code(), FailureCode::TimedOut);
    EXPECT_STREQ(failure.what(), "spin used more than its limit of 1 s of processor time");
}

TEST_F(Sandbox, a_memory_bomb_ends_at_the_limit) {
    for (const auto* name : {"memory_bomb", "memory_bomb_in_c", "bad_alloc"}) {
        Job job = job_called(name);
        job.limits.memory_bytes = 100u << 20;
        const auto failure = failure_of(pool, job);
        EXPECT_EQ(failure.code(), FailureCode::OutOfMemory) << failure.what();
        EXPECT_EQ(std::string{failure.what()},
                  std::string{name} + " needs more memory than its limit of 100 MiB");
    }
}

TEST_F(Sandbox, an_output_bomb_ends_at_the_limit) {
    for (const auto* name : {"output_bomb", "parts_bomb", "raw_output_bomb"}) {
        Job job = job_called(name);
        job.limits.output_bytes = 1u << 20;
        const auto failure = failure_of(pool, job);
        EXPECT_EQ(failure.code(), FailureCode::OutputTooLarge) << failure.what();
        EXPECT_NE(std::string{failure.what()}.find("limit of 1048576 bytes"), std::string::npos);
    }
}

TEST_F(Sandbox, an_answer_that_is_none_is_a_crash) {
    for (const auto* name :
         {"raw_garbage", "raw_half_an_answer", "raw_two_answers", "raw_claims_stopped"}) {
        const auto failure = failure_of(pool, name);
        EXPECT_EQ(failure.code(), FailureCode::Crashed) << name << ": " << failure.what();
    }
}

TEST_F(Sandbox, a_job_holds_its_channel_and_its_inputs_and_nothing_else) {
    EXPECT_EQ(attempt("open_fds"), "4");
    Job job = job_called("open_fds");
    job.inputs.push_back(Blob::of("x"));
    job.inputs.push_back(Blob::of("y"));
    EXPECT_EQ(pool.run(job).json, "6");
}

TEST_F(Sandbox, no_process_and_no_thread_can_be_started) {
    EXPECT_EQ(attempt("fork"), kRefused);
    EXPECT_EQ(attempt("thread"), R"("refused")");
}

TEST_F(Sandbox, what_only_an_attacker_does_kills_the_job) {
    for (const auto* name : {"execve", "ptrace"}) {
        const auto failure = failure_of(pool, name);
        EXPECT_EQ(failure.code(), FailureCode::Crashed);
        EXPECT_EQ(std::string{failure.what()},
                  std::string{name} + " was ended by the sandbox: it made a forbidden system call");
    }
#if defined(__x86_64__)
    EXPECT_EQ(failure_of(pool, "old_calls").code(), FailureCode::Crashed);
#endif
}

TEST_F(Sandbox, there_is_no_network) {
    EXPECT_EQ(attempt("socket"), kRefused);
    EXPECT_EQ(attempt("unix_socket"), kRefused);
}

TEST_F(Sandbox, no_file_can_be_read_that_was_not_declared) {
    EXPECT_EQ(attempt("read_file", R"("/etc/passwd")"), kRefused);
    EXPECT_EQ(attempt("read_file", R"("/usr/share")"), kRefused);
    EXPECT_EQ(attempt("read_allowed", R"("/usr/share/common-licenses")"), R"("ok")");
    if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
    EXPECT_EQ(attempt("read_allowed", R"("/etc/passwd")"), kDenied);
    EXPECT_EQ(attempt("read_allowed", R"("/usr/share/../../etc/passwd")"), kDenied);
    EXPECT_EQ(attempt("read_allowed", R"("/proc/self/environ")"), kDenied);
}

TEST_F(Sandbox, no_file_can_be_written) {
    const auto path =
        std::filesystem::temp_directory_path() / ("belay-sandbox-" + std::to_string(::getpid()));
    std::ofstream{path} << "kept";
    std::filesystem::permissions(path, std::filesystem::perms::all);
    const auto name = to_json(path.string());

    EXPECT_EQ(attempt("write_file", name), kRefused);
    EXPECT_EQ(attempt("write_allowed", name), kDenied);
    EXPECT_EQ(attempt("truncate_file", name), kDenied);
    EXPECT_EQ(attempt("unlink_file", name), kRefused);
    Job job = job_called("write_input");
    job.inputs.push_back(Blob::of("kept"));
    EXPECT_EQ(pool.run(job).json, kRefused);

    EXPECT_EQ(std::filesystem::file_size(path), 4u);
    std::filesystem::remove(path);
}

TEST_F(Sandbox, nobody_else_can_be_signalled) {
    EXPECT_EQ(attempt("kill_helper"), kRefused);
    EXPECT_EQ(attempt("kill_helper_thread"), kRefused);
}

TEST_F(Sandbox, memory_is_never_executable_and_limits_never_rise) {
    EXPECT_EQ(attempt("executable_memory"), kRefused);
    EXPECT_EQ(attempt("raise_limits"), kRefused);
    EXPECT_EQ(attempt("become_root"), kRefused);
}

TEST_F(Sandbox, on_a_kernel_without_landlock_the_filter_still_holds) {
    auto options = with_test_helper();
    options.arguments = {"--without", "landlock"};
    Pool old{options};
    EXPECT_NE(old.start().sandbox.find("no Landlock in this kernel"), std::string::npos);
    EXPECT_EQ(answer_of(old, "read_file", R"("/etc/passwd")"), kRefused);
    EXPECT_EQ(answer_of(old, "write_allowed", R"("/tmp/belay-never")"), kDenied);
    EXPECT_EQ(answer_of(old, "socket"), kRefused);
}

TEST_F(Sandbox, without_namespaces_the_filter_still_holds) {
    auto options = with_test_helper();
    options.arguments = {"--without", "namespaces"};
    Pool plain{options};
    EXPECT_EQ(plain.start().sandbox.find("network"), std::string::npos);
    EXPECT_EQ(answer_of(plain, "socket"), kRefused);
}

TEST_F(Sandbox, root_is_left_behind) {
    if (::getuid() != 0) GTEST_SKIP() << "not run as root";
    EXPECT_EQ(attempt("who"), "65534");
}

}  // namespace
}  // namespace belay::isolate

// pool_test.cpp — what a pool promises its callers: answers, bounds, and that it comes back.
#include "ingestion/isolate/pool.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include <belay/error.hpp>

#include "core/base/shortage.hpp"
#include "ingestion/isolate/isolate_bench.hpp"

namespace belay::isolate {
namespace {

using namespace std::chrono_literals;

int open_descriptors(const std::string& pid) {
    int count = 0;
    for ([[maybe_unused]] const auto& fd :
         std::filesystem::directory_iterator("/proc/" + pid + "/fd"))
        ++count;
    return count;
}

TEST(Pool, a_job_gets_arguments_and_inputs_and_answers_json_and_blobs) {
    Pool pool{with_test_helper()};
    Job job{"echo", R"({"a":[1,2,"å"]})", {}, {}};
    job.inputs.push_back(Blob::of("first"));
    job.inputs.push_back(Blob::of(""));
    job.inputs.push_back(Blob::open(BELAY_ISOLATE_HELPER));

    const auto answer = pool.run(job);

    EXPECT_EQ(answer.json, R"({"a":[1,2,"å"]})");
    ASSERT_EQ(answer.blobs.size(), 3u);
    EXPECT_EQ(answer.blobs[0], "first");
    EXPECT_EQ(answer.blobs[1], "");
    EXPECT_EQ(answer.blobs[2].size(), std::filesystem::file_size(BELAY_ISOLATE_HELPER));
}

TEST(Pool, large_arguments_and_answers_pass) {
    Pool pool{with_test_helper()};
    const auto text = to_json(std::string(3u << 20, 'x'));
    Job job{"echo", text, {}, {}};
    const std::string picture(40u << 20, 'p');
    job.inputs.push_back(Blob::of(picture));

    const auto answer = pool.run(job);

    EXPECT_EQ(answer.json, text);
    ASSERT_EQ(answer.blobs.size(), 1u);
    EXPECT_TRUE(answer.blobs[0] == picture);
}

TEST(Pool, every_job_has_a_process_of_its_own_that_is_warm) {
    Pool pool{with_test_helper()};

    EXPECT_EQ(answer_of(pool, "count"), "1");
    EXPECT_EQ(answer_of(pool, "count"), "1") << "a job saw what the one before it left";
    EXPECT_NE(answer_of(pool, "pid"), answer_of(pool, "pid"));
    EXPECT_EQ(answer_of(pool, "warm"), R"("warmed in the helper")");
    EXPECT_EQ(pool.starts(), 1);
}

TEST(Pool, a_rejection_arrives_with_its_code_and_message) {
    Pool pool{with_test_helper()};

    const auto failure = failure_of(pool, "reject");
    EXPECT_EQ(failure.code(), FailureCode::Rejected);
    EXPECT_EQ(failure.reject_code(), "too_many_pixels");
    EXPECT_STREQ(failure.what(), "too many pixels: 20000x20000, at most 100 million");

    const auto other = failure_of(pool, "throw");
    EXPECT_EQ(other.code(), FailureCode::Rejected);
    EXPECT_EQ(other.reject_code(), "failed");
    EXPECT_STREQ(other.what(), "no such font");

    // Text from a hostile file is repaired and cut on the way.
    const auto binary = failure_of(pool, "reject_binary");
    EXPECT_EQ(binary.code(), FailureCode::Rejected);
    EXPECT_LE(std::string{binary.what()}.size(), 4096u);
}

TEST(Pool, a_job_that_is_unknown_or_could_not_warm_up_is_unavailable_and_says_why) {
    Pool pool{with_test_helper()};

    const auto unknown = failure_of(pool, "no_such_job");
    EXPECT_EQ(unknown.reject_code(), "unavailable");
    EXPECT_STREQ(unknown.what(),
                 "no_such_job is not available: there is no job called 'no_such_job'");

    const auto cold = failure_of(pool, "cold");
    EXPECT_STREQ(cold.what(), "cold is not available: the model is not installed");
    const auto info = pool.start();
    ASSERT_EQ(info.unavailable.size(), 1u);
    EXPECT_EQ(info.unavailable[0].first, "cold");
}

TEST(Pool, a_helper_that_cannot_start_for_lack_of_processes_says_so) {
    PoolOptions options = with_test_helper();
    options.arguments.emplace_back("--no-processes");
    Pool pool{options};
    const auto before = base::shortages_of_thread();

    const auto failure = failure_of(pool, "echo");

    EXPECT_NE(std::string(failure.what()).find("cannot fork"), std::string::npos) << failure.what();
    EXPECT_GT(base::shortages_of_thread(), before);
}

TEST(Pool, a_job_above_the_bounds_is_the_callers_mistake) {
    Pool pool{with_test_helper()};
    const auto code_of = [&](const Job& job) {
        try {
            pool.run(job);
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::NotFound;
    };
    EXPECT_EQ(code_of(job_called("")), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of(job_called(std::string(65, 'n'))), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of(job_called("echo", std::string(kArgumentBytesMax + 1, ' '))),
              ErrorCode::InvalidArgument);
    Job many = job_called("echo");
    for (std::size_t i = 0; i <= kInputsMax; ++i) many.inputs.push_back(Blob::of("x"));
    EXPECT_EQ(code_of(many), ErrorCode::InvalidArgument);
    Job timeless = job_called("echo");
    timeless.limits.wall_time = 0ms;
    EXPECT_EQ(code_of(timeless), ErrorCode::InvalidArgument);
}

TEST(Pool, a_thousand_jobs_leave_no_descriptor_and_no_zombie) {
    Pool pool{with_test_helper()};
    const auto helper = pool.start().pid;
    const auto run_some = [&](int count) {
        for (int i = 0; i < count; ++i) {
            Job job{i % 3 == 0 ? "segfault" : "echo", "1", {}, {}};
            job.inputs.push_back(Blob::of("x"));
            try {
                pool.run(job);
            } catch (const JobFailed&) {
            }
        }
    };
    run_some(10);
    const int ours = open_descriptors("self");
    // Only root may look into the helper, which hides from other processes of its user.
    const bool may_look = ::getuid() == 0;
    const int theirs = may_look ? open_descriptors(std::to_string(helper)) : 0;

    run_some(1000);

    EXPECT_EQ(open_descriptors("self"), ours);
    // The last job's two may just be about to be closed.
    EXPECT_LE(may_look ? open_descriptors(std::to_string(helper)) : 0, theirs + 2);
    EXPECT_TRUE(children_of(helper).empty());
    EXPECT_EQ(pool.starts(), 1);
}

TEST(Pool, jobs_run_in_parallel_up_to_the_bound) {
    Pool pool{with_test_helper(3)};
    pool.start();
    std::stop_source stop;
    std::atomic<int> stopped = 0;
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i) {
        callers.emplace_back([&] {
            if (failure_of(pool, job_called("sleep"), stop.get_token()).code() ==
                FailureCode::Stopped)
                ++stopped;
        });
    }
    const auto helper = pool.start().pid;
    while (children_of(helper).size() < 3 || pool.jobs_waiting() < 5) std::this_thread::yield();
    EXPECT_EQ(children_of(helper).size(), 3u);
    EXPECT_EQ(pool.jobs_running(), 3);

    stop.request_stop();
    callers.clear();

    EXPECT_EQ(stopped, 8);
    EXPECT_EQ(pool.jobs_running(), 0);
    EXPECT_TRUE(children_of(helper).empty()) << "a stopped job still runs";
    EXPECT_EQ(answer_of(pool, "echo", "1"), "1");
}

TEST(Pool, many_threads_get_their_own_answers) {
    Pool pool{with_test_helper(8)};
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> callers;
        for (int t = 0; t < 8; ++t) {
            callers.emplace_back([&, t] {
                for (int i = 0; i < 50; ++i) {
                    const auto text = std::to_string(t * 1000 + i);
                    if (answer_of(pool, "echo", text) == text) ++right;
                }
            });
        }
    }
    EXPECT_EQ(right, 400);
}

TEST(Pool, a_killed_helper_is_started_again_for_the_next_job) {
    Pool pool{with_test_helper()};
    const auto first = pool.start().pid;

    ::kill(first, SIGKILL);

    EXPECT_EQ(answer_of(pool, "echo", "2"), "2");
    EXPECT_EQ(pool.starts(), 2);
    EXPECT_NE(pool.start().pid, first);
    const auto mine = children_of(::getpid());
    EXPECT_EQ(mine.size(), 1u) << "the dead helper was not collected";
}

TEST(Pool, jobs_under_way_crash_with_their_helper_and_others_go_on) {
    Pool pool{with_test_helper(2)};
    const auto helper = pool.start().pid;
    std::vector<FailureCode> codes(2);
    std::vector<std::string> answers(3);
    {
        std::vector<std::jthread> callers;
        for (auto& code : codes) {
            callers.emplace_back([&] { code = failure_of(pool, "sleep").code(); });
        }
        while (children_of(helper).size() < 2) std::this_thread::yield();
        for (auto& answer : answers) {
            callers.emplace_back([&] { answer = answer_of(pool, "echo", "3"); });
        }
        while (pool.jobs_waiting() < 3) std::this_thread::yield();
        const auto jobs = children_of(helper);

        ::kill(helper, SIGKILL);
        callers.clear();

        for (const int job : jobs) {
            std::error_code gone;
            while (::kill(job, 0) == 0 &&
                   std::filesystem::exists(fmt::format("/proc/{}/exe", job), gone)) {
                std::this_thread::yield();  // jobs die with their helper
            }
        }
    }
    EXPECT_EQ(codes, std::vector<FailureCode>(2, FailureCode::Crashed));
    EXPECT_EQ(answers, std::vector<std::string>(3, "3"));
}

TEST(Pool, a_frozen_helper_is_replaced) {
    auto options = with_test_helper();
    options.kill_time_max = 20ms;
    Pool pool{options};
    ::kill(pool.start().pid, SIGSTOP);
    Job job = job_called("echo");
    job.limits.wall_time = 20ms;

    EXPECT_EQ(failure_of(pool, job).code(), FailureCode::TimedOut);

    EXPECT_EQ(answer_of(pool, "echo", "1"), "1");
    EXPECT_EQ(pool.starts(), 2);
}

TEST(Pool, a_helper_that_cannot_serve_is_reported_with_the_reason) {
    const auto message_for = [](PoolOptions options) {
        Pool pool{std::move(options)};
        const auto failure = failure_of(pool, "echo");
        EXPECT_EQ(failure.code(), FailureCode::SandboxUnavailable);
        return std::string{failure.what()};
    };
    auto missing = with_test_helper();
    missing.program = "/no/such/belay-media";
    EXPECT_EQ(message_for(missing), "cannot start /no/such/belay-media: No such file or directory");

    auto dying = with_test_helper();
    dying.arguments = {"--die"};
    EXPECT_NE(message_for(dying).find("ended with code 3 before it was ready"), std::string::npos);

    auto mute = with_test_helper();
    mute.arguments = {"--no-hello"};
    mute.start_time_max = 50ms;
    EXPECT_NE(message_for(mute).find("did not become ready within 50 ms"), std::string::npos);

    auto babbling = with_test_helper();
    babbling.arguments = {"--garbage"};
    EXPECT_NE(message_for(babbling).find("is not the helper of this version"), std::string::npos);

    auto unconfined = with_test_helper();
    unconfined.arguments = {"--without", "seccomp"};
    EXPECT_EQ(message_for(unconfined),
              "this machine cannot confine a job: the kernel refuses the system call filter "
              "(seccomp): Function not "
              "implemented");

    auto threaded = with_test_helper();
    threaded.arguments = {"--thread"};
    EXPECT_EQ(message_for(threaded), "a warm-up left 1 threads running");
    EXPECT_TRUE(children_of(::getpid()).empty());
}

TEST(Pool, signals_for_the_server_do_not_reach_its_jobs) {
    Pool pool{with_test_helper()};
    const auto helper = pool.start().pid;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::kill(helper, signal);
    EXPECT_EQ(answer_of(pool, "echo", "1"), "1");
    EXPECT_EQ(pool.starts(), 1);
    EXPECT_EQ(::getsid(helper), helper) << "a terminal's ^C would reach it";
}

TEST(Pool, the_helper_does_not_inherit_the_environment) {
    ::setenv("BELAY_TEST_SECRET", "key", 1);
    auto options = with_test_helper();
    options.environment = {{"BELAY_TEST_GIVEN", "yes"}};
    Pool pool{options};

    EXPECT_EQ(answer_of(pool, "environment", R"("BELAY_TEST_SECRET")"), R"("")");
    EXPECT_EQ(answer_of(pool, "environment", R"("BELAY_TEST_GIVEN")"), R"("yes")");
    EXPECT_EQ(answer_of(pool, "environment", R"("OMP_THREAD_LIMIT")"), R"("1")");
}

}  // namespace
}  // namespace belay::isolate

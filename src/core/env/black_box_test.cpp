#include "core/env/black_box.hpp"

#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <belay/outside.hpp>

namespace belay::env {
namespace {

namespace fs = std::filesystem;
using belay::detail::Executing;
using namespace std::chrono_literals;

class BlackBoxTest : public testing::Test {
protected:
    BlackBoxTest() {
        char name[] = "/tmp/belay-box-XXXXXX";
        folder_ = ::mkdtemp(name);
    }
    ~BlackBoxTest() override { fs::remove_all(folder_); }

    // A process with a box does this, and ends as it will.
    int in_a_process(const std::function<void(BlackBox*)>& what) {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto boxes = boxes_in(folder_, "db-");
            std::string why;
            what(boxes->open("worker-1", Time{5s}, why));
            boxes->close();
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return status;
    }
    std::vector<DeadBox> dead() { return boxes_in(folder_, "db-")->dead(); }
    std::size_t files() {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
    }

    fs::path folder_;
};

TEST_F(BlackBoxTest, what_a_killed_process_was_executing_is_read_by_the_next) {
    const int status = in_a_process([](BlackBox* box) {
        const Executing turn(box, 7, 1, "");
        { const Executing over(box, 8, 1, "ended"); }
        std::thread([box] {
            const Executing step(box, 9, 2, "ocr");
            box->seen(Time{9s});
            ::kill(::getpid(), SIGKILL);
        }).join();
    });

    ASSERT_TRUE(WIFSIGNALED(status));
    const auto left = dead();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].worker, "worker-1");
    EXPECT_EQ(left[0].last_seen, Time{9s});
    EXPECT_EQ(left[0].signal, 0);
    ASSERT_EQ(left[0].executing.size(), 2u);
    EXPECT_EQ(left[0].executing[0].run, 7);
    EXPECT_EQ(left[0].executing[1].run, 9);
    EXPECT_EQ(left[0].executing[1].epoch, 2);
    EXPECT_EQ(left[0].executing[1].stage, "ocr");
}

TEST_F(BlackBoxTest, a_crash_names_the_thread_that_raised_it_and_is_still_a_crash) {
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE}) {
        const int status = in_a_process([&](BlackBox* box) {
            note_fatal_signals();
            const Executing innocent(box, 7, 1, "");
            std::thread([&] {
                const Executing guilty(box, 9, 2, "divide");
                ::raise(signal);
            }).join();
        });

        ASSERT_TRUE(WIFSIGNALED(status));
        EXPECT_EQ(WTERMSIG(status), signal);
        const auto boxes = boxes_in(folder_, "db-");
        const auto left = boxes->dead();
        ASSERT_EQ(left.size(), 1u);
        EXPECT_EQ(left[0].signal, signal);
        ASSERT_EQ(left[0].executing.size(), 2u);
        EXPECT_FALSE(left[0].executing[0].raised);
        EXPECT_TRUE(left[0].executing[1].raised);
        boxes->forget("worker-1");
    }
}

TEST_F(BlackBoxTest, the_programs_own_handler_is_called_after_the_note) {
    const int status = in_a_process([](BlackBox* box) {
        std::signal(SIGSEGV, [](int) { ::_exit(42); });
        note_fatal_signals();
        const Executing guilty(box, 9, 2, "divide");
        ::raise(SIGSEGV);
    });

    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 42);
    ASSERT_EQ(dead().size(), 1u);
}

TEST_F(BlackBoxTest, who_waits_outside_executes_nothing_until_it_is_back) {
    in_a_process([](BlackBox* box) {
        const Executing step(box, 9, 2, "ocr");
        const belay::Outside waiting;
        ::kill(::getpid(), SIGKILL);
    });
    EXPECT_TRUE(boxes_in(folder_, "db-")->dead().at(0).executing.empty());
    boxes_in(folder_, "db-")->forget("worker-1");
    fs::remove_all(folder_);

    in_a_process([](BlackBox* box) {
        const Executing step(box, 9, 2, "ocr");
        { const belay::Outside waiting; }
        ::kill(::getpid(), SIGKILL);
    });
    EXPECT_EQ(dead().at(0).executing.size(), 1u);
}

TEST_F(BlackBoxTest, a_process_that_lives_or_ended_in_order_is_not_dead) {
    const auto boxes = boxes_in(folder_, "db-");
    std::string why;
    ASSERT_NE(boxes->open("worker-2", Time{}, why), nullptr) << why;
    EXPECT_TRUE(dead().empty());

    in_a_process([](BlackBox*) {});
    EXPECT_TRUE(dead().empty());
    boxes->close();
    EXPECT_EQ(files(), 0u);
}

TEST_F(BlackBoxTest, a_box_is_read_until_it_is_forgotten_and_only_by_its_own_store) {
    in_a_process([](BlackBox*) { ::kill(::getpid(), SIGKILL); });

    EXPECT_TRUE(boxes_in(folder_, "other-")->dead().empty());
    EXPECT_EQ(dead().size(), 1u);
    const auto boxes = boxes_in(folder_, "db-");
    ASSERT_EQ(boxes->dead().size(), 1u);
    EXPECT_TRUE(dead().empty()) << "somebody else is reading it";
    boxes->forget("worker-1");
    EXPECT_TRUE(dead().empty());
    EXPECT_EQ(files(), 0u);
}

TEST_F(BlackBoxTest, a_file_that_is_no_box_is_removed_and_blames_nobody) {
    std::ofstream(folder_ / "db-1.box") << "half written";

    EXPECT_TRUE(dead().empty());
    EXPECT_EQ(files(), 0u);
}

TEST_F(BlackBoxTest, where_no_box_can_be_the_reason_is_said) {
    const auto boxes = boxes_in("/proc/nowhere", "db-");
    std::string why;

    EXPECT_EQ(boxes->open("worker-1", Time{}, why), nullptr);
    EXPECT_NE(why.find("/proc/nowhere"), std::string::npos) << why;
}

}  // namespace
}  // namespace belay::env

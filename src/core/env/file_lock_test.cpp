#include "core/env/file_lock.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::env {
namespace {

class FileLockTest : public testing::Test {
protected:
    FileLockTest() {
        std::string name = testing::TempDir() + "belay-lock-XXXXXX";
        folder = ::mkdtemp(name.data());
        path = folder / "data.lock";
    }
    ~FileLockTest() override { std::filesystem::remove_all(folder); }

    // The message of the refusal, or nothing if the lock was free.
    std::optional<std::string> refusal() const {
        try {
            FileLock::acquire(path, "a second one");
            return std::nullopt;
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::StoreLocked);
            return e.what();
        }
    }

    std::filesystem::path folder;
    std::filesystem::path path;
};

TEST_F(FileLockTest, refuses_a_second_holder_and_names_the_first) {
    const auto lock = FileLock::acquire(path, "belay serve");

    const auto message = refusal();

    ASSERT_TRUE(message);
    EXPECT_NE(message->find(path.string()), std::string::npos) << *message;
    EXPECT_NE(message->find(fmt::format("belay serve (process {}, since 20", ::getpid())),
              std::string::npos)
        << *message;
}

TEST_F(FileLockTest, tells_who_holds_it_without_taking_it) {
    EXPECT_EQ(FileLock::holder(path), std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(path));
    {
        const auto lock = FileLock::acquire(path, "shop");
        const auto holder = FileLock::holder(path);
        ASSERT_TRUE(holder);
        EXPECT_TRUE(holder->starts_with(fmt::format("shop (process {}, since 20", ::getpid())))
            << *holder;
    }
    EXPECT_EQ(FileLock::holder(path), std::nullopt);
    EXPECT_FALSE(refusal());
}

TEST_F(FileLockTest, is_released_at_the_end_of_its_life) {
    {
        auto lock = FileLock::acquire(path, "first");
        auto moved = std::move(lock);
        EXPECT_TRUE(refusal());
    }

    EXPECT_FALSE(refusal());
}

TEST_F(FileLockTest, names_the_new_holder_even_if_its_name_is_shorter) {
    { const auto lock = FileLock::acquire(path, "a program with a very long name"); }
    const auto lock = FileLock::acquire(path, "short");

    const auto message = refusal();

    ASSERT_TRUE(message);
    EXPECT_NE(message->find("locked by short (process"), std::string::npos) << *message;
    EXPECT_TRUE(message->ends_with("Z)")) << *message;
}

TEST_F(FileLockTest, is_released_when_its_process_is_killed) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const auto child = ::fork();
    if (child == 0) {
        const auto lock = FileLock::acquire(path, "child");
        if (::write(ends[1], "x", 1) != 1) ::_exit(1);
        for (;;) ::pause();
    }
    char ready = 0;
    ASSERT_EQ(::read(ends[0], &ready, 1), 1);
    const auto before = refusal();

    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto after = refusal();
    ::close(ends[0]);
    ::close(ends[1]);

    ASSERT_TRUE(before);
    EXPECT_NE(before->find(fmt::format("child (process {}", child)), std::string::npos) << *before;
    EXPECT_FALSE(after);
}

TEST_F(FileLockTest, is_not_inherited_by_a_program_that_is_started) {
    const auto lock = FileLock::acquire(path, "parent");

    // It shows its open files; ours must not be among them.
    const auto command = fmt::format("ls -l /proc/self/fd | grep -q '{}'", path.string());

    EXPECT_NE(std::system(command.c_str()), 0);
}

TEST_F(FileLockTest, says_why_the_file_cannot_be_used) {
    try {
        FileLock::acquire(folder / "missing" / "data.lock", "first");
        FAIL() << "there is no such folder";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::StoreUnavailable);
        EXPECT_NE(std::string(e.what()).find("No such file"), std::string::npos) << e.what();
    }
}

}  // namespace
}  // namespace belay::env

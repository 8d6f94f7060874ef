// backup_test.cpp — what an interrupted `backup` leaves is no backup.
#include "service/cli/backup.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include <belay/belay.hpp>

#include "core/env/clock.hpp"

namespace belay::cli {
namespace {

namespace fs = std::filesystem;

struct InterruptedBackup : ::testing::Test {
    const fs::path root =
        fs::path(::testing::TempDir()) / fmt::format("belay-interrupted-{}", ::getpid());
    Place place;
    InterruptedBackup() {
        fs::create_directories(root / "data");
        place.data_folder = root / "data";
        place.file = place.data_folder / "belay.db";
        Engine engine{sqlite(place.file.string())};
    }
    ~InterruptedBackup() override { fs::remove_all(root); }

    void expect_nothing_restores() const {
        Place other;
        other.data_folder = root / "restored";
        for (const auto& entry : fs::directory_iterator{root}) {
            if (entry.path() == root / "data") continue;
            EXPECT_THROW(restore_backup(entry.path(), other), Error) << entry.path();
        }
        EXPECT_FALSE(fs::exists(other.data_folder));
    }
    void expect_it_can_be_made_again() const {
        make_backup(place, root / "copy", env::SystemClock{});
        Place other;
        other.data_folder = root / "restored";
        restore_backup(root / "copy", other);
        EXPECT_TRUE(fs::exists(other.data_folder / "belay.db"));
        EXPECT_FALSE(fs::exists(root / "copy.partial"));
    }
};

TEST_F(InterruptedBackup, killed_while_it_copies_leaves_nothing_that_restores) {
    const ::pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        make_backup(
            place, root / "copy", env::SystemClock{},
            [](const auto&, auto&, const auto&) -> std::vector<std::string> { ::_exit(7); });
        ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(WEXITSTATUS(status), 7);

    expect_nothing_restores();
    expect_it_can_be_made_again();
}

TEST_F(InterruptedBackup, killed_between_the_last_two_renames_leaves_nothing_that_restores) {
    make_backup(place, root / "copy", env::SystemClock{});
    fs::rename(root / "copy" / "belay-backup.json", root / "copy" / "belay-backup.unfinished.json");

    expect_nothing_restores();
    expect_it_can_be_made_again();
}

// As programs before this one left it: the manifest was there before the name.
TEST_F(InterruptedBackup, a_folder_without_its_name_is_none_even_with_a_manifest) {
    make_backup(place, root / "copy", env::SystemClock{});
    fs::rename(root / "copy", root / "copy.partial");

    expect_nothing_restores();
    expect_it_can_be_made_again();
}

// Restored, it would be said to have lost what was acknowledged after it, and its runs to have died in that process.
TEST_F(InterruptedBackup, of_a_program_that_works_it_takes_neither_the_mark_nor_the_black_box) {
    Engine engine{sqlite(place.file.string())};
    engine.start();
    ASSERT_TRUE(fs::exists(place.file.string() + "-acked"));

    make_backup(place, root / "copy", env::SystemClock{});

    for (const auto& entry : fs::directory_iterator{root / "copy"})
        EXPECT_FALSE(entry.path().filename().string().starts_with("belay.db-")) << entry.path();
}

}  // namespace
}  // namespace belay::cli

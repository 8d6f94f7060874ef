#include "core/env/memory_files.hpp"

#include <gtest/gtest.h>

namespace belay::env {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string text(Files& files, const std::string& path) {
    const auto file = files.open(path);
    if (!file) return "(none)";
    std::string text(file->size(), '\0');
    file->read_at(0, std::as_writable_bytes(std::span(text)));
    return text;
}

TEST(MemoryFiles, a_power_cut_leaves_what_was_synced_and_nothing_else) {
    MemoryFiles files;
    files.make_folders("/d");
    files.sync_folder("/");
    const auto kept = files.create("/d/kept");
    kept->write(bytes("one"));
    kept->sync();
    files.sync_folder("/d");
    kept->write(bytes("two"));
    const auto unnamed = files.create("/d/unnamed");
    unnamed->write(bytes("x"));
    unnamed->sync();

    files.lose_power();

    EXPECT_EQ(text(files, "/d/kept"), "one");
    EXPECT_FALSE(files.exists("/d/unnamed"));
    EXPECT_THROW(kept->write(bytes("late")), PowerLost);
}

TEST(MemoryFiles, a_name_synced_before_its_bytes_comes_back_empty) {
    MemoryFiles files;
    const auto file = files.create("/a");
    file->write(bytes("one"));
    files.sync_folder("/");

    files.lose_power();

    EXPECT_EQ(text(files, "/a"), "");
}

TEST(MemoryFiles, an_unsynced_rename_and_removal_are_undone_by_a_power_cut) {
    MemoryFiles files;
    files.create("/a")->sync();
    files.create("/b")->sync();
    files.sync_folder("/");

    files.rename("/a", "/c");
    files.remove("/b");
    files.lose_power();

    EXPECT_TRUE(files.exists("/a"));
    EXPECT_TRUE(files.exists("/b"));
    EXPECT_FALSE(files.exists("/c"));
}

TEST(MemoryFiles, with_dice_what_was_not_synced_may_or_may_not_survive) {
    int survived = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        MemoryFiles files;
        SeededRandom dice{seed};
        static_cast<void>(files.create("/a"));
        files.lose_power(&dice);
        survived += files.exists("/a") ? 1 : 0;
    }
    EXPECT_GT(survived, 20);
    EXPECT_LT(survived, 80);
}

TEST(MemoryFiles, the_nth_call_fails_as_told_and_the_next_one_works) {
    MemoryFiles files;
    files.fail_call(2, MemoryFiles::Fault::NotDone);
    static_cast<void>(files.create("/a"));
    EXPECT_THROW(static_cast<void>(files.create("/b")), FileError);
    EXPECT_FALSE(files.exists("/b"));

    files.fail_call(1, MemoryFiles::Fault::Done);
    EXPECT_THROW(static_cast<void>(files.create("/b")), FileError);
    EXPECT_TRUE(files.exists("/b"));

    files.fail_call(1, MemoryFiles::Fault::PowerLost);
    EXPECT_THROW(files.sync_folder("/"), PowerLost);
    EXPECT_THROW(static_cast<void>(files.exists("/a")), PowerLost);
    files.lose_power();
    EXPECT_FALSE(files.exists("/a"));
}

TEST(MemoryFiles, a_full_disk_takes_what_fits_and_says_so) {
    MemoryFiles files;
    files.set_capacity(4);
    const auto file = files.create("/a");
    try {
        file->write(bytes("123456"));
        FAIL();
    } catch (const FileError& error) {
        EXPECT_TRUE(error.is_disk_full());
    }
    EXPECT_EQ(files.bytes_used(), 4U);
}

}  // namespace
}  // namespace belay::env

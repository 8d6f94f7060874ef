#include "core/env/disk.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::env {
namespace {

TEST(Disk, a_folder_has_room_can_be_written_and_leaves_nothing_behind) {
    std::string name = testing::TempDir() + "belay-disk-XXXXXX";
    const std::filesystem::path folder = ::mkdtemp(name.data());

    EXPECT_GT(disk_space(folder).size_bytes, 0U);
    EXPECT_TRUE(is_writable(folder));
    EXPECT_EQ(measure_sync(folder, 3).size(), 3U);

    EXPECT_TRUE(std::filesystem::is_empty(folder));
    std::filesystem::remove_all(folder);
}

TEST(Disk, a_folder_that_is_not_there_is_named) {
    EXPECT_FALSE(is_writable("/no/such/folder"));
    EXPECT_THROW(disk_space("/no/such/folder"), Error);
    try {
        measure_sync("/no/such/folder", 1);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("/no/such/folder"), std::string::npos);
    }
}

}  // namespace
}  // namespace belay::env

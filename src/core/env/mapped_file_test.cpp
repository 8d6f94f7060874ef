#include "core/env/mapped_file.hpp"

#include <cstdio>
#include <fstream>
#include <string>

#include <belay/error.hpp>

#include <gtest/gtest.h>

namespace belay::env {
namespace {

std::filesystem::path file_with(const std::string& text) {
    const auto path = std::filesystem::path{testing::TempDir()} / "mapped_file_test.bin";
    std::ofstream{path, std::ios::binary | std::ios::trunc} << text;
    return path;
}

TEST(MappedFile, has_the_bytes_of_the_file_also_after_a_move) {
    MappedFile first{file_with("belay")};
    const MappedFile second = std::move(first);

    const auto bytes = second.bytes();
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "belay");
    EXPECT_TRUE(first.bytes().empty());
}

TEST(MappedFile, of_an_empty_file_has_no_bytes) {
    EXPECT_TRUE(MappedFile{file_with("")}.bytes().empty());
}

TEST(MappedFile, says_which_file_is_not_there) {
    try {
        MappedFile{"/nowhere/words.vec"};
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::NotFound);
        EXPECT_NE(std::string{error.what()}.find("/nowhere/words.vec"), std::string::npos);
    }
}

TEST(MappedFile, refuses_a_folder) { EXPECT_THROW(MappedFile{"/tmp"}, Error); }

}  // namespace
}  // namespace belay::env

// One suite for the machine's files and the ones in memory; what only the latter can do is in
// memory_files_test.cpp.
#include "core/env/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include <gtest/gtest.h>

#include "core/env/memory_files.hpp"

namespace belay::env {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::TestWithParam<bool> {
protected:
    FilesTest() {
        if (GetParam()) {
            files = std::make_unique<MemoryFiles>();
            root = "/root";
        } else {
            files = std::make_unique<SystemFiles>();
            std::string name = testing::TempDir() + "belay-files-XXXXXX";
            root = ::mkdtemp(name.data());
        }
        files->make_folders(root);
    }
    ~FilesTest() override {
        if (!GetParam()) fs::remove_all(root);
    }

    void put(const std::string& name, std::string_view text) {
        const auto file = files->create(root / name);
        ASSERT_NE(file, nullptr);
        file->write(std::as_bytes(std::span(text)));
        file->sync();
    }

    std::string text(const std::string& name) {
        const auto file = files->open(root / name);
        if (!file) return "(none)";
        std::string text(file->size(), '\0');
        file->read_at(0, std::as_writable_bytes(std::span(text)));
        return text;
    }

    std::vector<std::string> names() {
        std::vector<std::string> names;
        for (const auto& entry : files->list(root))
            names.push_back(entry.name + (entry.is_folder ? "/" : ""));
        std::ranges::sort(names);
        return names;
    }

    std::unique_ptr<Files> files;
    fs::path root;
};

INSTANTIATE_TEST_SUITE_P(, FilesTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Memory" : "System"; });

TEST_P(FilesTest, what_is_written_can_be_read_whole_and_in_parts) {
    put("a", "hello world");

    EXPECT_EQ(text("a"), "hello world");
    const auto file = files->open(root / "a");
    std::string part(5, '.');
    EXPECT_EQ(file->read_at(6, std::as_writable_bytes(std::span(part))), 5U);
    EXPECT_EQ(part, "world");
    EXPECT_EQ(file->read_at(9, std::as_writable_bytes(std::span(part))), 2U);
    EXPECT_EQ(file->read_at(99, std::as_writable_bytes(std::span(part))), 0U);
}

TEST_P(FilesTest, what_is_not_there_is_a_value) {
    EXPECT_EQ(files->open(root / "no"), nullptr);
    EXPECT_EQ(files->open(root / "no" / "such"), nullptr);
    EXPECT_FALSE(files->exists(root / "no"));
    EXPECT_FALSE(files->remove(root / "no"));
    EXPECT_TRUE(files->list(root / "no").empty());
}

TEST_P(FilesTest, a_name_is_created_once) {
    put("a", "1");

    EXPECT_EQ(files->create(root / "a"), nullptr);
    EXPECT_EQ(text("a"), "1");
}

TEST_P(FilesTest, a_rename_replaces_and_an_open_file_keeps_its_bytes) {
    put("old", "old");
    put("new", "new");
    const auto reader = files->open(root / "old");

    files->rename(root / "new", root / "old");

    EXPECT_EQ(text("old"), "new");
    EXPECT_EQ(names(), std::vector<std::string>{"old"});
    std::string text(3, '.');
    reader->read_at(0, std::as_writable_bytes(std::span(text)));
    EXPECT_EQ(text, "old");
}

TEST_P(FilesTest, a_link_is_a_second_name) {
    put("a", "1");

    EXPECT_TRUE(files->link(root / "a", root / "b"));
    EXPECT_FALSE(files->link(root / "a", root / "b"));
    EXPECT_TRUE(files->remove(root / "a"));
    EXPECT_EQ(text("b"), "1");
}

TEST_P(FilesTest, temporary_files_have_names_of_their_own) {
    const auto one = files->create_temp(root);
    const auto two = files->create_temp(root);

    EXPECT_NE(one->path(), two->path());
    EXPECT_TRUE(files->exists(one->path()));
}

TEST_P(FilesTest, folders_are_made_listed_and_removed_when_empty) {
    files->make_folders(root / "x" / "y");
    files->make_folders(root / "x" / "y");
    put("x/f", "1");
    put("a", "1");
    files->sync_folder(root / "x");

    EXPECT_EQ(names(), (std::vector<std::string>{"a", "x/"}));
    EXPECT_FALSE(files->remove(root / "x"));
    EXPECT_TRUE(files->remove(root / "x" / "y"));
    EXPECT_FALSE(files->exists(root / "x" / "y"));
}

TEST_P(FilesTest, an_error_names_the_call_the_path_and_the_reason) {
    try {
        static_cast<void>(files->create(root / "no" / "file"));
        FAIL();
    } catch (const FileError& error) {
        EXPECT_EQ(error.what(), "cannot create " + (root / "no" / "file").string() +
                                    ": No such file or directory");
        EXPECT_FALSE(error.is_disk_full());
    }
}

}  // namespace
}  // namespace belay::env

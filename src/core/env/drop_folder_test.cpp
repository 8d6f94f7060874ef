#include "core/env/drop_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace belay::env {
namespace {

namespace fs = std::filesystem;

struct Place {
    Place() {
        std::string pattern = (fs::temp_directory_path() / "belay-drop-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~Place() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    void write(const std::string& name, const std::string& text) const {
        std::ofstream{path / name} << text;
    }
    std::string text(const std::string& name) const {
        std::ifstream in{path / name};
        return {std::istreambuf_iterator<char>{in}, {}};
    }
    fs::path path;
};

std::string text_of(const ReadableFile& file) {
    std::string text(file.size(), ' ');
    file.read_at(0, std::as_writable_bytes(std::span(text)));
    return text;
}

// Moves the only file that is there.
std::string folder_move(const Place& place, const std::string& into, std::string_view reason = {}) {
    DropFolder folder{place.path};
    return folder.move(folder.look().at(0), into, reason);
}

TEST(DropFolder, what_is_there_is_told_by_name_and_can_be_read) {
    const Place place;
    place.write("b.pdf", "two");
    place.write("a.pdf", "one");
    fs::create_directory(place.path / "folder");
    const DropFolder folder{place.path};

    const auto files = folder.look();

    ASSERT_EQ(files.size(), 2u);
    EXPECT_EQ(files[0].name, "a.pdf");
    EXPECT_EQ(files[1].size, 3u);
    EXPECT_EQ(text_of(*folder.open(files[0])), "one");
    EXPECT_TRUE(folder.is_same(files[0]));
    place.write("a.pdf", "one more");
    EXPECT_FALSE(folder.is_same(files[0]));
}

TEST(DropFolder, whoever_has_it_open_for_writing_is_noticed) {
    const Place place;
    place.write("a.pdf", "one");
    const DropFolder folder{place.path};
    const auto file = folder.look().front();
    EXPECT_FALSE(folder.is_being_written(file));

    const int writer = ::open((place.path / "a.pdf").c_str(), O_WRONLY | O_APPEND);
    EXPECT_TRUE(folder.is_being_written(file));
    ::close(writer);
    EXPECT_FALSE(folder.is_being_written(file));
}

TEST(DropFolder, a_file_moves_under_a_name_that_is_free_with_its_reason) {
    const Place place;
    DropFolder folder{place.path};
    place.write("a.pdf", "one");
    EXPECT_EQ(folder.move(folder.look().front(), "refused", "because"), "a.pdf");
    place.write("a.pdf", "two");
    const auto second = folder.look().front();
    EXPECT_EQ(folder.move(second, "refused", "again"), "a (2).pdf");

    EXPECT_EQ(place.text("refused/a.pdf"), "one");
    EXPECT_EQ(place.text("refused/a.pdf.reason.txt"), "because");
    EXPECT_EQ(place.text("refused/a (2).pdf"), "two");
    EXPECT_EQ(place.text("refused/a (2).pdf.reason.txt"), "again");
    EXPECT_EQ(folder.move(second, "refused", "gone"), "") << "somebody else took it";
    EXPECT_FALSE(fs::exists(place.path / "refused/a (3).pdf.reason.txt"));
}

TEST(DropFolder, no_link_is_followed) {
    const Place place, elsewhere;
    elsewhere.write("secret", "not for you");
    DropFolder folder{place.path};
    fs::create_symlink(elsewhere.path / "secret", place.path / "a.pdf");
    ::mkfifo((place.path / "b.pdf").c_str(), 0600);
    fs::create_directory_symlink(elsewhere.path, place.path / "done");
    place.write("c.pdf", "mine");

    const auto files = folder.look();

    ASSERT_EQ(files.size(), 4u);
    EXPECT_FALSE(files[0].is_plain);
    EXPECT_EQ(folder.open(files[0]), nullptr);
    EXPECT_FALSE(files[1].is_plain);
    EXPECT_EQ(folder.open(files[1]), nullptr);
    EXPECT_THROW(folder.move(files[2], "done"), FileError);
    EXPECT_TRUE(fs::exists(place.path / "c.pdf"));
    EXPECT_THROW(DropFolder{place.path / "nowhere"}, FileError);
}

TEST(DropFolder, a_name_that_is_as_long_as_names_may_be_is_moved_twice_and_refused) {
    const Place place;
    const std::string stem = "faktura " + std::string(240, 'x') + "\xC3\xA5";  // 250 bytes
    const std::string name = stem + "a.pdf";                                   // 255
    ASSERT_EQ(name.size(), 255u);

    place.write(name, "one");
    EXPECT_EQ(folder_move(place, "done"), name);
    place.write(name, "two");
    const std::string second = folder_move(place, "done");
    place.write(name, "three");
    const std::string third = folder_move(place, "refused", "no\n");

    EXPECT_TRUE(second.ends_with(" (2).pdf")) << second;
    EXPECT_LE(second.size(), 255u);
    EXPECT_EQ(place.text("done/" + second), "two");
    EXPECT_TRUE(third.ends_with(".pdf"));
    EXPECT_EQ(place.text("refused/" + third), "three");
    EXPECT_EQ(place.text("refused/" + third + ".reason.txt"), "no\n");
    EXPECT_TRUE(DropFolder{place.path}.look().empty());
}

}  // namespace
}  // namespace belay::env

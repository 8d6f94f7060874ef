// watch_folder_test.cpp — a file that is put into a folder is taken when it is whole, once, and moved.
#include "ingestion/ingest/watch_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "ingestion/ingest/ingest_bench.hpp"

namespace belay::ingest {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const std::string kPicture = "\xFF\xD8\xFF a picture";

struct WatchBench : IngestBench {
    WatchBench() {
        std::string pattern = (fs::temp_directory_path() / "belay-watch-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
    }
    ~WatchBench() {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }
    WatchBench(const WatchBench&) = delete;
    WatchBench& operator=(const WatchBench&) = delete;

    void drop(const std::string& name, const std::string& bytes = kPicture) {
        std::ofstream{folder / name, std::ios::binary} << bytes;
    }
    std::string text(const std::string& name) const {
        std::ifstream in{folder / name, std::ios::binary};
        return {std::istreambuf_iterator<char>{in}, {}};
    }
    bool has(const std::string& name) const { return fs::exists(folder / name); }
    std::unique_ptr<WatchFolder> watch(std::uint64_t bytes_max = 1000) {
        WatchOptions options;
        options.folder = folder;
        options.workflow_type = "image";
        options.organization_id = "acme";
        options.bytes_max = bytes_max;
        return std::make_unique<WatchFolder>(
            uploads, clock, options, [this](std::string_view line) { log.emplace_back(line); });
    }
    // As a server does that looks again when the quiet time is over.
    int look_twice(WatchFolder& watched) {
        const int first = watched.look();
        clock.advance(3s);
        return first + watched.look();
    }
    int rows_of_files() { return count("unified_files"); }

    fs::path folder;
    std::vector<std::string> log;
};

TEST(WatchFolder, a_file_becomes_a_run_and_goes_to_done) {
    WatchBench b;
    const auto watched = b.watch();
    b.drop("a.jpg");

    EXPECT_EQ(b.look_twice(*watched), 1);

    EXPECT_FALSE(b.has("a.jpg"));
    EXPECT_EQ(b.text("done/a.jpg"), kPicture);
    EXPECT_EQ(b.rows_of_files(), 1);
    EXPECT_EQ(b.store.get(objects::Key{"acme/a.jpg"}, 100), kPicture);
    EXPECT_EQ(b.look_twice(*watched), 0) << "what is in done/ is done";
}

TEST(WatchFolder, what_changes_is_left_until_it_is_quiet) {
    WatchBench b;
    const auto watched = b.watch();
    b.drop("a.jpg", kPicture.substr(0, 5));
    EXPECT_EQ(watched->look(), 0);
    for (std::size_t length = 6; length < 10; ++length) {
        b.clock.advance(1900ms);
        b.drop("a.jpg", kPicture.substr(0, length));
        EXPECT_EQ(watched->look(), 0);
    }
    b.drop("a.jpg");

    EXPECT_EQ(b.look_twice(*watched), 1);

    EXPECT_EQ(b.store.get(objects::Key{"acme/a.jpg"}, 100), kPicture);
    EXPECT_EQ(b.rows_of_files(), 1);
}

TEST(WatchFolder, what_somebody_still_writes_to_is_left_however_quiet_it_is) {
    WatchBench b;
    const auto watched = b.watch();
    b.drop("a.jpg", kPicture.substr(0, 5));
    const int writer = ::open((b.folder / "a.jpg").c_str(), O_WRONLY | O_APPEND);
    EXPECT_EQ(b.look_twice(*watched), 0);
    EXPECT_EQ(b.look_twice(*watched), 0);

    EXPECT_GT(::write(writer, kPicture.data() + 5, kPicture.size() - 5), 0);
    ::close(writer);

    EXPECT_EQ(b.look_twice(*watched), 1);
    EXPECT_EQ(b.store.get(objects::Key{"acme/a.jpg"}, 100), kPicture);
}

TEST(WatchFolder, unfinished_names_and_folders_are_left_alone_and_an_empty_file_has_a_minute) {
    WatchBench b;
    const auto watched = b.watch();
    for (const char* name : {".hidden.jpg", "a.jpg.part", "b.tmp", "c.jpg~", "d.jpg.crdownload"})
        b.drop(name);
    fs::create_directory(b.folder / "folder");
    b.drop("empty.jpg", "");

    EXPECT_EQ(b.look_twice(*watched), 0);
    b.clock.advance(1min);
    EXPECT_EQ(watched->look(), 1);

    EXPECT_TRUE(b.has("refused/empty.jpg"));
    EXPECT_NE(b.text("refused/empty.jpg.reason.txt").find("empty"), std::string::npos);
    EXPECT_TRUE(b.has("a.jpg.part"));
}

TEST(WatchFolder, what_no_workflow_takes_is_refused_with_the_reason_beside_it) {
    WatchBench b;
    const auto watched = b.watch(50);
    b.drop("notes.txt", "only words");
    b.drop("large.jpg", kPicture + std::string(100, 'x'));
    fs::create_symlink("/etc/hostname", b.folder / "link.jpg");

    EXPECT_EQ(b.look_twice(*watched), 3);

    EXPECT_NE(b.text("refused/notes.txt.reason.txt").find("text/plain"), std::string::npos)
        << b.text("refused/notes.txt.reason.txt");
    EXPECT_NE(b.text("refused/large.jpg.reason.txt"), "");
    EXPECT_NE(b.text("refused/link.jpg.reason.txt").find("link"), std::string::npos);
    EXPECT_EQ(b.rows_of_files(), 0);
}

// The three places where a process may die: nothing was done; the run is durable and the file lies where it was; a
// reason was written and the refused file lies where it was.
TEST(WatchFolder, after_a_crash_in_the_middle_a_file_is_still_taken_once) {
    WatchBench b;
    b.drop("a.jpg");
    b.drop("notes.txt", "only words");
    b.watch()->look();  // died before the quiet time was over
    b.upload("a.jpg", kPicture);
    fs::create_directory(b.folder / "refused");
    b.drop("refused/notes.txt.reason.txt", "half a rea");
    EXPECT_EQ(b.rows_of_files(), 1);

    const auto watched = b.watch();
    EXPECT_EQ(b.look_twice(*watched), 2);

    EXPECT_EQ(b.rows_of_files(), 1) << "it is the run that there was";
    EXPECT_EQ(b.text("done/a.jpg"), kPicture);
    EXPECT_TRUE(b.has("refused/notes.txt"));
    EXPECT_EQ(b.text("refused/notes.txt.reason.txt").find("half a rea"), std::string::npos);
}

TEST(WatchFolder, two_files_of_one_name_one_after_the_other_are_both_taken) {
    WatchBench b;
    const auto watched = b.watch();
    b.drop("a.jpg");
    b.look_twice(*watched);
    b.drop("a.jpg", kPicture + " and another");
    b.look_twice(*watched);

    EXPECT_EQ(b.rows_of_files(), 2);
    EXPECT_EQ(b.text("done/a.jpg"), kPicture);
    EXPECT_EQ(b.text("done/a (2).jpg"), kPicture + " and another");
}

TEST(WatchFolder, what_is_no_fault_of_the_file_leaves_it_where_it_is_and_is_told_once) {
    WatchBench b;
    const auto watched = b.watch();
    b.drop("a.jpg");
    b.drop("done", "no folder");  // the server cannot move anything there, nor these away
    b.drop("refused", "no folder");
    watched->look();
    for (int i = 0; i < 3; ++i) {
        b.clock.advance(3s);
        watched->look();
    }
    EXPECT_TRUE(b.has("a.jpg"));
    EXPECT_EQ(std::ranges::count_if(b.log,
                                    [](const std::string& line) {
                                        return line.find("a.jpg waits") != std::string::npos;
                                    }),
              1);

    fs::remove(b.folder / "done");
    fs::remove(b.folder / "refused");
    b.clock.advance(3s);
    EXPECT_EQ(b.look_twice(*watched), 1);
    EXPECT_EQ(b.rows_of_files(), 1);
}

TEST(WatchFolder, a_folder_that_is_none_is_refused_at_once) {
    WatchBench b;
    EXPECT_EQ(watch_problem(b.folder), "");
    EXPECT_NE(watch_problem(b.folder / "nowhere").find("is no folder"), std::string::npos);
    WatchOptions options;
    options.folder = b.folder / "nowhere";
    EXPECT_THROW((WatchFolder{b.uploads, b.clock, options}), Error);
}

}  // namespace
}  // namespace belay::ingest

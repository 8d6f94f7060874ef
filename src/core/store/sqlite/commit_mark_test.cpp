#include "core/store/sqlite/commit_mark.hpp"

#include "core/store/sqlite/sqlite_test.hpp"

namespace belay::store::sqlite {
namespace {

namespace fs = std::filesystem;

class CommitMarkTest : public SqliteTest {
protected:
    // What a process leaves that is killed with its commits in the -wal: a copy of its files while it runs.
    fs::path killed_after(int runs) {
        const auto store = open_store();
        for (int i = 0; i < runs; ++i) running(*store, "run-" + std::to_string(i));
        const fs::path copy = file.parent_path() / "killed";
        fs::create_directory(copy);
        for (const char* suffix : {"", "-wal", "-acked"})
            fs::copy_file(file.string() + suffix, (copy / "belay.db").string() + suffix);
        return copy / "belay.db";
    }
    static void open_once(const fs::path& database) { sqlite::open(database, {}); }
};

TEST_F(CommitMarkTest, a_kill_a_stop_and_a_copy_without_its_mark_are_no_loss) {
    const fs::path killed = killed_after(3);
    open_once(killed);
    EXPECT_FALSE(CommitMark::loss_of(killed));
    open_once(killed);
    EXPECT_FALSE(CommitMark::loss_of(killed)) << "and neither is what a stop in order leaves";

    fs::remove(killed.string() + "-acked");
    open_once(killed);
    EXPECT_FALSE(CommitMark::loss_of(killed));
}

TEST_F(CommitMarkTest, a_mark_that_a_power_cut_made_older_means_nothing) {
    const fs::path killed = killed_after(1);
    const std::string mark = killed.string() + "-acked";
    fs::copy_file(mark, mark + ".old");
    { running(*sqlite::open(killed, {}), "later"); }
    fs::rename(mark + ".old", mark);

    open_once(killed);

    EXPECT_FALSE(CommitMark::loss_of(killed));
}

TEST_F(CommitMarkTest, a_wal_that_was_removed_is_said_until_it_is_accepted) {
    const fs::path killed = killed_after(5);
    fs::remove(killed.string() + "-wal");

    open_once(killed);

    const auto lost = CommitMark::loss_of(killed);
    ASSERT_TRUE(lost);
    EXPECT_GE(lost->acknowledged - lost->found, 5);
    EXPECT_NE(sentence_of(*lost).find("restore the newest backup"), std::string::npos);
    { running(*sqlite::open(killed, {}), "later"); }
    EXPECT_TRUE(CommitMark::loss_of(killed)) << "new commits do not make up for it";

    EXPECT_TRUE(CommitMark::accept_loss(killed));
    open_once(killed);
    EXPECT_FALSE(CommitMark::loss_of(killed));
}

TEST_F(CommitMarkTest, a_wal_that_was_cut_is_found_out) {
    const fs::path killed = killed_after(5);
    fs::resize_file(killed.string() + "-wal", fs::file_size(killed.string() + "-wal") * 2 / 3);

    open_once(killed);

    EXPECT_TRUE(CommitMark::loss_of(killed));
}

TEST_F(CommitMarkTest, a_second_loss_is_found_although_the_first_was_accepted) {
    const fs::path killed = killed_after(5);
    fs::remove(killed.string() + "-wal");
    { running(*sqlite::open(killed, {}), "after the first"); }
    CommitMark::accept_loss(killed);
    fs::copy_file(killed, killed.string() + ".copy");
    { running(*sqlite::open(killed, {}), "after the copy"); }
    fs::rename(killed.string() + ".copy", killed);

    open_once(killed);

    EXPECT_TRUE(CommitMark::loss_of(killed));
}

TEST_F(CommitMarkTest, a_batch_that_writes_nothing_has_no_number) {
    const auto store = open_store();
    running(*store, "july");
    const auto before = prompt().integer("SELECT value FROM belay_meta WHERE key = 'commits'");

    apply(*store, Load{});

    EXPECT_EQ(prompt().integer("SELECT value FROM belay_meta WHERE key = 'commits'"), before);
    EXPECT_GE(before, 1);
}

}  // namespace
}  // namespace belay::store::sqlite

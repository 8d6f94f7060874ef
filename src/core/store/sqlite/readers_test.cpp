#include "core/store/sqlite/readers.hpp"

#include <memory>
#include <set>
#include <vector>

#include "core/env/files.hpp"
#include "core/store/sqlite/sqlite_test.hpp"

namespace belay::store::sqlite {
namespace {

class ReadersTest : public SqliteTest {
protected:
    std::unique_ptr<Store> store = open_store();  // makes the tables
    env::SystemFiles files;
    Blobs blobs{files, Blobs::folder_of(file), 1 << 20};
    Readers readers{file, 100ms, blobs};
};

TEST_F(ReadersTest, a_read_beside_another_has_a_connection_of_its_own) {
    const auto first = readers.take();
    const auto second = readers.take();
    EXPECT_NE(first.get(), second.get());
}

TEST_F(ReadersTest, one_that_is_free_again_serves_the_next_read) {
    const Reader* first = readers.take().get();
    EXPECT_EQ(readers.take().get(), first);
}

TEST_F(ReadersTest, there_are_not_more_than_a_few_however_many_read) {
    std::vector<std::shared_ptr<Reader>> taken;
    std::set<Reader*> different;
    for (int i = 0; i < 100; ++i) different.insert(taken.emplace_back(readers.take()).get());
    EXPECT_LE(different.size(), 8u);
    running(*store, "july");
    for (const auto& reader : taken) EXPECT_TRUE(reader->find_run("july"));
}

TEST_F(ReadersTest, a_read_under_way_outlives_a_close_and_is_not_kept) {
    auto before = readers.take();
    Reader* const one = before.get();
    readers.close();
    const auto other = readers.take();
    EXPECT_NE(other.get(), one);
    EXPECT_EQ(one->count_runs().queued, 0);
    before.reset();
    const auto after = readers.take();
    EXPECT_NE(after.get(), other.get());
}

}  // namespace
}  // namespace belay::store::sqlite

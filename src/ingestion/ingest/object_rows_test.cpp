// object_rows_test.cpp — small files as rows: read, listed, replaced and removed like any other object.
#include "ingestion/ingest/object_rows.hpp"

#include <gtest/gtest.h>

#include "ingestion/ingest/ingest_bench.hpp"

namespace belay::ingest {
namespace {

std::string large(char c) { return std::string(objects::kInlineBytesMax + 1, c); }

struct RowsBench : IngestBench {
    objects::Object put_row(const std::string& key, const std::string& bytes) {
        const auto writer = store.begin(1 << 20);
        writer->write(bytes);
        auto small =
            writer->take_small(objects::Key{key}, {"image/png", {{"workflow_type", "image"}}});
        EXPECT_TRUE(small);
        engine.transact([&](Tx& tx) { put_object_row(tx, *small); });
        return small->object;
    }
    std::vector<std::string> keys(std::string_view prefix, std::size_t page = 1000) {
        std::vector<std::string> all;
        std::optional<std::string> cursor;
        do {
            const objects::Page one = store.list(prefix, cursor, page);
            EXPECT_LE(one.objects.size(), page);
            for (const auto& object : one.objects) all.push_back(object.key.text());
            cursor = one.next_cursor;
        } while (cursor);
        return all;
    }
};

TEST(ObjectRows, an_upload_is_one_commit_and_makes_no_file) {
    RowsBench b;
    const Ingested small = b.upload("small.jpg", "small");
    EXPECT_EQ(b.count("object_rows"), 1);
    EXPECT_EQ(b.store.get(objects::Key{small.key}, 100), "small");
    EXPECT_TRUE(b.files.list("/objects/heads").empty());

    const Ingested big = b.upload("big.jpg", large('x'));
    EXPECT_EQ(b.count("object_rows"), 1);
    EXPECT_EQ(b.store.get(objects::Key{big.key}, 1 << 20), large('x'));
}

TEST(ObjectRows, what_is_read_is_what_was_put) {
    RowsBench b;
    const std::string bytes("a\0b\xff", 4);
    const objects::Object put = b.put_row("acme/one.png", bytes);

    const auto head = b.store.head(objects::Key{"acme/one.png"});
    ASSERT_TRUE(head);
    EXPECT_EQ(head->etag, put.etag);
    EXPECT_EQ(head->sha256, put.sha256);
    EXPECT_EQ(head->size, 4u);
    EXPECT_EQ(head->content_type, "image/png");
    EXPECT_EQ(head->modified, put.modified);
    EXPECT_EQ(head->metadata.at("workflow_type"), "image");
    EXPECT_EQ(b.store.get(objects::Key{"acme/one.png"}, 100), bytes);
    EXPECT_EQ(b.store.get(objects::Key{"acme/one.png"}, 100, {1, 2}), bytes.substr(1, 2));
    EXPECT_EQ(b.store.get(objects::Key{"acme/one.png"}, 100, {9, 2}), "");
    EXPECT_FALSE(b.store.head(objects::Key{"acme/two.png"}));
}

TEST(ObjectRows, a_list_has_rows_and_files_in_one_order) {
    RowsBench b;
    std::vector<std::string> expected;
    for (int i = 0; i < 9; ++i) {
        const std::string key = "acme/" + std::to_string(i);
        if (i % 3 == 0) b.put_row(key, "row");
        if (i % 3 == 1) b.store.put(objects::Key{key}, large('f'));
        if (i % 3 == 2) b.store.put(objects::Key{key}, "small file");
        expected.push_back(key);
    }
    b.put_row("other/1", "row");
    for (const std::size_t page : {1, 2, 3, 4, 8, 9, 10, 1000}) {
        EXPECT_EQ(b.keys("acme/", page), expected) << page;
        EXPECT_EQ(b.keys("", page).size(), expected.size() + 1) << page;
    }
    EXPECT_EQ(b.keys("other"), std::vector<std::string>{"other/1"});
}

TEST(ObjectRows, a_row_and_a_file_take_each_others_place) {
    RowsBench b;
    const objects::Key key{"acme/x"};
    b.store.put(key, large('1'));
    b.put_row(key.text(), "two");
    EXPECT_EQ(b.store.get(key, 1 << 20), "two");
    b.put_row(key.text(), "three");
    EXPECT_EQ(b.store.get(key, 1 << 20), "three");
    EXPECT_EQ(b.keys("").size(), 1u);
    b.store.put(key, large('4'));
    EXPECT_EQ(b.store.get(key, 1 << 20), large('4'));
    b.put_row(key.text(), "five");

    b.store.remove(key);

    EXPECT_FALSE(b.store.head(key));
    EXPECT_TRUE(b.keys("").empty());
    b.store.remove(key);
}

}  // namespace
}  // namespace belay::ingest

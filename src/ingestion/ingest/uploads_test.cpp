// uploads_test.cpp — what was accepted stays as it was; what was deleted can come again.
#include "ingestion/ingest/uploads.hpp"

#include <functional>

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "ingestion/ingest/files.hpp"
#include "ingestion/ingest/ingest_bench.hpp"

namespace belay::ingest {
namespace {

std::string refusal(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Uploads, two_pictures_of_one_name_are_both_kept) {
    IngestBench b;

    const Ingested first = b.upload("image.jpg", "one");
    const Ingested second = b.upload("image.jpg", "two");

    EXPECT_EQ(first.key, "acme/image.jpg");
    EXPECT_NE(second.key, first.key);
    EXPECT_NE(second.workflow_run_id, first.workflow_run_id);
    EXPECT_EQ(b.store.get(objects::Key{first.key}, 100), "one");
    EXPECT_EQ(b.store.get(objects::Key{second.key}, 100), "two");
    EXPECT_TRUE(b.upload("image.jpg", "two").duplicate);
    EXPECT_TRUE(b.upload("image.jpg", "one").duplicate);
    EXPECT_EQ(b.count("Upload"), 2);
}

TEST(Uploads, a_deleted_file_is_gone_and_comes_again_as_a_new_generation) {
    IngestBench b;
    const Ingested first = b.upload("image.jpg", "one");

    EXPECT_FALSE(b.uploads.remove("other", first.file_id));
    EXPECT_TRUE(b.uploads.remove("acme", first.file_id));

    EXPECT_FALSE(b.uploads.remove("acme", first.file_id));
    EXPECT_FALSE(find_file(b.engine, "acme", first.file_id));
    EXPECT_FALSE(b.store.head(objects::Key{first.key}));
    EXPECT_EQ(b.count("Upload"), 0);
    const Ingested again = b.upload("image.jpg", "one");
    EXPECT_FALSE(again.duplicate);
    EXPECT_EQ(again.workflow_run_id, first.workflow_run_id + "_g2");
}

TEST(Uploads, a_name_may_be_as_long_as_file_systems_have_them) {
    IngestBench b;
    const std::string start = "kvitto " + std::string(238, 'x') + "\xC3\xA5";
    const std::string one = start + "one.jpg", two = start + "two.jpg";
    ASSERT_EQ(one.size(), 254u);

    const Ingested first = b.upload(one, "one");
    const Ingested second = b.upload(two, "two");
    const Ingested replaced = b.upload(one, "another one");

    EXPECT_EQ(first.name, one);
    EXPECT_NE(first.key, second.key) << "they differ where it is cut";
    EXPECT_NE(replaced.key, first.key);
    EXPECT_EQ(b.store.get(objects::Key{first.key}, 100), "one");
    EXPECT_EQ(b.store.head(objects::Key{second.key})->metadata.at("file_name"), two);
    EXPECT_TRUE(b.upload(one, "one").duplicate);
    EXPECT_TRUE(b.uploads.remove("acme", first.file_id));
    EXPECT_FALSE(b.store.head(objects::Key{first.key}));
    EXPECT_FALSE(b.upload(one, "one").duplicate);
    const std::string refused = refusal([&] { b.upload(std::string(256, 'x'), "three"); });
    EXPECT_NE(refused.find("cannot be called"), std::string::npos) << refused;
}

TEST(Uploads, a_copy_keeps_what_was_found_when_the_first_is_deleted) {
    IngestBench b;
    const Ingested first = b.upload("image.jpg", "one");
    const Ingested copy = b.upload("copy.jpg", "one");

    b.uploads.remove("acme", first.file_id);

    EXPECT_EQ(b.count("Upload"), 1);
    EXPECT_TRUE(b.store.head(objects::Key{copy.key}));
    EXPECT_EQ(list_uploads(b.engine, "acme", {}, 10).uploads.size(), 1u);
}

TEST(Uploads, a_list_goes_on_where_its_page_ended) {
    IngestBench b;
    for (int i = 0; i < 5; ++i) b.upload("image.jpg", "bytes " + std::to_string(i));

    const UploadPage first = list_uploads(b.engine, "acme", {}, 3);
    const UploadPage rest = list_uploads(b.engine, "acme", first.next, 3);

    ASSERT_EQ(first.uploads.size(), 3u);
    ASSERT_TRUE(first.next);
    ASSERT_EQ(rest.uploads.size(), 2u);
    EXPECT_FALSE(rest.next);
    EXPECT_NE(rest.uploads[0].file.id, first.uploads[2].file.id);
}

TEST(Uploads, what_cannot_become_a_run_is_refused_before_it_is_stored) {
    IngestBench b;
    EXPECT_EQ(refusal([&] { b.upload("empty.jpg", ""); }), "this file is empty");
    EXPECT_EQ(refusal([&] {
                  const auto writer = b.store.begin(100);
                  writer->write("x");
                  b.uploads.finish(*writer, {"acme", "x.jpg", "image/jpeg", "receipt", false});
              }),
              "workflow_type `receipt` is WF1_RECEIPT, which this server does not run; it runs "
              "IMAGE_CLASSIFICATION");
    EXPECT_TRUE(b.store.list("").objects.empty());
    EXPECT_EQ(b.count("unified_files"), 0);
}

}  // namespace
}  // namespace belay::ingest

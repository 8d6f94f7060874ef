// notification_test.cpp — the shapes in which object stores tell what happened.
#include "ingestion/ingest/notification.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"

namespace belay::ingest {
namespace {

Notice only(std::string_view body) {
    const auto notices = read_notifications(body);
    EXPECT_EQ(notices.size(), 1u);
    return notices.front();
}

TEST(Notification, a_record_of_s3_is_read_with_its_key_unescaped) {
    const Notice n = only(R"({"Records":[{"eventVersion":"2.1","eventSource":"aws:s3",
        "eventTime":"2026-11-15T20:00:00.123Z","eventName":"ObjectCreated:Put","s3":{
        "bucket":{"name":"photos"},"object":{"key":"acme/my+photo%281%29.jpg","size":1024,
        "eTag":"d41d8cd98f00b204e9800998ecf8427e","sequencer":"0A1B2C"}}}]})");

    EXPECT_EQ(n.kind, NoticeKind::Created);
    EXPECT_EQ(n.source, "s3");
    EXPECT_EQ(n.bucket, "photos");
    EXPECT_EQ(n.key, "acme/my photo(1).jpg");
    EXPECT_EQ(n.other_key, "acme/my+photo%281%29.jpg");
    EXPECT_EQ(n.etag, "d41d8cd98f00b204e9800998ecf8427e");
    EXPECT_EQ(n.sequencer, "0A1B2C");
    EXPECT_EQ(base::format_time(*n.at), "2026-11-15T20:00:00.123Z");
}

TEST(Notification, a_message_of_r2_is_read_with_its_key_as_it_stands) {
    const Notice n = only(R"({"account":"3f4","action":"PutObject","bucket":"my-bucket","object":{
        "key":"acme/my photo.jpg","size":65536,"eTag":"\"c846ff7a18f28c2e262116d6e8719ef0\""},
        "eventTime":"2026-05-24T19:36:44.379Z"})");

    EXPECT_EQ(n.kind, NoticeKind::Created);
    EXPECT_EQ(n.source, "r2");
    EXPECT_EQ(n.key, "acme/my photo.jpg");
    EXPECT_EQ(n.other_key, "");
    EXPECT_EQ(n.etag, "c846ff7a18f28c2e262116d6e8719ef0");
}

TEST(Notification, what_happened_is_told_by_the_action) {
    const auto s3 = [](std::string action) {
        return only(R"({"Records":[{"eventName":")" + action +
                    R"(","s3":{"object":{"key":"acme/a.jpg"}}}]})")
            .kind;
    };
    const auto r2 = [](std::string action) {
        return only(R"({"action":")" + action + R"(","object":{"key":"acme/a.jpg"}})").kind;
    };
    for (const auto* action : {"ObjectCreated:Copy", "s3:ObjectCreated:CompleteMultipartUpload"})
        EXPECT_EQ(s3(action), NoticeKind::Created) << action;
    for (const auto* action : {"ObjectRemoved:Delete", "ObjectRemoved:DeleteMarkerCreated",
                               "LifecycleExpiration:Delete", "ObjectLifecycle:Expiration:Current"})
        EXPECT_EQ(s3(action), NoticeKind::Deleted) << action;
    for (const auto* action : {"ObjectRestore:Completed", "ObjectTagging:Put", "ObjectAcl:Put"})
        EXPECT_EQ(s3(action), NoticeKind::Other) << action;
    for (const auto* action : {"PutObject", "CopyObject", "CompleteMultipartUpload"})
        EXPECT_EQ(r2(action), NoticeKind::Created) << action;
    for (const auto* action : {"DeleteObject", "LifecycleDeletion"})
        EXPECT_EQ(r2(action), NoticeKind::Deleted) << action;
}

TEST(Notification, envelopes_and_batches_are_opened) {
    EXPECT_EQ(read_notifications(R"([{"action":"PutObject","object":{"key":"acme/a.jpg"}},
                                     {"action":"DeleteObject","object":{"key":"acme/b.jpg"}}])")
                  .size(),
              2u);
    EXPECT_EQ(only(R"({"messages":[{"id":"1","attempts":2,"body":
        {"action":"PutObject","object":{"key":"acme/a.jpg"}}}]})")
                  .key,
              "acme/a.jpg");
    EXPECT_EQ(only(R"({"Type":"Notification","Message":
        "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"object\":{\"key\":\"acme/a.jpg\"}}}]}"})")
                  .key,
              "acme/a.jpg");
    const Notice bridge = only(R"({"version":"0","detail-type":"Object Created","source":"aws.s3",
        "time":"2026-11-12T00:00:00Z","detail":{"bucket":{"name":"b"},"object":{"key":"acme/a b.jpg",
        "etag":"b57f9512698f4b09e608f4f2a65852e5","sequencer":"00617F08299329D189"}}})");
    EXPECT_EQ(bridge.kind, NoticeKind::Created);
    EXPECT_EQ(bridge.key, "acme/a b.jpg");
    EXPECT_EQ(only(R"({"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"b"})").kind,
              NoticeKind::Other);
}

TEST(Notification, what_cannot_be_understood_says_why) {
    const auto reason = [](std::string_view body) {
        const Notice notice = only(body);
        EXPECT_EQ(notice.kind, NoticeKind::Invalid) << body;
        return notice.reason;
    };
    EXPECT_EQ(reason("not json"), "the body is not JSON");
    EXPECT_EQ(reason("[]"), "the body tells of no object");
    EXPECT_EQ(reason("7"), "a message is a JSON object");
    EXPECT_NE(reason(R"({"hello":1})").find("neither S3's"), std::string::npos);
    EXPECT_EQ(reason(R"({"Records":[{"eventName":"ObjectCreated:Put"}]})"), "a record has no `s3`");
    EXPECT_EQ(reason(R"({"action":"PutObject","object":{}})"), "it has no `object.key`");
    EXPECT_NE(reason(R"({"action":"PutObject","object":{"key":"a/b"},"eventTime":"yesterday"})")
                  .find("not RFC 3339"),
              std::string::npos);
    std::string deep = R"({"body":)";
    for (int i = 0; i < 20; ++i) deep += R"({"body":)";
    EXPECT_EQ(only(deep + "1" + std::string(21, '}')).kind, NoticeKind::Invalid);
}

TEST(Notification, a_body_with_too_many_is_refused_whole) {
    std::string body = "[";
    for (std::size_t i = 0; i <= kNoticesMax; ++i) body += i == 0 ? "1" : ",1";
    EXPECT_THROW(read_notifications(body + "]"), Error);
}

}  // namespace
}  // namespace belay::ingest

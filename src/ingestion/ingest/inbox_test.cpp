// inbox_test.cpp — what object stores tell becomes files and runs: once, in order, whatever is told when.
#include "ingestion/ingest/inbox.hpp"

#include <gtest/gtest.h>

#include "core/base/text.hpp"
#include "ingestion/ingest/files.hpp"
#include "ingestion/ingest/ids.hpp"
#include "ingestion/ingest/inbox_worker.hpp"
#include "ingestion/ingest/ingest_bench.hpp"

namespace belay::ingest {
namespace {

using namespace std::chrono_literals;

const std::string kJpeg = "\xFF\xD8\xFF\xE0 a picture";

struct InboxBench : IngestBench {
    objects::Object put(const std::string& key, const std::string& bytes,
                        const std::string& type = "") {
        objects::Description description;
        description.content_type = "image/jpeg";
        if (!type.empty()) description.metadata["workflow_type"] = type;
        return store.put(objects::Key{key}, bytes, description);
    }
    objects::Object put_of(const std::string& key, const std::string& bytes,
                           objects::Metadata metadata) {
        return store.put(objects::Key{key}, bytes, {"image/jpeg", std::move(metadata)});
    }
    static Notice notice(NoticeKind kind, const std::string& key, Time at,
                         const std::string& etag = "") {
        Notice n;
        n.kind = kind;
        n.source = "r2";
        n.action = kind == NoticeKind::Created ? "PutObject" : "DeleteObject";
        n.key = key;
        n.at = at;
        n.etag = etag;
        n.body = "{}";
        return n;
    }
    // Tells of it, handles it, and gives what became of the message.
    InboxMessage told(Notice n, bool any = true) {
        std::vector<Notice> one;
        one.push_back(std::move(n));
        const std::string id = inbox.receive({"acme", any}, std::move(one)).front().id;
        worker.handle_due();
        return *find_message(ask_engine(engine), "", id);
    }
    InboxMessage created(const std::string& key, Time at, const std::string& etag = "") {
        return told(notice(NoticeKind::Created, key, at, etag));
    }
    InboxMessage deleted(const std::string& key, Time at) {
        return told(notice(NoticeKind::Deleted, key, at));
    }
    std::string status(const std::string& id) {
        return find_message(ask_engine(engine), "", id)->status;
    }
    int live_files() { return count("unified_files WHERE deleted_at IS NULL"); }

    Time t(int seconds) const {
        return Time{} + std::chrono::hours{500'000} + std::chrono::seconds{seconds};
    }

    env::SeededRandom random{7};
    Inbox inbox{engine, clock, random};
    InboxWorker worker{inbox, store, {"IMAGE_CLASSIFICATION"}};
};

TEST(Inbox, an_object_that_is_told_of_gets_its_file_and_run) {
    InboxBench b;
    const auto object = b.put("acme/photo.jpg", kJpeg);

    const InboxMessage m = b.created("acme/photo.jpg", b.t(1), object.etag);

    EXPECT_EQ(m.status, "done");
    EXPECT_EQ(m.workflow_run_id, "imgcls_" + upload_event_id("acme/photo.jpg", object.etag));
    EXPECT_EQ(b.count("Upload"), 1);
    EXPECT_EQ(b.live_files(), 1);
}

TEST(Inbox, a_message_told_twice_is_one_run_whatever_state_the_run_is_in) {
    InboxBench b;
    b.put("acme/photo.jpg", kJpeg);
    const std::string run = b.created("acme/photo.jpg", b.t(1)).workflow_run_id;

    for (const auto* state :
         {"ingested", "workflow_running", "classified", "classification_failed"}) {
        b.engine.transact([&](Tx& tx) { tx.exec("UPDATE Upload SET status = ?", state); });
        const InboxMessage again = b.created("acme/photo.jpg", b.t(1));
        EXPECT_EQ(again.status, "done") << state;
        EXPECT_EQ(again.workflow_run_id, run) << state;
        EXPECT_EQ(again.reason, "the run was there already");
        EXPECT_EQ(b.engine.query("SELECT status FROM Upload")[0].get<std::string>(0), state);
    }
    EXPECT_EQ(b.count("unified_files"), 1);
}

TEST(Inbox, an_upload_and_its_own_notification_agree) {
    InboxBench b;
    const Ingested file = b.upload("photo.jpg", kJpeg);

    const InboxMessage m = b.created("acme/photo.jpg", b.t(1), "\"" + file.etag + "\"");

    EXPECT_EQ(m.workflow_run_id, file.workflow_run_id);
    EXPECT_EQ(b.count("unified_files"), 1);
}

TEST(Inbox, the_same_content_under_another_name_shares_the_run) {
    InboxBench b;
    b.put("acme/photo.jpg", kJpeg);
    b.put("acme/copy.jpg", kJpeg);
    const std::string run = b.created("acme/photo.jpg", b.t(1)).workflow_run_id;

    EXPECT_EQ(b.created("acme/copy.jpg", b.t(2)).workflow_run_id, run);
    EXPECT_EQ(b.live_files(), 2);
    EXPECT_EQ(b.count("Upload"), 2);
}

TEST(Inbox, an_older_event_is_ignored) {
    InboxBench b;
    b.put("acme/photo.jpg", kJpeg);
    b.created("acme/photo.jpg", b.t(5));

    const InboxMessage old = b.created("acme/photo.jpg", b.t(4), "another-version");

    EXPECT_EQ(old.status, "ignored");
    EXPECT_NE(old.reason.find("was replaced at"), std::string::npos);
    EXPECT_EQ(b.count("unified_files"), 1);
}

TEST(Inbox, a_late_created_cannot_bring_back_what_was_deleted) {
    InboxBench b;
    b.put("acme/photo.jpg", kJpeg);
    b.created("acme/photo.jpg", b.t(1));
    EXPECT_EQ(b.deleted("acme/photo.jpg", b.t(3)).status, "done");

    const InboxMessage late = b.created("acme/photo.jpg", b.t(2));
    const InboxMessage equal = b.created("acme/photo.jpg", b.t(3));

    EXPECT_EQ(late.status, "ignored");
    EXPECT_EQ(equal.status, "ignored");
    EXPECT_EQ(b.live_files(), 0);
    EXPECT_EQ(b.count("Upload"), 0);
}

TEST(Inbox, a_delete_that_comes_before_its_created_holds_too) {
    InboxBench b;
    b.put("acme/photo.jpg", kJpeg);
    b.deleted("acme/photo.jpg", b.t(3));

    EXPECT_EQ(b.created("acme/photo.jpg", b.t(2)).status, "ignored");
    EXPECT_EQ(b.count("unified_files"), 0);
}

TEST(Inbox, an_object_created_again_after_a_delete_is_a_new_generation) {
    InboxBench b;
    const auto object = b.put("acme/photo.jpg", kJpeg);
    b.created("acme/photo.jpg", b.t(1));
    b.deleted("acme/photo.jpg", b.t(2));

    const InboxMessage again = b.created("acme/photo.jpg", b.t(3));
    const InboxMessage twice = b.created("acme/photo.jpg", b.t(3));

    EXPECT_EQ(again.workflow_run_id, "imgcls_" + upload_event_id("acme/photo.jpg", object.etag, 2));
    EXPECT_EQ(twice.workflow_run_id, again.workflow_run_id);
    EXPECT_EQ(b.live_files(), 1);
    EXPECT_EQ(b.count("Upload"), 1);
}

TEST(Inbox, an_older_delete_does_not_remove_what_came_after_it) {
    InboxBench b;
    b.put("acme/photo.jpg", kJpeg);
    b.created("acme/photo.jpg", b.t(5));

    EXPECT_EQ(b.deleted("acme/photo.jpg", b.t(4)).status, "ignored");
    EXPECT_EQ(b.live_files(), 1);
}

TEST(Inbox, the_sequencer_decides_between_events_of_one_moment) {
    EXPECT_TRUE(sequencer_before("0A", "0B"));
    EXPECT_TRUE(sequencer_before("0A", "0A1"));
    EXPECT_FALSE(sequencer_before("0A0", "0A"));
    InboxBench b;
    b.put("acme/photo.jpg", kJpeg);
    Notice made = b.notice(NoticeKind::Created, "acme/photo.jpg", b.t(1));
    made.sequencer = "0A";
    Notice gone = b.notice(NoticeKind::Deleted, "acme/photo.jpg", b.t(1));
    gone.sequencer = "0B";
    Notice again = made;
    again.sequencer = "0C";

    b.told(made);
    EXPECT_EQ(b.told(gone).status, "done");
    EXPECT_EQ(b.told(made).status, "ignored");
    EXPECT_EQ(b.told(again).status, "done");
    EXPECT_EQ(b.live_files(), 1);
}

TEST(Inbox, a_key_is_found_under_either_of_its_readings) {
    InboxBench b;
    b.put("acme/a+b.jpg", kJpeg);
    Notice n = b.notice(NoticeKind::Created, "acme/a b.jpg", b.t(1));
    n.other_key = "acme/a+b.jpg";

    EXPECT_EQ(b.told(n).status, "done");
    n.kind = NoticeKind::Deleted;
    n.at = b.t(2);
    EXPECT_EQ(b.told(n).reason, "1 file removed");
}

TEST(Inbox, a_missing_object_is_looked_for_again_and_then_set_aside) {
    InboxBench b;
    const std::string id = b.created("acme/photo.jpg", b.t(1)).id;
    EXPECT_EQ(b.status(id), "waiting");

    for (int i = 0; i < 10; ++i) {
        b.clock.advance(20s);
        b.worker.handle_due();
    }

    const auto message = *find_message(ask_engine(b.engine), "", id);
    EXPECT_EQ(message.status, "dead");
    EXPECT_EQ(message.attempts, 5);
    EXPECT_NE(message.reason.find("there is no object `acme/photo.jpg`"), std::string::npos);
    EXPECT_EQ(b.count("unified_files"), 0);
}

// A store that is out of order when it is told to be.
class Moody final : public objects::Store {
public:
    explicit Moody(objects::Store& store) : store_(store) {}
    bool out_of_order = false;
    std::unique_ptr<objects::Writer> begin(std::uint64_t most) override {
        return store_.begin(most);
    }
    std::optional<objects::Object> head(const objects::Key& key) override {
        if (out_of_order) throw Error(ErrorCode::StoreUnavailable, "503 from the bucket");
        return store_.head(key);
    }
    std::unique_ptr<objects::Reader> open(const objects::Key& key,
                                          const objects::Range& range) override {
        return store_.open(key, range);
    }
    void remove(const objects::Key& key) override { store_.remove(key); }
    objects::Page list(std::string_view prefix, const std::optional<std::string>& cursor,
                       std::size_t limit) override {
        return store_.list(prefix, cursor, limit);
    }
    std::optional<std::string> download_url(const objects::Key&, Duration,
                                            std::string_view) override {
        return std::nullopt;
    }
    std::string name() const override { return "the bucket"; }

private:
    objects::Store& store_;
};

TEST(Inbox, an_outage_of_the_object_store_loses_no_message_however_long_it_is) {
    InboxBench b;
    Moody bucket{b.store};
    InboxWorker worker{b.inbox, bucket, {"IMAGE_CLASSIFICATION"}};
    b.put("acme/photo.jpg", kJpeg);
    bucket.out_of_order = true;
    std::vector<Notice> one{b.notice(NoticeKind::Created, "acme/photo.jpg", b.t(1))};
    const std::string id = b.inbox.receive({"acme", true}, one).front().id;

    for (int i = 0; i < 200; ++i) {
        worker.handle_due();
        b.clock.advance(10min);
        EXPECT_EQ(worker.look_for_the_store(), 0);
    }

    const auto waiting = *find_message(ask_engine(b.engine), "", id);
    EXPECT_EQ(waiting.status, "waiting");
    EXPECT_EQ(waiting.attempts, 0) << "the message has done nothing wrong";
    EXPECT_GT(waiting.outages, 12) << "asked again and again";
    EXPECT_LT(waiting.outages, 60) << "but less and less often";
    const InboxCounts counts = count_inbox(ask_engine(b.engine));
    EXPECT_EQ(counts.waiting_for_store, 1);
    EXPECT_EQ(counts.dead, 0);

    bucket.out_of_order = false;
    EXPECT_EQ(worker.look_for_the_store(), 1) << "it does not wait for its hour";
    worker.handle_due();
    EXPECT_EQ(b.status(id), "done");
    EXPECT_EQ(b.live_files(), 1);
}

TEST(Inbox, a_person_retries_or_drops_what_was_set_aside) {
    InboxBench b;
    const std::string id = b.created("acme/photo.jpg", b.t(1)).id;
    b.clock.advance(20s);
    for (int i = 0; i < 5; ++i, b.clock.advance(20s)) b.worker.handle_due();
    ASSERT_EQ(b.status(id), "dead");
    b.put("acme/photo.jpg", kJpeg);

    b.engine.transact([&](Tx& tx) { inbox_request(tx, to_json(InboxRequest{id, "retry"})); });
    b.worker.handle_due();
    EXPECT_EQ(b.status(id), "done");
    EXPECT_THROW(b.engine.transact([&](Tx& tx) {
        inbox_request(tx, to_json(InboxRequest{id, "drop"}));
    }),
                 Error);

    const std::string other = b.created("acme/none.jpg", b.t(1)).id;
    b.engine.transact([&](Tx& tx) { inbox_request(tx, to_json(InboxRequest{other, "drop"})); });
    b.clock.advance(20s);
    EXPECT_EQ(b.worker.handle_due(), 0);
    EXPECT_EQ(b.status(other), "dropped");
    EXPECT_THROW(b.engine.transact([&](Tx& tx) {
        inbox_request(tx, to_json(InboxRequest{"msg_none", "drop"}));
    }),
                 Error);
}

TEST(Inbox, what_can_never_work_is_set_aside_at_once) {
    InboxBench b;
    b.put("acme/photo.jpg", kJpeg, "receipt");
    b.put("acme/notes.txt", "hello");

    const InboxMessage receipt = b.created("acme/photo.jpg", b.t(1));
    EXPECT_EQ(receipt.status, "dead");
    EXPECT_NE(receipt.reason.find("does not run WF1_RECEIPT"), std::string::npos);
    const InboxMessage notes = b.created("acme/notes.txt", b.t(1));
    EXPECT_EQ(notes.status, "dead") << "it says that it is a picture, and its bytes that it is not";
    EXPECT_EQ(notes.reason,
              "this is text/plain; workflow_type `image` takes PNG, JPEG, WebP and GIF files");
}

TEST(Inbox, a_message_that_ends_the_process_each_time_is_set_aside_in_the_end) {
    InboxBench b;
    b.put("acme/photo.jpg", kJpeg);
    std::vector<Notice> one{b.notice(NoticeKind::Created, "acme/photo.jpg", b.t(1))};
    const std::string id = b.inbox.receive({"acme", true}, one).front().id;
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(b.inbox.claim(10).size(), 1u);  // and the process dies
        b.clock.advance(2min);
    }

    b.worker.handle_due();

    EXPECT_EQ(b.status(id), "dead");
    EXPECT_EQ(b.count("unified_files"), 0);
}

TEST(Inbox, a_claim_keeps_others_away_until_it_ends_or_is_released) {
    InboxBench b;
    std::vector<Notice> one{b.notice(NoticeKind::Created, "acme/photo.jpg", b.t(1))};
    b.inbox.receive({"acme", true}, one);

    EXPECT_EQ(b.inbox.claim(10).size(), 1u);
    EXPECT_EQ(b.inbox.claim(10).size(), 0u);
    b.inbox.release_claims();
    EXPECT_EQ(b.inbox.claim(10).size(), 1u);
}

TEST(Inbox, a_sender_speaks_only_for_its_own_organization) {
    InboxBench b;
    b.put("other/photo.jpg", kJpeg);

    const InboxMessage m = b.told(b.notice(NoticeKind::Created, "other/photo.jpg", b.t(1)), false);

    EXPECT_EQ(m.status, "invalid");
    EXPECT_EQ(m.organization_id, "acme");
    EXPECT_NE(m.reason.find("belongs to organization `other`"), std::string::npos);
    EXPECT_EQ(b.count("unified_files"), 0);
    EXPECT_EQ(b.told(b.notice(NoticeKind::Created, "../x", b.t(1))).status, "invalid");
    // Nor does it learn whether there is such an object.
    const InboxMessage none =
        b.told(b.notice(NoticeKind::Created, "other/none.jpg", b.t(1)), false);
    EXPECT_EQ(none.status, "invalid");
    EXPECT_EQ(none.reason, m.reason);
}

// Spec 000: whoever puts the object says in its metadata whose it is and what it is called.
TEST(Inbox, an_objects_metadata_says_whose_it_is_and_what_it_is_called) {
    InboxBench b;
    b.put_of("uploads/4711", kJpeg, {{"organizationid", "acme"}, {"name", "Reef at noon.jpg"}});

    const InboxMessage m = b.created("uploads/4711", b.t(1));

    EXPECT_EQ(m.status, "done") << m.reason;
    EXPECT_EQ(m.organization_id, "acme") << "its organization does not see it";
    EXPECT_EQ(b.count("Upload WHERE organization_id = 'acme' AND name = 'Reef at noon.jpg'"), 1);
    EXPECT_EQ(b.count("unified_files WHERE organization_id = 'acme'"), 1);
}

TEST(Inbox, what_metadata_says_is_held_against_what_the_sender_may_do) {
    InboxBench b;
    b.put_of("uploads/mine", kJpeg, {{"organizationid", "acme"}});
    b.put_of("uploads/theirs", kJpeg + "2", {{"organizationid", "other"}});
    b.put_of("acme/theirs", kJpeg + "3", {{"organizationid", "other"}});
    const auto as_acme = [&](const std::string& key) {
        return b.told(b.notice(NoticeKind::Created, key, b.t(1)), false);
    };

    EXPECT_EQ(as_acme("uploads/mine").status, "done");
    EXPECT_EQ(as_acme("uploads/theirs").status, "invalid");
    EXPECT_EQ(as_acme("acme/theirs").status, "invalid");

    EXPECT_EQ(b.count("unified_files WHERE organization_id <> 'acme'"), 0);
    EXPECT_EQ(b.live_files(), 1);
    b.put_of("uploads/nobody", kJpeg + "4", {{"organizationid", "a/b"}});
    EXPECT_EQ(b.created("uploads/nobody", b.t(1)).status, "dead");
}

TEST(Inbox, metadata_written_anew_takes_nobodys_files_away) {
    InboxBench b;
    b.put("acme/photo.jpg", kJpeg);
    b.created("acme/photo.jpg", b.t(1));
    b.put_of("acme/photo.jpg", kJpeg, {{"organizationid", "other"}});

    const InboxMessage m = b.created("acme/photo.jpg", b.t(2));

    EXPECT_EQ(m.status, "ignored");
    EXPECT_NE(m.reason.find("another organization's"), std::string::npos) << m.reason;
    EXPECT_EQ(b.count("unified_files WHERE organization_id = 'other'"), 0);
    EXPECT_EQ(b.live_files(), 1);
    EXPECT_EQ(b.created("acme/photo.jpg", b.t(3)).status, "ignored");
}

TEST(Inbox, only_files_of_its_sender_go_with_an_object_under_a_key_of_another) {
    InboxBench b;
    b.put_of("uploads/mine", kJpeg, {{"organizationid", "acme"}});
    b.put("uploads/theirs", kJpeg + "2");
    b.created("uploads/mine", b.t(1));
    b.created("uploads/theirs", b.t(1));
    const auto gone = [&](const std::string& key) {
        return b.told(b.notice(NoticeKind::Deleted, key, b.t(2)), false).status;
    };

    EXPECT_EQ(gone("uploads/theirs"), "ignored");
    EXPECT_EQ(gone("uploads/unknown"), "ignored");
    EXPECT_EQ(b.live_files(), 2);
    EXPECT_EQ(gone("uploads/mine"), "done");
    EXPECT_EQ(b.live_files(), 1);
    // No mark was left that would keep the others out.
    EXPECT_EQ(b.created("uploads/theirs", b.t(2)).status, "done");
}

TEST(Inbox, a_key_that_cannot_be_read_says_so) {
    InboxBench b;
    const auto notices = read_notifications(
        R"({"Records": [{"eventName": "ObjectCreated:Put", "s3": {"object": {"key": "acme/100%.jpg"}}}]})");
    ASSERT_EQ(notices.size(), 1u);

    const InboxMessage m = b.told(notices.front());

    EXPECT_EQ(m.status, "waiting");
    EXPECT_NE(m.reason.find("cannot be read as S3 escapes it"), std::string::npos) << m.reason;
    // It is taken as it stands, for gateways that escape nothing.
    b.put("acme/100%.jpg", kJpeg);
    b.clock.advance(1h);
    b.worker.handle_due();
    EXPECT_EQ(b.status(m.id), "done");
}

TEST(Inbox, the_picture_of_a_documents_page_is_no_upload) {
    InboxBench b;
    b.put("acme/.pages/file_1/page-0001.png", kJpeg, "pdf_page");

    EXPECT_EQ(b.created("acme/.pages/file_1/page-0001.png", b.t(1)).status, "ignored");
    EXPECT_EQ(b.count("unified_files"), 0);
}

TEST(Inbox, all_that_were_set_aside_are_tried_again_at_once) {
    InboxBench b;
    std::vector<std::string> dead;
    for (const char* key : {"acme/a.jpg", "acme/b.jpg", "other/c.jpg"}) {
        b.put(key, std::string(key), "lost");  // a type that there is not
        dead.push_back(b.created(key, b.t(1)).id);
        ASSERT_EQ(b.status(dead.back()), "dead");
        b.put(key, kJpeg + key);
    }
    const auto retry_all = [&](const std::string& organization) {
        return b.engine.transact([&](Tx& tx) {
            return inbox_request(tx, to_json(InboxRequest{organization, std::string(kRetryAll)}));
        });
    };

    EXPECT_EQ(retry_all("acme"), "2");
    b.worker.handle_due();

    EXPECT_EQ(b.status(dead[0]), "done");
    EXPECT_EQ(b.status(dead[1]), "done");
    EXPECT_EQ(b.status(dead[2]), "dead");
    EXPECT_EQ(retry_all(""), "1");
}

TEST(Inbox, messages_are_listed_newest_first_and_swept_when_they_are_old) {
    InboxBench b;
    for (int i = 0; i < 3; ++i) {
        b.deleted(fmt::format("acme/{}.jpg", i), b.t(i));
        b.clock.advance(1s);
    }
    InboxFilter filter;
    filter.organization_id = "acme";
    filter.limit = 2;
    const InboxPage page = list_inbox(ask_engine(b.engine), filter);
    ASSERT_EQ(page.messages.size(), 2u);
    EXPECT_EQ(page.messages[0].object_key, "acme/2.jpg");
    filter.before = page.next;
    EXPECT_EQ(list_inbox(ask_engine(b.engine), filter).messages.size(), 1u);
    filter.organization_id = "other";
    EXPECT_TRUE(list_inbox(ask_engine(b.engine), filter).messages.empty());

    b.clock.advance(std::chrono::hours{24 * 8});
    b.inbox.sweep();
    EXPECT_EQ(b.count("object_inbox"), 0);
}

}  // namespace
}  // namespace belay::ingest

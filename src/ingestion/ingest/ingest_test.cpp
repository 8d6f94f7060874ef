// ingest_test.cpp — an object becomes one file and one run, however often it is told.
#include "ingestion/ingest/ingest.hpp"

#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/base/hash.hpp"
#include "ingestion/ingest/content_type.hpp"
#include "ingestion/ingest/files.hpp"
#include "ingestion/ingest/ids.hpp"
#include "ingestion/ingest/ingest_bench.hpp"
#include "ingestion/ingest/workflow_type.hpp"

namespace belay::ingest {
namespace {

TEST(Ingest, an_object_becomes_a_file_an_upload_and_a_run_with_ids_of_its_key_and_etag) {
    IngestBench b;

    const Ingested got = b.told(b.object("photo.jpg", "abc"));

    const std::string event = base::sha256_hex("acme/photo.jpg:" + got.etag);
    EXPECT_EQ(got.workflow_run_id, "imgcls_" + event);
    EXPECT_EQ(got.workflow_key, "IMAGE_CLASSIFICATION");
    EXPECT_EQ(got.status, "ingested");
    EXPECT_FALSE(got.duplicate);
    EXPECT_EQ(b.count("unified_files"), 1);
    const auto upload = b.engine.query("SELECT upload_event_id, r2_key, workflow_id FROM Upload");
    ASSERT_EQ(upload.size(), 1u);
    EXPECT_EQ(upload[0].get<std::string>(0), event);
    EXPECT_EQ(upload[0].get<std::string>(1), "acme/photo.jpg");
    EXPECT_EQ(upload[0].get<std::string>(2), got.workflow_run_id);
    EXPECT_EQ(b.inputs(), std::vector<std::string>{got.file_id});
}

TEST(Ingest, the_table_upload_has_the_columns_of_the_specification) {
    IngestBench b;
    b.upload("photo.jpg", "\xFF\xD8\xFF\xE0 a picture");

    const SqlRows rows = b.engine.query(
        "SELECT upload_event_id, organization_id, name, r2_key, r2_etag, r2_size, content_type, "
        "workflow_id, status, classification_model, classification_top_label, "
        "classification_top_score, classification_json, classification_error, created_at, "
        "updated_at, completed_at FROM Upload");

    ASSERT_EQ(rows.size(), 1u);
    for (const std::string status :
         {"ingested", "workflow_running", "classified", "classification_failed"})
        b.engine.transact([&](Tx& tx) { tx.exec("UPDATE Upload SET status = ?", status); });
    EXPECT_THROW(b.engine.transact([](Tx& tx) { tx.exec("UPDATE Upload SET status = 'done'"); }),
                 std::exception);
    EXPECT_THROW(b.engine.transact([](Tx& tx) {
        tx.exec(
            "INSERT INTO Upload SELECT upload_event_id || '2', organization_id, name, r2_key, "
            "r2_etag, r2_size, content_type, workflow_id, status, classification_model, "
            "classification_top_label, classification_top_score, classification_json, "
            "classification_error, created_at, updated_at, completed_at FROM Upload");
    }),
                 std::exception)
        << "a version of an object has one row";
}

TEST(Ingest, the_same_object_again_is_the_run_there_is) {
    IngestBench b;
    const Ingested first = b.told(b.object("photo.jpg", "abc"));

    const Ingested again = b.told(b.object("photo.jpg", "abc"));

    EXPECT_TRUE(again.duplicate);
    EXPECT_EQ(again.file_id, first.file_id);
    EXPECT_EQ(again.workflow_run_id, first.workflow_run_id);
    EXPECT_EQ(b.count("unified_files"), 1);
    EXPECT_EQ(b.count("Upload"), 1);
}

TEST(Ingest, the_same_content_under_another_name_has_a_file_of_its_own_and_shares_the_run) {
    IngestBench b;
    const Ingested first = b.told(b.object("photo.jpg", "abc"));

    const Ingested other = b.told(b.object("copy.jpg", "abc"));

    EXPECT_TRUE(other.duplicate);
    EXPECT_NE(other.file_id, first.file_id);
    EXPECT_EQ(other.workflow_run_id, first.workflow_run_id);
    EXPECT_EQ(b.count("Upload"), 2) << "each under its own name";
    EXPECT_EQ(list_uploads(b.engine, "acme", {}, 10).uploads.size(), 2u);
    EXPECT_TRUE(list_uploads(b.engine, "other", {}, 10).uploads.empty());
}

TEST(Ingest, a_file_that_was_deleted_after_a_wrong_choice_comes_again) {
    IngestBench b;
    const Ingested wrong = b.upload("photo.jpg", "abc");
    ObjectEvent receipt = b.object("photo.jpg", "abc");
    receipt.workflow_type = "receipt";
    receipt.object.etag = wrong.etag;
    const Ingested right = b.told(receipt);
    ASSERT_TRUE(b.uploads.remove("acme", wrong.file_id));

    const Ingested again = b.upload("photo.jpg", "abc");

    EXPECT_FALSE(again.duplicate);
    EXPECT_EQ(again.workflow_run_id, wrong.workflow_run_id + "_g2");
    EXPECT_EQ(b.told(receipt).file_id, right.file_id) << "the other type stays what it was";
    EXPECT_EQ(list_uploads(b.engine, "acme", {}, 10).uploads.size(), 2u);
}

TEST(Ingest,
     a_late_event_does_not_bring_back_a_file_that_was_deleted_while_others_of_its_key_stay) {
    IngestBench b;
    const Ingested wrong = b.upload("photo.jpg", "abc");
    ObjectEvent receipt = b.object("photo.jpg", "abc");
    receipt.workflow_type = "receipt";
    receipt.object.etag = wrong.etag;
    b.told(receipt);
    ObjectEvent late = b.object("photo.jpg", "abc");
    late.object.etag = late.told_etag = wrong.etag;
    late.at = b.clock.now();
    b.clock.advance(std::chrono::seconds{1});
    b.uploads.remove("acme", wrong.file_id);

    EXPECT_TRUE(std::holds_alternative<OutOfDate>(ingest_object(b.engine, late)));
    late.at = b.clock.now() + std::chrono::seconds{1};
    EXPECT_FALSE(b.told(late).duplicate) << "but a newer one does";
}

TEST(Ingest, a_copy_of_what_is_over_shows_it_at_once) {
    IngestBench b;
    std::vector<std::string> heard;
    b.upload("photo.jpg", "abc");
    b.upload("broken.jpg", "def");
    b.engine.transact([&](Tx& tx) {
        tx.exec(
            "UPDATE Upload SET status = 'classified', classification_top_label = 'reef', "
            "classification_top_score = 0.5, completed_at = ? WHERE name = 'photo.jpg'",
            tx.now());
        tx.exec(
            "UPDATE Upload SET status = 'classification_failed', classification_error = 'no model' "
            "WHERE name = 'broken.jpg'");
    });
    EventStream events = b.engine.watch();

    EXPECT_EQ(b.upload("copy.jpg", "abc").status, "classified");
    EXPECT_EQ(b.upload("broken copy.jpg", "def").status, "classification_failed");

    while (const auto event = events.next()) {
        if (event->type.starts_with("upload_") || event->type.starts_with("classification_"))
            heard.push_back(event->type);
    }
    const auto rows = list_uploads(b.engine, "acme", {}, 2).uploads;
    EXPECT_EQ(rows[0].error, "no model");
    EXPECT_EQ(rows[1].top_label, "reef");
    EXPECT_TRUE(rows[1].completed_at);
    EXPECT_EQ(heard, (std::vector<std::string>{"upload_ingested", "classification_updated",
                                               "upload_ingested", "classification_error"}));
}

TEST(Ingest, uploads_are_listed_by_name_kind_and_how_far_they_are) {
    IngestBench b;
    b.told(b.object("July_100%.jpg", "abc"));
    b.told(b.object("august.jpg", "def"));
    const auto names = [&](UploadFilter filter) {
        std::string all;
        for (const UploadRow& row : list_uploads(b.engine, "acme", {}, 10, filter).uploads)
            all += row.file.name + " ";
        return all;
    };

    EXPECT_EQ(names({.text = "JULY"}), "July_100%.jpg ");
    EXPECT_EQ(names({.text = "0%."}), "July_100%.jpg ");
    EXPECT_EQ(names({.text = "t_j"}), "");  // the sign, not any letter
    EXPECT_EQ(names({.workflow_type = "receipt"}), "");
    EXPECT_EQ(names({.state = "active"}), "august.jpg July_100%.jpg ");
    EXPECT_EQ(names({.state = "done"}), "");
}

TEST(Ingest, a_forced_one_runs_anew_in_a_new_generation) {
    IngestBench b;
    const Ingested first = b.told(b.object("photo.jpg", "abc"));
    ObjectEvent event = b.object("photo.jpg", "abc");
    event.force = true;

    const Ingested forced = b.told(event);

    EXPECT_FALSE(forced.duplicate);
    EXPECT_EQ(forced.workflow_run_id, first.workflow_run_id + "_g2");
    EXPECT_EQ(b.count("Upload"), 1);
    EXPECT_EQ(list_uploads(b.engine, "acme", {}, 10).uploads.size(), 1u);
}

TEST(Ingest, an_event_older_than_what_is_known_of_its_key_is_left_alone) {
    IngestBench b;
    ObjectEvent newer = b.object("photo.jpg", "new");
    newer.at = b.clock.now();
    b.told(newer);
    ObjectEvent older = b.object("photo.jpg", "old");
    older.at = b.clock.now() - std::chrono::seconds{1};

    const IngestOutcome outcome = ingest_object(b.engine, older);

    EXPECT_TRUE(std::holds_alternative<OutOfDate>(outcome));
    EXPECT_EQ(b.count("unified_files"), 1);
}

TEST(Ingest, a_type_that_is_not_there_or_does_not_take_the_content_is_told) {
    const auto message = [](std::string_view type, std::string_view content) {
        try {
            workflow_type_for(type, content);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(message("picture", "image/png"),
              "workflow_type is one of image, receipt, invoice, creditcard_invoice, not `picture`");
    EXPECT_EQ(message("image", "application/pdf"),
              "this is application/pdf; workflow_type `image` takes PNG, JPEG, WebP and GIF files");
    EXPECT_EQ(message("", "text/plain"),
              "this is text/plain; PDF, XML, PNG, JPEG, WebP and GIF files are taken");
    EXPECT_EQ(workflow_type_for("", "image/png").workflow_key, "WF1_RECEIPT");
    EXPECT_EQ(workflow_type_for("", "application/pdf").workflow_key, "WF2_PDF_SPLIT");
    EXPECT_EQ(workflow_type_for("", "application/xml").workflow_key, "WF2_PDF_SPLIT");
    EXPECT_EQ(
        message("receipt", "application/xml"),
        "this is application/xml; workflow_type `receipt` takes PDF, PNG, JPEG, WebP and GIF files");
    EXPECT_EQ(message("invoice", "text/plain"),
              "this is text/plain; workflow_type `invoice` takes PDF, XML (UBL, CII), PNG, JPEG, "
              "WebP and GIF files");
}

TEST(Ingest, the_first_bytes_say_more_than_the_sender_and_the_name) {
    EXPECT_EQ(content_type_of("\xFF\xD8\xFF\xE0", "application/pdf", "x.pdf"), "image/jpeg");
    EXPECT_EQ(content_type_of("RIFF\1\1\1\1WEBPVP8 ", "", "x"), "image/webp");
    EXPECT_EQ(content_type_of("PK\x03\x04 letter", "application/pdf", "x.pdf"), "application/zip");
    EXPECT_EQ(content_type_of("\xFF\xFE\x01", "Image/JPEG; q=1", "x.png"), "image/jpeg");
    EXPECT_EQ(content_type_of("\xFF\xFE\x01", "application/octet-stream", "X.PNG"), "image/png");
    EXPECT_EQ(content_type_of("", "", "notes"), "application/octet-stream");
}

TEST(Ingest, xml_is_xml_in_every_encoding_and_what_a_browser_draws_is_not) {
    using namespace std::string_view_literals;
    EXPECT_EQ(content_type_of("<?xml version='1.0'?><Invoice/>", "application/pdf", "x.pdf"),
              "application/xml");
    EXPECT_EQ(content_type_of("\xEF\xBB\xBF<?xml version='1.0'?><Invoice/>", "", "x"),
              "application/xml");
    EXPECT_EQ(content_type_of("\xFF\xFE<\0?\0x\0m\0l\0 \0"sv, "", "x"), "application/xml");
    EXPECT_EQ(content_type_of("<Invoice/>", "text/xml; charset=utf-8", "x"), "application/xml");
    EXPECT_EQ(content_type_of("<Invoice/>", "", "X.XML"), "application/xml");
    EXPECT_EQ(content_type_of("<?xml version='1.0'?><svg/>", "image/svg+xml", "x.svg"),
              "text/plain");
}

TEST(Ingest, a_text_is_a_text_whatever_it_is_called) {
    EXPECT_EQ(content_type_of("no picture, größer", "image/jpeg", "x.jpg"), "text/plain");
    EXPECT_EQ(content_type_of("no document\n", "", "fake.pdf"), "text/plain");
    EXPECT_EQ(content_type_of("hello", "application/octet-stream", "notes"), "text/plain");
    EXPECT_EQ(content_type_of("a,b\n", "text/csv", "rows.csv"), "text/csv");
    std::string cut(kSniffBytes - 1, 'a');
    EXPECT_EQ(content_type_of(cut + "\xC3", "", "long.pdf"), "text/plain");
}

TEST(Ingest, what_may_be_a_damaged_picture_or_pdf_is_what_it_is_called) {
    EXPECT_EQ(content_type_of("\xFF\xFF\xFF", "", "x.png"), "image/png");
    EXPECT_EQ(content_type_of(std::string_view("text and\0nothing", 16), "", "x.pdf"),
              "application/pdf");
    EXPECT_EQ(content_type_of("junk before it\n%PDF-1.4", "", "x.pdf"), "application/pdf");
    EXPECT_EQ(content_type_of("trailer<</Length 12", "", "x.pdf"), "application/pdf");
    EXPECT_EQ(content_type_of("  1 0 obj << >>", "application/pdf", "x"), "application/pdf");
}

TEST(Ingest, every_upload_has_its_event_id_whatever_its_workflow_is) {
    IngestBench b;
    ObjectEvent receipt = b.object("receipt.jpg", "abc");
    receipt.workflow_type = "receipt";
    const Ingested first = b.told(receipt);
    receipt.force = true;
    const auto event = [&] {
        return list_uploads(b.engine, "acme", {}, 10).uploads.front().upload_event_id;
    };

    EXPECT_EQ(event(), upload_event_id("acme/receipt.jpg", first.etag));
    const Ingested forced = b.told(receipt);
    EXPECT_EQ(forced.workflow_run_id, "wf1_" + event());
    EXPECT_EQ(event(), upload_event_id("acme/receipt.jpg", first.etag, 2));
    ObjectEvent copy = b.object("copy.jpg", "abc");
    copy.workflow_type = "receipt";
    b.told(copy);
    EXPECT_EQ(event(), upload_event_id("acme/copy.jpg", first.etag));
}

}  // namespace
}  // namespace belay::ingest

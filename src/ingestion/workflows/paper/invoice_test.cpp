// invoice_test.cpp — WF2_PDF_SPLIT: pages, their chord, and an invoice from them.
#include "ingestion/workflows/paper/invoice.hpp"

#include <gtest/gtest.h>

#include "ingestion/ingest/files.hpp"
#include "ingestion/workflows/paper/document_flow.hpp"
#include "ingestion/workflows/paper/page_retry.hpp"
#include "ingestion/workflows/paper/pages.hpp"
#include "ingestion/workflows/paper/paper_bench.hpp"

namespace belay::workflows {
namespace {

namespace json = boost::json;
using samples::Language;

TEST(Invoice, three_pages_are_rows_and_stages_and_become_one_invoice) {
    PaperBench b;
    const auto sample = samples::make_invoice(5, Language::Swedish, 75);

    const auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");
    const json::value result = b.result(file);

    EXPECT_EQ(file.workflow_key, "WF2_PDF_SPLIT");
    const std::string story = b.story(file.workflow_run_id);
    for (const char* stage : {"prepare_pages", "ocr_page_1", "ocr_page_2", "ocr_page_3",
                              "merge_ocr", "invoice_analysis", "finalize"})
        EXPECT_NE(story.find(std::string(stage) + " succeeded"), std::string::npos) << story;
    EXPECT_EQ(result.at("invoice_number").as_string(), *sample.truth.invoice_number);
    EXPECT_EQ(result.at("grand_total").as_string(), *sample.truth.grand_total);
    EXPECT_EQ(result.at("seller_name").as_string(), *sample.truth.seller_name);
    EXPECT_EQ(result.at("lines").as_array().size(), sample.truth.lines.size());

    EXPECT_EQ(b.count("unified_files WHERE file_type = 'pdf_page' AND original_file_id = '" +
                      file.file_id + "'"),
              3);
    EXPECT_EQ(b.count("unified_files WHERE file_type = 'pdf_page' AND ai_status = 'ocr_done'"), 3);
    EXPECT_EQ(b.count("invoice_lines WHERE invoice_id = '" + file.file_id + "'"),
              static_cast<int>(sample.truth.lines.size()));
    EXPECT_EQ(b.count("invoice_documents WHERE invoice_type = 'supplier'"), 1);
    EXPECT_EQ(b.file_text(file.file_id, "gross_amount"), *sample.truth.grand_total);
    EXPECT_EQ(b.file_text(file.file_id, "file_type"), "invoice");
    const auto other = json::parse(b.file_text(file.file_id, "other_data"));
    EXPECT_EQ(other.at("page_count").as_int64(), 3);
    EXPECT_NE(std::string(other.at("combined_ocr_text").as_string()).find("--- PAGE BREAK ---"),
              std::string::npos);
}

TEST(Invoice, a_text_layer_is_taken_over_and_nothing_is_read_by_ocr) {
    PaperBench b;
    b.reader.text_layers = true;
    const auto sample = samples::make_invoice(6, Language::English, 30);

    const auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");

    EXPECT_EQ(b.result(file).at("invoice_number").as_string(), *sample.truth.invoice_number);
    EXPECT_TRUE(b.reader.reads.empty());
    EXPECT_NE(b.story(file.workflow_run_id).find("ocr_page_1 succeeded"), std::string::npos);
}

// Defect 2: any failed page stopped the flow without a final status.
TEST(Invoice, a_page_that_stays_unreadable_is_left_out_and_named) {
    PaperBench b;
    b.reader.before_page = [](int page) {
        if (page == 2) throw NonRetryable("page 2 is broken (broken)");
    };
    const auto sample = samples::make_invoice(5, Language::Swedish, 75);

    const auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");
    const json::value result = b.result(file);

    const std::string story = b.story(file.workflow_run_id);
    EXPECT_NE(story.find("ocr_page_2 failed"), std::string::npos) << story;
    EXPECT_NE(story.find("merge_ocr succeeded"), std::string::npos) << story;
    EXPECT_EQ(result.at("invoice_number").as_string(), *sample.truth.invoice_number);
    const std::string why(result.at("review").at(0).as_string());
    EXPECT_TRUE(why.starts_with("page 2 could not be read: ")) << why;
    EXPECT_TRUE(why.ends_with("page 2 is broken (broken)")) << why;
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "manual_review");
    EXPECT_EQ(b.file_text(page_file_id(file.file_id, 2), "ai_status"), "ocr_failed");
    EXPECT_EQ(b.file_text(page_file_id(file.file_id, 1), "ai_status"), "ocr_done");
}

// Spec 002: a page is a file of its own.
TEST(Invoice, each_page_has_its_picture_as_bytes_of_its_own_and_it_goes_with_the_document) {
    for (const bool text_layers : {false, true}) {
        PaperBench b;
        b.reader.text_layers = text_layers;
        const auto sample = samples::make_invoice(5, Language::Swedish, 75);
        const auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");
        b.result(file);

        const std::string page = page_file_id(file.file_id, 2);
        const auto row = ingest::find_file(b.engine, "acme", page);

        ASSERT_TRUE(row);
        EXPECT_EQ(row->file_type, "pdf_page");
        EXPECT_EQ(row->content_type, "image/png");
        EXPECT_EQ(row->size, 9);
        EXPECT_EQ(row->name, "document.pdf-page-0002.png");
        EXPECT_EQ(b.store.get(objects::Key{row->key}, 100), "a picture");
        b.uploads.remove("acme", file.file_id);
        EXPECT_FALSE(b.store.head(objects::Key{row->key}));
        EXPECT_FALSE(ingest::find_file(b.engine, "acme", page));
    }
}

TEST(Invoice, pictures_of_pages_are_not_kept_if_a_setting_says_so) {
    PaperOptions options;
    options.keep_pages = false;
    PaperBench b{options};
    const auto sample = samples::make_invoice(5, Language::Swedish, 75);
    const auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");
    b.result(file);

    EXPECT_EQ(b.count("unified_files WHERE file_type = 'pdf_page' AND original_file_size = 0 AND "
                      "object_key LIKE '%#page=%'"),
              3);
}

TEST(Invoice, a_succeeded_run_is_made_again_for_the_page_that_it_went_without) {
    PaperBench b;
    bool broken = true;
    b.reader.before_page = [&](int page) {
        if (page == 2 && broken) throw NonRetryable("page 2 is broken (broken)");
    };
    const auto sample = samples::make_invoice(5, Language::Swedish, 75);
    auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");
    const auto less = b.result(file).at("lines").as_array().size();
    const auto retry = [&](const std::string& organization, int page) {
        return b.engine.transact(
            [&](Tx& tx) { return retry_page(tx, organization, file.file_id, page); });
    };
    EXPECT_FALSE(retry("other", 2));
    EXPECT_FALSE(retry("acme", 9));
    EXPECT_THROW(retry("acme", 1), Error) << "that page was read";

    broken = false;
    const auto run = retry("acme", 2);

    ASSERT_TRUE(run);
    file.workflow_run_id = *run;
    const json::value result = b.result(file);
    EXPECT_LT(less, sample.truth.lines.size());
    EXPECT_EQ(result.at("lines").as_array().size(), sample.truth.lines.size());
    EXPECT_EQ(b.reader.reads[1], 1) << "a page was read that had been";
    EXPECT_EQ(b.reader.reads[2], 2);
    EXPECT_EQ(b.reader.reads[3], 1);
    EXPECT_EQ(b.file_text(file.file_id, "workflow_run_id"), *run);
    EXPECT_EQ(b.file_text(page_file_id(file.file_id, 2), "ai_status"), "ocr_done");
    EXPECT_EQ(b.count("unified_files WHERE ai_status = 'ocr_failed'"), 0);
    EXPECT_EQ(b.count("invoice_lines"), static_cast<int>(sample.truth.lines.size()));
    EXPECT_THROW(retry("acme", 2), Error);
}

TEST(Invoice, of_two_pages_that_failed_only_the_one_that_was_named_is_read_again) {
    PaperBench b;
    b.reader.before_page = [&](int page) {
        if (page > 1) throw NonRetryable("it is broken (broken)");
    };
    const auto sample = samples::make_invoice(5, Language::Swedish, 75);
    auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");
    b.result(file);
    b.reader.before_page = nullptr;

    file.workflow_run_id =
        b.engine.transact([&](Tx& tx) { return retry_page(tx, "acme", file.file_id, 3); }).value();
    const json::value result = b.result(file);

    EXPECT_EQ(b.reader.reads[2], 1);
    EXPECT_EQ(b.reader.reads[3], 2);
    EXPECT_EQ(b.file_text(page_file_id(file.file_id, 2), "ai_status"), "ocr_failed");
    const std::string why(result.at("review").at(0).as_string());
    EXPECT_TRUE(why.starts_with("page 2 could not be read: ")) << why;
}

TEST(Invoice, one_that_looks_like_a_card_statement_or_a_receipt_says_so) {
    PaperBench b;
    const auto statement = samples::make_statement(3, Language::Swedish, 20);
    const auto card = b.upload("a statement", samples::pages_of(statement.sheets), "invoice");
    const auto receipt = samples::make_receipt(2, Language::Swedish);
    const auto strip = b.upload("a receipt", samples::pages_of(receipt.sheets), "invoice");
    const auto said = [&](const ingest::Ingested& file) {
        try {
            return json::serialize(b.result(file).at("review"));
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };

    EXPECT_NE(said(card).find("read it as creditcard_invoice"), std::string::npos) << said(card);
    EXPECT_NE(said(strip).find("read it as receipt"), std::string::npos) << said(strip);
    const auto invoice = samples::make_invoice(5, Language::Swedish, 20);
    const auto real = b.upload("an invoice", samples::pages_of(invoice.sheets), "invoice");
    EXPECT_EQ(said(real).find(kLooksLike), std::string::npos) << said(real);
}

TEST(Invoice, without_any_readable_page_the_run_fails_with_every_reason) {
    PaperBench b;
    b.reader.before_page = [](int page) {
        throw NonRetryable("page " + std::to_string(page) + " is broken (broken)");
    };
    const auto sample = samples::make_invoice(5, Language::Swedish, 40);

    const auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");

    const std::string why = b.failure(file.workflow_run_id);
    EXPECT_NE(why.find("is broken"), std::string::npos) << why;
    const std::string story = b.story(file.workflow_run_id);
    EXPECT_NE(story.find("merge_ocr skipped, invoice_analysis skipped, finalize succeeded"),
              std::string::npos)
        << story;
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "failed");
}

TEST(Invoice, a_broken_pdf_skips_what_comes_after) {
    PaperBench b;
    const auto file = b.upload("noise", {}, "invoice");

    EXPECT_NE(b.failure(file.workflow_run_id).find("broken"), std::string::npos);
    EXPECT_EQ(
        b.story(file.workflow_run_id),
        "prepare_pages failed, ocr_page skipped, merge_ocr skipped, invoice_analysis skipped, "
        "finalize succeeded");
}

// Defects 3 and 5: success was reported with nothing found.
TEST(Invoice, a_document_without_anything_of_an_invoice_is_a_failure) {
    PaperBench b;
    const auto page = samples::typed_page("hello world\nthis is a poem about nothing at all\n");
    const auto file = b.upload("a poem", {page}, "invoice");

    EXPECT_NE(b.failure(file.workflow_run_id).find("not_an_invoice"), std::string::npos);
    EXPECT_EQ(b.count("invoice_lines"), 0);
}

TEST(Invoice, a_retry_reads_the_pages_that_failed_and_no_other) {
    PaperBench b;
    bool broken = true;
    b.reader.before_page = [&](int) {
        if (broken) throw NonRetryable("no helper");
    };
    const auto sample = samples::make_invoice(5, Language::Swedish, 75);
    const auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");
    EXPECT_NE(b.failure(file.workflow_run_id), "it succeeded");

    broken = false;
    b.engine.retry(file.workflow_run_id);

    EXPECT_EQ(b.result(file).at("invoice_number").as_string(), *sample.truth.invoice_number);
    EXPECT_EQ(b.reader.pdfs_read, 1);
    EXPECT_EQ(b.reader.reads[2], 2);
    EXPECT_NE(b.file_text(file.file_id, "ai_status"), "failed");
}

TEST(Invoice, deleting_the_document_deletes_its_pages) {
    PaperBench b;
    const auto sample = samples::make_invoice(5, Language::Swedish, 40);
    const auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");
    b.result(file);

    EXPECT_TRUE(b.uploads.remove("acme", file.file_id));

    EXPECT_EQ(b.count("unified_files WHERE deleted_at IS NULL"), 0);
    EXPECT_FALSE(b.store.head(objects::Key{file.key}));
}

TEST(Invoice, a_page_that_was_read_unsurely_is_read_by_the_second_reader_and_no_other) {
    PaperBench b;
    const auto sample = samples::make_invoice(5, Language::Swedish, 75);
    auto pages = samples::pages_of(sample.sheets);
    ASSERT_EQ(pages.size(), 3u);
    for (auto& page : pages) page.source = media::PageSource::Ocr;
    b.reader.seconds["an invoice"] = pages;
    pages[1].confidence = 0.6;

    const auto file = b.upload("an invoice", pages, "invoice");
    const json::value result = b.result(file);

    EXPECT_EQ(b.reader.second_reads, 1);
    EXPECT_EQ(result.at("grand_total").as_string(), *sample.truth.grand_total);
}

media::EInvoice said_by_xml() {
    media::EInvoice said;
    said.syntax = "UBL";
    said.profile = "urn:cen.eu:en16931:2017";
    said.number = "R-7";
    said.issue_date = "2024-03-12";
    said.currency = "EUR";
    said.seller.name = "Eisen AG";
    said.net_total = "100.00";
    said.tax_total = "19.00";
    said.grand_total = "119.00";
    said.due_amount = "119.00";
    said.lines = {{"1", "Nails", "2", "C62", "50", "", "", {}, {}, "100.00", "19"}};
    return said;
}

TEST(Invoice, a_file_of_xml_is_the_invoice_and_no_page_is_read) {
    PaperBench b;
    b.reader.einvoices["<Invoice/>"] = {{said_by_xml()}, "", ""};

    const auto file = b.upload("<Invoice/>", {}, "invoice");
    const json::value result = b.result(file);

    EXPECT_EQ(result.at("invoice_number").as_string(), "R-7");
    EXPECT_EQ(result.at("grand_total").as_string(), "119.00");
    EXPECT_EQ(result.at("lines").at(0).at("line_total").as_string(), "100.00");
    EXPECT_TRUE(result.at("review").as_array().empty());
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "completed");
    EXPECT_EQ(b.file_text(file.file_id, "mime_type"), "application/xml");
    EXPECT_TRUE(b.reader.reads.empty());
    EXPECT_EQ(b.reader.pdfs_read, 0);
    EXPECT_NE(b.file_text(file.file_id, "ocr_raw").find("Eisen AG"), std::string::npos)
        << "it is found by its words";
    EXPECT_EQ(b.count("ai_processing_history WHERE provider = 'xml'"), 1);
}

TEST(Invoice, xml_that_is_no_invoice_fails_with_the_reason) {
    PaperBench b;
    const auto file = b.upload("<urlset/>", {}, "invoice");

    EXPECT_NE(b.failure(file.workflow_run_id).find("unsupported"), std::string::npos);
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "failed");
}

TEST(Invoice, the_xml_in_a_pdf_is_the_invoice_and_another_total_on_the_page_is_a_review) {
    PaperBench b;
    b.reader.text_layers = true;
    const auto sample = samples::make_invoice(6, Language::English, 3);
    b.reader.einvoices["a pdf"] = {{said_by_xml()}, "factur-x.xml", ""};

    const auto file = b.upload("a pdf", samples::pages_of(sample.sheets), "invoice");
    const json::value result = b.result(file);

    EXPECT_EQ(result.at("invoice_number").as_string(), "R-7");
    EXPECT_EQ(result.at("grand_total").as_string(), "119.00");
    std::string reasons;
    for (const auto& reason : result.at("review").as_array())
        reasons += std::string(reason.as_string()) + "; ";
    EXPECT_NE(reasons.find("grand_total_differs: 119.00 in the XML, " + *sample.truth.grand_total),
              std::string::npos)
        << reasons;
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "manual_review");
}

TEST(Invoice, the_xml_in_a_pdf_is_enough_where_no_page_can_be_read) {
    PaperBench b;
    b.reader.before_page = [](int) { throw NonRetryable("broken (broken)"); };
    b.reader.einvoices["a pdf"] = {{said_by_xml()}, "factur-x.xml", ""};

    const auto file =
        b.upload("a pdf", samples::pages_of(samples::make_invoice(6, Language::English, 3).sheets),
                 "invoice");

    EXPECT_EQ(b.result(file).at("grand_total").as_string(), "119.00");
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "manual_review");
}

TEST(Invoice, xml_in_a_pdf_that_cannot_be_read_is_told_and_the_pages_are_the_invoice) {
    PaperBench b;
    const auto sample = samples::make_invoice(6, Language::English, 3);
    b.reader.einvoices["a pdf"] = {{}, "factur-x.xml", "the XML is broken in line 3"};

    const auto file = b.upload("a pdf", samples::pages_of(sample.sheets), "invoice");
    const json::value result = b.result(file);

    EXPECT_EQ(result.at("grand_total").as_string(), *sample.truth.grand_total);
    EXPECT_EQ(result.at("review").at(0).as_string(),
              "einvoice_unreadable: factur-x.xml the XML is broken in line 3");
}

}  // namespace
}  // namespace belay::workflows

// receipt_test.cpp — WF1_RECEIPT: its stages, its rows, and what becomes of a receipt that goes wrong.
#include "ingestion/workflows/paper/receipt.hpp"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "ingestion/ai/rules/typed_page.hpp"
#include "ingestion/workflows/paper/paper_bench.hpp"
#include "ingestion/workflows/paper/receipt_rows.hpp"
#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {
namespace {

namespace json = boost::json;
using samples::Language;

constexpr std::string_view kAllWell =
    "ocr succeeded, ai_pipeline succeeded, ai1_document_type succeeded, ai2_expense_type "
    "succeeded, "
    "ai3_extraction succeeded, ai4_accounting succeeded, finalize succeeded";

TEST(Receipt, each_stage_has_its_record_and_the_result_is_what_is_printed) {
    PaperBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);

    const auto file = b.upload("a receipt", samples::pages_of(sample.sheets), "receipt");
    const json::value result = b.result(file);

    EXPECT_EQ(file.workflow_key, "WF1_RECEIPT");
    EXPECT_TRUE(file.workflow_run_id.starts_with("wf1_"));
    EXPECT_EQ(b.story(file.workflow_run_id), kAllWell);
    EXPECT_EQ(result.at("merchant").as_string(), *sample.truth.merchant);
    EXPECT_EQ(result.at("total").as_string(), *sample.truth.total);
    EXPECT_EQ(result.at("date").as_string(), *sample.truth.date);
    EXPECT_EQ(result.at("currency").as_string(), "SEK");
    EXPECT_EQ(result.at("items").as_array().size(), sample.truth.items.size());
    for (const char* field : {"orgnr", "address", "vat", "payment_type", "expense_type", "review"})
        EXPECT_TRUE(result.as_object().contains(field)) << field;
}

TEST(Receipt, its_rows_say_the_same) {
    PaperBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);

    const auto file = b.upload("a receipt", samples::pages_of(sample.sheets), "receipt");
    const json::value result = b.result(file);

    const std::string& id = file.file_id;
    EXPECT_EQ(b.file_text(id, "gross_amount"), *sample.truth.total);
    EXPECT_EQ(b.file_text(id, "gross_amount_sek"), *sample.truth.total);
    EXPECT_EQ(b.file_text(id, "purchase_datetime").substr(0, 10), *sample.truth.date);
    EXPECT_EQ(b.file_text(id, "currency"), "SEK");
    EXPECT_EQ(b.file_text(id, "file_type"), "receipt");
    EXPECT_EQ(b.file_text(id, "expense_type"), "personal");
    EXPECT_FALSE(b.file_text(id, "ocr_raw").empty());
    EXPECT_EQ(b.count("receipt_items WHERE main_id = '" + id + "'"),
              static_cast<int>(sample.truth.items.size()));
    EXPECT_EQ(b.value<std::string>("SELECT name FROM companies"), *sample.truth.merchant);
    EXPECT_EQ(b.count("companies c JOIN unified_files f ON f.company_id = c.id"), 1);
    EXPECT_EQ(b.count("ai_processing_history WHERE status = 'success'"), 5);
    EXPECT_EQ(b.count("document_findings WHERE kind = 'receipt'"), 1);
    const bool well = result.at("review").as_array().empty();
    EXPECT_EQ(b.file_text(id, "ai_status"), well ? "completed" : "manual_review");
}

TEST(Receipt, its_entries_balance) {
    PaperBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);
    const auto file = b.upload("a receipt", samples::pages_of(sample.sheets), "receipt");
    b.result(file);

    ai::rules::Decimal debits{0, 2}, credits{0, 2};
    for (const SqlRow row : b.engine.query("SELECT debit, credit FROM ai_accounting_proposals")) {
        debits = debits + *ai::rules::Decimal::parse(row.get<std::string>(0));
        credits = credits + *ai::rules::Decimal::parse(row.get<std::string>(1));
    }
    EXPECT_EQ(debits, credits);
    EXPECT_EQ(ai::rules::money_text(credits), *sample.truth.total);
}

// Defect 11.
TEST(Receipt, entries_that_do_not_balance_are_not_written) {
    PaperBench b;
    Answer<ai::rules::AccountingProposal> proposal;
    proposal.file_id = "file";
    proposal.value.entries = {{"5790", {10000, 2}, {0, 2}, std::nullopt, ""},
                              {"2440", {0, 2}, {9900, 2}, std::nullopt, ""}};

    EXPECT_THROW(b.engine.transact([&](Tx& tx) { save_accounting(tx, proposal); }), Error);
    EXPECT_EQ(b.count("ai_accounting_proposals"), 0);
}

// Defect 1: it left 52 rows in receipt_items.
TEST(Receipt, a_card_statement_does_not_go_through_the_receipt_stages) {
    PaperBench b;
    const auto statement = samples::make_statement(3, Language::Swedish, 20);

    const auto file = b.upload("a statement", samples::pages_of(statement.sheets), "receipt");
    const json::value result = b.result(file);

    EXPECT_EQ(b.count("receipt_items"), 0);
    EXPECT_EQ(b.count("ai_accounting_proposals"), 0);
    EXPECT_EQ(b.story(file.workflow_run_id),
              "ocr succeeded, ai_pipeline succeeded, ai1_document_type succeeded, ai2_expense_type "
              "skipped, ai3_extraction skipped, ai4_accounting skipped, finalize succeeded");
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "manual_review");
    EXPECT_TRUE(result.at("total").is_null());
    ASSERT_EQ(result.at("review").as_array().size(), 1u);
    EXPECT_EQ(result.at("review").at(0).as_string(),
              "this looks like a card statement: read it as creditcard_invoice");
}

TEST(Receipt, a_pdf_is_a_receipt_as_well_with_all_its_pages) {
    for (const bool text_layer : {false, true}) {
        PaperBench b;
        const auto sample = samples::make_receipt(2, Language::Swedish);
        auto pages = samples::pages_of(sample.sheets);
        for (auto& page : pages)
            page.source = text_layer ? media::PageSource::TextLayer : media::PageSource::Ocr;
        pages.push_back(samples::typed_page("KUNDENS EXEMPLAR\nSPARA KVITTOT\n"));
        pages.back().number = 2;
        b.reader.documents["a pdf"] = pages;
        const auto writer = b.store.begin(1 << 20);
        writer->write("a pdf");
        const auto file =
            b.uploads.finish(*writer, {"acme", "receipt.pdf", "application/pdf", "receipt", false});

        const json::value result = b.result(file);

        EXPECT_EQ(file.workflow_key, "WF1_RECEIPT");
        EXPECT_EQ(result.at("total").as_string(), *sample.truth.total);
        EXPECT_EQ(result.at("merchant").as_string(), *sample.truth.merchant);
        EXPECT_EQ(b.count("page_readings WHERE reading = 1"), 2);
        EXPECT_NE(b.file_text(file.file_id, "ocr_raw").find("SPARA KVITTOT"), std::string::npos);
        EXPECT_EQ(b.reader.reads[1], 1) << "a PDF's page needs no second look";
    }
}

TEST(Receipt, a_pdf_of_many_pages_is_no_receipt_and_says_what_to_do) {
    PaperBench b;
    b.reader.documents["a book"] = std::vector<media::Page>(11, samples::typed_page("Chapter\n"));
    const auto writer = b.store.begin(1 << 20);
    writer->write("a book");
    const auto file =
        b.uploads.finish(*writer, {"acme", "book.pdf", "application/pdf", "receipt", false});

    EXPECT_NE(b.failure(file.workflow_run_id).find("read it as invoice (too_many_pages)"),
              std::string::npos);
}

// Defect 1, by the run instead of by the content.
TEST(Receipt, a_file_of_another_workflow_is_stopped_by_the_guard) {
    PaperBench b;
    const auto statement = samples::make_statement(3, Language::Swedish, 20);
    const auto file =
        b.upload("a statement", samples::pages_of(statement.sheets), "creditcard_invoice");
    b.result(file);

    const FileInput input{file.file_id};
    const auto run =
        b.engine.submit("WF1_RECEIPT", input, {.id = "wrong", .organization_id = "acme"});

    EXPECT_NE(b.failure("wrong").find("Workflow/task mismatch"), std::string::npos);
    EXPECT_EQ(b.story("wrong"),
              "ocr failed, guard skipped, ai_pipeline skipped, finalize succeeded");
    const std::string why = b.stages("wrong")[1].message;
    EXPECT_NE(why.find("WF1_"), std::string::npos);
    EXPECT_NE(why.find("WF3_FIRSTCARD_INVOICE"), std::string::npos);
    EXPECT_EQ(b.count("receipt_items"), 0);
    EXPECT_NE(b.file_text(file.file_id, "ai_status"), "failed");  // the statement's own run stands
}

// Defects 2 and 12: a run always ends with a final status.
TEST(Receipt, what_cannot_be_read_ends_as_failed_and_says_why) {
    PaperBench b;
    const auto file = b.upload("noise", {}, "receipt");

    EXPECT_NE(b.failure(file.workflow_run_id).find("not a document (broken)"), std::string::npos);
    EXPECT_EQ(b.story(file.workflow_run_id), "ocr failed, ai_pipeline skipped, finalize succeeded");
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "failed");
    EXPECT_NE(b.file_text(file.file_id, "error_message").find("broken"), std::string::npos);
    EXPECT_EQ(b.count("ai_processing_history WHERE status = 'error' AND job_type = 'ocr'"), 1);
}

TEST(Receipt, a_picture_without_text_is_a_failure) {
    PaperBench b;
    const auto file = b.upload("blank", {media::Page{}}, "receipt");

    EXPECT_NE(b.failure(file.workflow_run_id).find("no text"), std::string::npos);
}

// Defect 6: it ran the whole workflow again.
TEST(Receipt, a_retry_goes_on_at_the_stage_that_failed) {
    PaperBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);
    const auto file = b.upload("a receipt", {}, "receipt");
    EXPECT_NE(b.failure(file.workflow_run_id), "it succeeded");

    b.reader.documents["a receipt"] = samples::pages_of(sample.sheets);
    b.engine.retry(file.workflow_run_id);

    EXPECT_EQ(b.result(file).at("total").as_string(), *sample.truth.total);
    EXPECT_EQ(b.story(file.workflow_run_id), kAllWell);
    EXPECT_NE(b.file_text(file.file_id, "ai_status"), "failed");
}

TEST(Receipt, the_same_picture_under_another_name_shares_its_run) {
    PaperBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);
    const auto pages = samples::pages_of(sample.sheets);
    const auto first = b.upload("a receipt", pages, "receipt", "one");
    b.result(first);

    const auto second = b.upload("a receipt", pages, "receipt", "two");

    EXPECT_TRUE(second.duplicate);
    EXPECT_EQ(second.workflow_run_id, first.workflow_run_id);
    EXPECT_EQ(b.count("document_findings"), 1);
    EXPECT_EQ(b.reader.reads[1], 2);  // both readings of the first, none of the second
}

TEST(Receipt, one_in_a_foreign_currency_says_so_and_is_completed_as_it_was_read) {
    PaperBench b;
    const auto page = ai::rules::typed_page(
        "KEDAI KOPI SDN BHD\n"
        "TAX INVOICE\n"
        "25/12/2028 08:13:39\n"
        "RECEIPT\n"
        "Coffee           13.10\n"
        "TOTAL RM         13.10\n"
        "CASH             13.10\n");

    const auto file = b.upload("a receipt", {page}, "receipt");
    const json::value result = b.result(file);

    EXPECT_EQ(result.at("currency").as_string(), "MYR");
    EXPECT_EQ(result.at("total").as_string(), "13.10");
    EXPECT_EQ(result.at("date").as_string(), "2028-12-25");
    EXPECT_EQ(json::serialize(result.at("review")), R"(["foreign_currency"])");
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "completed");
}

TEST(Receipt, no_row_has_a_whole_card_number) {
    PaperBench b;
    const auto page = ai::rules::typed_page(
        "KAFFEBUTIKEN AB\n"
        "Org.nr 556677-8899\n"
        "2024-12-03 12:30\n"
        "KVITTO\n"
        "Kaffe            45,00\n"
        "TOTALT SEK       45,00\n"
        "KORTKOP VISA ************1111\n");
    const auto file = b.upload("a receipt", {page}, "receipt");
    b.result(file);

    EXPECT_EQ(b.file_text(file.file_id, "credit_card_last_4_digits"), "1111");
    EXPECT_EQ(b.file_text(file.file_id, "credit_card_number").find_first_of("0123456789"), 12u);
}

// A receipt as two readers see it: the first misreads digits of its total.
media::Page seen_by(media::ReadBy reader, std::string_view total) {
    media::Page page = ai::rules::typed_page(
        "ABC HO TRADING SDN BHD\nNo.2, Jalan Harmoni, Johor Bahru\nDate 09/01/2019\n"
        "Plastic bags          2       15.50\nCash Bill\nTotal Amount:            " +
        std::string(total) + "\nThank you, please come again\n");
    for (media::Word& word : page.words) {
        word.by = reader;
        word.confidence = 0.9;
    }
    page.source = media::PageSource::Ocr;
    return page;
}

TEST(Receipt, a_second_reader_is_believed_about_digits_and_both_are_named) {
    PaperBench b;
    b.reader.seconds["a receipt"] = {seen_by(media::ReadBy::PpOcr, "31.00")};

    const auto file =
        b.upload("a receipt", {seen_by(media::ReadBy::Tesseract, "3l.OO")}, "receipt");
    const json::value result = b.result(file);

    EXPECT_EQ(result.at("total").as_string(), "31.00");
    EXPECT_EQ(b.count("ai_processing_history WHERE provider = 'tesseract+pp-ocr'"), 1);
    EXPECT_EQ(b.count("page_readings WHERE reading = 1 AND page LIKE '%3l.OO%'"), 1);
    EXPECT_EQ(b.reader.second_reads, 1);
}

TEST(Receipt, a_total_that_two_readers_see_differently_and_no_sum_settles_is_for_a_person) {
    PaperBench b;
    b.reader.seconds["a receipt"] = {seen_by(media::ReadBy::PpOcr, "31.00")};

    const auto file =
        b.upload("a receipt", {seen_by(media::ReadBy::Tesseract, "81.00")}, "receipt");
    const json::value result = b.result(file);

    bool asked = false;
    for (const json::value& reason : result.at("review").as_array()) {
        const std::string text(reason.as_string());
        asked |= text.starts_with("total_") &&
                 (result.at("total").is_null() || (text.find("31.00") != std::string::npos &&
                                                   text.find("81.00") != std::string::npos));
    }
    EXPECT_TRUE(asked) << json::serialize(result);
}

TEST(Receipt, without_a_second_reader_the_first_one_looks_again) {
    PaperBench b;

    const auto file =
        b.upload("a receipt", {seen_by(media::ReadBy::Tesseract, "31.00")}, "receipt");
    b.result(file);

    EXPECT_EQ(b.count("ai_processing_history WHERE provider = 'tesseract'"), 1);
    EXPECT_EQ(b.count("page_readings WHERE reading = 2"), 1);
}

}  // namespace
}  // namespace belay::workflows

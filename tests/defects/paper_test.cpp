// paper_test.cpp — the defects of ../shared/spec/FACTS.md that happened on paper, each as a test that would catch it.
//
// DefectNN is number NN of its list; web_and_files_test.cpp has the others. Most have closer tests beside the
// code as well: these are the ones to look for when somebody asks whether it can happen here.
#include <thread>

#include <gtest/gtest.h>

#include "ingestion/ai/rules/typed_page.hpp"
#include "ingestion/workflows/paper/card_invoices.hpp"
#include "ingestion/workflows/paper/match_rows.hpp"
#include "ingestion/workflows/paper/paper_bench.hpp"
#include "ingestion/workflows/paper/receipt_rows.hpp"
#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {
namespace {

namespace json = boost::json;
using samples::Language;

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

struct DefectBench : PaperBench {
    using PaperBench::PaperBench;

    ingest::Ingested statement(const std::string& type = "creditcard_invoice") {
        sample = samples::make_statement(3, Language::Swedish, 20);
        return upload("a statement", samples::pages_of(sample.sheets), type);
    }
    samples::Sample<samples::StatementTruth> sample;
};

// "A card statement went through the receipt stages and left 52 rows in receipt_items."
TEST(Defect01, a_card_statement_leaves_no_rows_of_a_receipt_whatever_it_was_uploaded_as) {
    DefectBench b;
    const auto as_receipt = b.statement("receipt");
    b.result(as_receipt);
    EXPECT_TRUE(has(b.story(as_receipt.workflow_run_id), "ai3_extraction skipped"));
    EXPECT_EQ(b.file_text(as_receipt.file_id, "ai_status"), "manual_review");

    // Somebody starts the receipt's workflow on a statement by hand.
    const auto file = b.statement();
    b.result(file);
    const FileInput input{file.file_id};
    b.engine.submit("WF1_RECEIPT", input, {.id = "wrong", .organization_id = "acme"});
    EXPECT_TRUE(has(b.failure("wrong"), "Workflow/task mismatch"));
    EXPECT_TRUE(has(b.story("wrong"), "guard skipped"));

    EXPECT_EQ(b.count("receipt_items"), 0);
    EXPECT_EQ(b.count("ai_accounting_proposals"), 0);
    EXPECT_EQ(b.count("creditcard_invoice_items"), 20);
}

// "Any failed page failed the merge and stopped the flow without a final status."
TEST(Defect02, failed_pages_end_the_run_by_its_policy_and_always_with_a_status) {
    const auto pages = samples::pages_of(samples::make_invoice(5, Language::English, 60).sheets);
    ASSERT_GE(pages.size(), 2u);
    for (const bool all : {false, true}) {
        DefectBench b;
        b.reader.before_page = [&](int page) {
            if (all || page == 2) throw NonRetryable("the page is torn");
        };
        const auto file = b.upload("an invoice", pages, "invoice");

        if (all) {
            EXPECT_TRUE(has(b.failure(file.workflow_run_id), "the page is torn"));
            EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "failed");
        } else {
            EXPECT_TRUE(
                has(json::serialize(b.result(file).at("review")), "page 2 could not be read"));
            EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "manual_review");
        }
        EXPECT_TRUE(has(b.story(file.workflow_run_id), "finalize succeeded"));
    }
}

// "The statement prompt asked for one shape, the parser read another: silently empty." The model's side of it is in
// model_tasks_test.cpp.
TEST(Defect03, an_empty_answer_is_a_failure) {
    DefectBench b;
    const auto page = samples::typed_page("FIRST CARD\nKUNDNR 1234\nhello world\n");

    const auto file = b.upload("no rows", {page}, "creditcard_invoice");

    EXPECT_TRUE(has(b.failure(file.workflow_run_id), "no_rows"));
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "failed");
    EXPECT_EQ(b.value<std::string>("SELECT processing_status FROM invoice_documents"), "failed");
}

// "Database errors were swallowed in the line writer: success reported with 0 lines."
TEST(Defect05, a_database_that_refuses_a_line_fails_the_stage_and_leaves_none) {
    DefectBench b;
    b.engine.transact([](Tx& tx) {
        tx.exec(
            "CREATE TRIGGER refuse BEFORE INSERT ON creditcard_invoice_items WHEN NEW.line_no = 13 "
            "BEGIN SELECT RAISE(ABORT, 'no room for line 13'); END");
    });

    const auto file = b.statement();

    EXPECT_TRUE(has(b.failure(file.workflow_run_id), "no room for line 13"));
    EXPECT_TRUE(
        has(b.story(file.workflow_run_id), "persist failed, match skipped, finalize succeeded"));
    EXPECT_EQ(b.count("creditcard_invoice_items"), 0);
    EXPECT_EQ(b.count("creditcard_invoices_main"), 0);
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "failed");
    EXPECT_EQ(b.value<std::string>("SELECT processing_status FROM invoice_documents"), "failed");

    // "Resume re-ran the whole workflow": this one does not read a page again.
    const auto reads = b.reader.reads;
    b.engine.transact([](Tx& tx) { tx.exec("DROP TRIGGER refuse"); });
    b.engine.retry(file.workflow_run_id);
    EXPECT_EQ(b.result(file).at("rows").as_array().size(), 20u);
    EXPECT_EQ(b.reader.reads, reads);
    EXPECT_EQ(b.value<std::string>("SELECT processing_status FROM invoice_documents"),
              "matching_completed");
}

// "'Resume' re-ran the whole workflow. Ours resumes at the failed step."
TEST(Defect06, a_retry_goes_on_at_the_step_that_failed) {
    DefectBench b;
    const auto sample = samples::make_invoice(5, Language::English, 60);
    b.reader.before_page = [](int) { throw NonRetryable("the scanner is off"); };
    const auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");
    b.failure(file.workflow_run_id);
    const int splits = b.reader.pdfs_read;

    b.reader.before_page = nullptr;
    b.engine.retry(file.workflow_run_id);

    EXPECT_EQ(b.result(file).at("grand_total").as_string(), *sample.truth.grand_total);
    EXPECT_EQ(b.reader.pdfs_read, splits) << "the document was split again";
}

// "Accounting entries were not checked to balance."
TEST(Defect11, entries_balance_or_there_are_none) {
    DefectBench b;
    b.result(b.upload("a receipt",
                      samples::pages_of(samples::make_receipt(4, Language::Swedish).sheets),
                      "receipt"));
    std::int64_t difference = 0;
    for (const SqlRow row : b.engine.query(
             "SELECT CAST(round(100 * coalesce(debit, 0)) AS INTEGER) - "
             "CAST(round(100 * coalesce(credit, 0)) AS INTEGER) FROM ai_accounting_proposals"))
        difference += row.get<std::int64_t>(0);
    EXPECT_GT(b.count("ai_accounting_proposals"), 0);
    EXPECT_EQ(difference, 0);

    Answer<ai::rules::AccountingProposal> wrong;
    wrong.value.entries = {{"5790", {10000, 2}, {0, 2}, std::nullopt, ""},
                           {"1930", {0, 2}, {9999, 2}, std::nullopt, ""}};
    EXPECT_THROW(b.engine.transact([&](Tx& tx) { save_accounting(tx, wrong); }), std::exception);
}

// "Runs stuck in processing": however a run ends, its file and its document say so.
TEST(Defect12, a_run_that_is_canceled_leaves_nothing_in_processing) {
    DefectBench b;
    std::atomic<bool> reading = false, go_on = false;
    b.reader.before_page = [&](int) {
        reading = true;
        while (!go_on) std::this_thread::yield();
        throw std::runtime_error("interrupted");
    };
    const auto file = b.statement();
    while (!reading) std::this_thread::yield();
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "processing");
    EXPECT_EQ(b.value<std::string>("SELECT processing_status FROM invoice_documents"),
              "ocr_pending");

    b.engine.cancel(file.workflow_run_id);
    go_on = true;
    b.failure(file.workflow_run_id);

    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "canceled");
    EXPECT_EQ(b.value<std::string>("SELECT processing_status FROM invoice_documents"), "failed");
    EXPECT_EQ(b.count("unified_files WHERE ai_status = 'processing'"), 0);
}

// "Statuses overwritten by slow writers."
TEST(Defect12, a_slow_run_does_not_overwrite_what_a_newer_one_of_the_file_wrote) {
    DefectBench b;
    std::atomic<bool> reading = false, go_on = false;
    b.reader.before_page = [&](int) {
        reading = true;
        while (!go_on) std::this_thread::yield();
    };
    const auto file = b.statement();
    while (!reading) std::this_thread::yield();

    // The file belongs to another run now, which has finished.
    b.engine.transact([&](Tx& tx) {
        tx.exec(
            "UPDATE unified_files SET workflow_run_id = 'newer', ai_status = 'completed' WHERE id "
            "= ?",
            file.file_id);
        tx.exec("UPDATE invoice_documents SET processing_status = 'matching_completed'");
    });
    go_on = true;
    b.result(file);

    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "completed");
    EXPECT_EQ(b.count("creditcard_invoice_items"), 0);
    EXPECT_EQ(b.value<std::string>("SELECT processing_status FROM invoice_documents"),
              "matching_completed");
}

// "Counters raced by concurrent edits": there is none to race, and each change is allowed or refused whole.
TEST(Defect12, people_who_edit_the_same_lines_at_once_leave_counts_that_are_right) {
    DefectBench b;
    b.result(b.statement());
    const std::string document = b.value<std::string>("SELECT id FROM invoice_documents");
    std::vector<std::string> receipts;
    for (int i = 0; i < 8; ++i) {
        const auto page = ai::rules::typed_page(fmt::format(
            "KAFFEBUTIKEN AB\nOrg.nr 556677-8899\n2001-01-{:02} 12:30\nKVITTO\nKaffe    1{},00\n"
            "TOTALT SEK       1{},00\nKORTKOP VISA\n",
            i + 1, i, i));
        const auto file =
            b.upload(fmt::format("receipt {}", i), {page}, "receipt", fmt::format("r{}", i));
        b.result(file);
        receipts.push_back(file.file_id);
    }
    std::vector<std::int64_t> lines;
    for (const SqlRow row : b.engine.query("SELECT id FROM invoice_lines ORDER BY id LIMIT 8"))
        lines.push_back(row.get<std::int64_t>(0));

    std::atomic<int> changed = 0, refused = 0;
    {
        std::vector<std::jthread> people;
        for (int person = 0; person < 4; ++person) {
            people.emplace_back([&, person] {
                for (std::size_t i = 0; i < lines.size(); ++i) {
                    const auto at = (i + static_cast<std::size_t>(person)) % lines.size();
                    const auto outcome = b.engine.transact([&](Tx& tx) {
                        return change_line(tx, "acme", lines[at], LineAction::Link, receipts[at],
                                           "admin");
                    });
                    ++(std::holds_alternative<LineChanged>(outcome) ? changed : refused);
                }
            });
        }
    }

    EXPECT_EQ(changed + refused, 32);
    EXPECT_EQ(b.count("invoice_lines WHERE matched_file_id IS NOT NULL"), 8);
    EXPECT_EQ(b.count("creditcard_receipt_matches"), 8);
    EXPECT_EQ(b.count("invoice_line_history WHERE action = 'matched'"), changed);
    const json::object shown = card_invoice(b.engine, document);
    EXPECT_EQ(shown.at("line_counts").at("matched").to_number<int>(), 8);
    EXPECT_EQ(shown.at("status").as_string(), "partially_matched");
}

}  // namespace
}  // namespace belay::workflows

// statement_test.cpp — WF3_FIRSTCARD_INVOICE: one statement, however often it comes, and its receipts.
#include "ingestion/workflows/paper/statement.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include <gtest/gtest.h>

#include "ingestion/ai/rules/typed_page.hpp"
#include "ingestion/workflows/paper/card_invoices.hpp"
#include "ingestion/workflows/paper/match_rows.hpp"
#include "ingestion/workflows/paper/paper_bench.hpp"
#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {
namespace {

namespace json = boost::json;
using samples::Language;

struct StatementBench : PaperBench {
    using PaperBench::PaperBench;

    // A receipt of that amount on that day.
    std::string receipt(const std::string& bytes, const std::string& date,
                        const std::string& amount) {
        const auto page = ai::rules::typed_page(
            "KAFFEBUTIKEN AB\nOrg.nr 556677-8899\n" + date + " 12:30\nKVITTO\nKaffe            " +
            amount + "\nTOTALT SEK       " + amount + "\nKORTKOP VISA\n");
        const auto file = upload(bytes, {page}, "receipt", bytes);
        result(file);
        return file.file_id;
    }
    // The lines as they stand: id, status, receipt.
    struct Line {
        std::int64_t id = 0;
        std::string date{}, amount{}, status{}, receipt{};
    };
    std::vector<Line> lines() {
        std::vector<Line> out;
        for (const SqlRow row :
             engine.query("SELECT id, coalesce(transaction_date, ''), amount, match_status, "
                          "coalesce(matched_file_id, '') FROM invoice_lines ORDER BY line_no")) {
            out.push_back({row.get<std::int64_t>(0), row.get<std::string>(1),
                           row.get<std::string>(2), row.get<std::string>(3),
                           row.get<std::string>(4)});
        }
        return out;
    }
    LineOutcome change(std::int64_t line, LineAction action, const std::string& receipt = "") {
        return engine.transact(
            [&](Tx& tx) { return change_line(tx, "acme", line, action, receipt, "admin"); });
    }
    MatchSummary match(const std::string& document) {
        return engine.transact([&](Tx& tx) { return match_document(tx, document, {}); });
    }
};

std::string with_comma(std::string amount) {
    amount[amount.find('.')] = ',';
    return amount;
}

TEST(Statement, its_stages_rows_and_result_are_those_of_the_paper) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);

    const auto file =
        b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice");
    const json::value result = b.result(file);

    EXPECT_EQ(file.workflow_key, "WF3_FIRSTCARD_INVOICE");
    const std::string story = b.story(file.workflow_run_id);
    EXPECT_NE(story.find("prepare_pages succeeded, "), std::string::npos) << story;
    EXPECT_NE(story.find("merge_ocr succeeded, ai6_analysis succeeded, persist succeeded, match "
                         "succeeded, finalize succeeded"),
              std::string::npos)
        << story;
    EXPECT_EQ(result.at("invoice_number").as_string(), *sample.truth.invoice_number);
    ASSERT_EQ(result.at("rows").as_array().size(), sample.truth.rows.size());
    EXPECT_EQ(result.at("rows").at(0).at("amount").as_string(), *sample.truth.rows[0].amount);
    EXPECT_TRUE(result.at("review").as_array().empty());
    EXPECT_EQ(b.count("creditcard_invoices_main"), 1);
    EXPECT_EQ(b.count("creditcard_invoice_items"), 20);
    EXPECT_EQ(b.count("invoice_lines"), 20);
    EXPECT_EQ(b.count("receipt_items"), 0);
    EXPECT_EQ(b.value<std::string>("SELECT invoice_number FROM creditcard_invoices_main"),
              *sample.truth.invoice_number);
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "completed");
    EXPECT_EQ(b.value<std::string>("SELECT processing_status FROM invoice_documents"),
              "matching_completed");
}

TEST(Statement, its_document_says_how_far_it_is_from_the_start) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    std::vector<std::string> seen;
    std::mutex mutex;
    b.reader.before_page = [&](int) {
        const std::lock_guard lock{mutex};
        seen.push_back(b.value<std::string>("SELECT processing_status FROM invoice_documents"));
    };

    const auto file =
        b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice");
    b.result(file);

    for (const std::string& status : seen) EXPECT_EQ(status, "ocr_pending");
    EXPECT_FALSE(seen.empty());
    EXPECT_EQ(b.value<std::string>("SELECT id FROM invoice_documents"), file.file_id);
    EXPECT_EQ(b.value<std::string>("SELECT processing_status FROM invoice_documents"),
              "matching_completed");
}

TEST(Statement, importing_it_twice_changes_nothing) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto pages = samples::pages_of(sample.sheets);
    b.result(b.upload("a statement", pages, "creditcard_invoice", "first"));
    const std::string receipt = b.receipt("receipt", "2001-01-01", "1,00");
    const std::int64_t line = b.lines().front().id;
    ASSERT_TRUE(std::holds_alternative<LineChanged>(b.change(line, LineAction::Link, receipt)));
    const auto before = b.lines();
    const auto items = b.value<std::int64_t>("SELECT max(id) FROM creditcard_invoice_items");

    b.result(b.upload("the same statement, scanned again", pages, "creditcard_invoice", "second"));

    const auto after = b.lines();
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
        EXPECT_EQ(after[i].id, before[i].id);
        EXPECT_EQ(after[i].status, before[i].status);
        EXPECT_EQ(after[i].receipt, before[i].receipt);
    }
    EXPECT_EQ(b.count("creditcard_invoices_main"), 1);
    EXPECT_EQ(b.count("creditcard_invoice_items"), 20);
    EXPECT_EQ(b.value<std::int64_t>("SELECT max(id) FROM creditcard_invoice_items"), items);
    EXPECT_EQ(b.count("creditcard_receipt_matches"), 1);
    EXPECT_EQ(b.count("invoice_documents"), 1)
        << "the row that was opened for the second file is gone";
}

TEST(Statement, rows_that_do_not_come_to_the_printed_total_ask_for_a_person) {
    StatementBench b;
    auto sample = samples::make_statement(3, Language::Swedish, 20);
    auto pages = samples::pages_of(sample.sheets);
    // One row's amount is gone: the rest cannot come to the total.
    const auto digits = [](const std::string& text) {
        std::string out;
        std::ranges::copy_if(text, std::back_inserter(out),
                             [](char c) { return c >= '0' && c <= '9'; });
        return out;
    };
    const std::string gone = digits(*sample.truth.rows[0].amount);
    for (auto& page : pages)
        std::erase_if(page.words, [&](const auto& word) { return digits(word.text) == gone; });

    const auto file = b.upload("a statement", pages, "creditcard_invoice");
    const json::value result = b.result(file);

    EXPECT_FALSE(result.at("review").as_array().empty());
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "manual_review");
}

// Defects 3 and 5.
TEST(Statement, one_without_rows_is_a_failure_and_leaves_no_rows) {
    StatementBench b;
    const auto page = samples::typed_page("FIRST CARD\nKUNDNR 1234\nhello world\n");

    const auto file = b.upload("a statement", {page}, "creditcard_invoice");

    EXPECT_NE(b.failure(file.workflow_run_id).find("no rows"), std::string::npos);
    const std::string story = b.story(file.workflow_run_id);
    EXPECT_NE(story.find("ai6_analysis failed, persist skipped, match skipped, finalize succeeded"),
              std::string::npos)
        << story;
    EXPECT_EQ(b.count("creditcard_invoices_main"), 0);
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "failed");
}

TEST(Statement, only_a_card_statement_passes_its_guard) {
    StatementBench b;
    const auto sample = samples::make_invoice(5, Language::Swedish, 10);
    const auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");
    b.result(file);

    const FileInput input{file.file_id};
    b.engine.submit("WF3_FIRSTCARD_INVOICE", input,
                    {.id = "wrong", .organization_id = "acme"});

    EXPECT_NE(b.failure("wrong").find("creditcard_invoice"), std::string::npos);
    EXPECT_NE(b.story("wrong").find("guard skipped"), std::string::npos);
    EXPECT_EQ(b.count("creditcard_invoices_main"), 0);
}

TEST(Statement, receipts_that_are_there_are_matched_and_the_rest_is_unmatched) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto& row = *std::ranges::find_if(
        sample.truth.rows, [](const auto& r) { return !r.amount->starts_with('-'); });
    const std::string receipt = b.receipt("receipt", *row.date, with_comma(*row.amount));

    const auto file =
        b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice");
    b.result(file);

    int matched = 0;
    for (const auto& line : b.lines()) {
        if (line.amount.starts_with('-')) {
            EXPECT_EQ(line.status, "pending");  // a payment needs no receipt
        } else if (line.receipt == receipt) {
            ++matched;
            EXPECT_EQ(line.status, "auto");
            EXPECT_EQ(line.amount, *row.amount);
        } else {
            EXPECT_EQ(line.status, "unmatched");
        }
    }
    EXPECT_EQ(matched, 1);
    EXPECT_EQ(b.file_text(receipt, "invoice_match_status"), "matched");
    EXPECT_EQ(b.value<std::string>("SELECT status FROM invoice_documents"), "partially_matched");
    EXPECT_EQ(b.count("creditcard_invoice_items WHERE matched = 1"), 1);
    EXPECT_EQ(b.count("creditcard_receipt_matches"), 1);
    EXPECT_EQ(b.count("invoice_line_history WHERE action = 'matched' AND performed_by = 'system'"),
              1);
}

TEST(Statement, its_counts_leave_out_the_lines_that_need_no_receipt) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto& row = *std::ranges::find_if(
        sample.truth.rows, [](const auto& r) { return !r.amount->starts_with('-'); });
    b.receipt("receipt", *row.date, with_comma(*row.amount));
    b.result(b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice"));
    std::vector<StatementBench::Line> open = b.lines();
    std::erase_if(open, [](const auto& line) { return line.status != "unmatched"; });
    ASSERT_EQ(open.size(), 19u);

    b.engine.transact([&](Tx& tx) {  // two payments, as matching leaves them
        tx.exec(
            "UPDATE invoice_lines SET amount = '-5.00', match_status = 'pending' WHERE id IN (?, "
            "?)",
            open[0].id, open[1].id);
    });
    b.change(open[0].id, LineAction::Ignore);

    const json::object told = list_card_invoices(b.engine, "acme", std::nullopt, 10).rows.front();
    const json::object counts = told.at("line_counts").as_object();
    EXPECT_EQ(counts.at("total").as_int64(), 20);
    EXPECT_EQ(counts.at("matched").as_int64(), 1);
    EXPECT_EQ(counts.at("unmatched").as_int64(), 17);
}

TEST(Statement, one_that_prints_no_number_has_none) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    auto pages = samples::pages_of(sample.sheets);
    for (auto& page : pages) {
        std::erase_if(page.words, [&](const auto& word) {
            return word.text.find(*sample.truth.invoice_number) != std::string::npos;
        });
    }

    const auto file = b.upload("a statement", pages, "creditcard_invoice");
    const json::value result = b.result(file);

    ASSERT_TRUE(result.at("invoice_number").is_null());
    const auto page = list_card_invoices(b.engine, "acme", std::nullopt, 10);
    EXPECT_TRUE(page.rows.front().at("invoice_number").is_null());
    EXPECT_TRUE(card_invoice(b.engine, file.file_id).at("invoice_number").is_null());
}

TEST(Statement, a_receipt_that_comes_later_is_matched_on_demand_and_once) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto file =
        b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice");
    b.result(file);
    const auto& row = *std::ranges::find_if(
        sample.truth.rows, [](const auto& r) { return !r.amount->starts_with('-'); });
    b.receipt("receipt", *row.date, with_comma(*row.amount));

    EXPECT_EQ(b.match(file.file_id).changed, 1);
    EXPECT_EQ(b.match(file.file_id).changed, 0);
}

TEST(Statement, people_link_confirm_and_reject_along_the_table) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    b.result(b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice"));
    const std::string receipt = b.receipt("receipt", "2001-01-01", "1,00");
    const auto lines = b.lines();

    EXPECT_TRUE(std::holds_alternative<LineNotFound>(b.change(4711, LineAction::Confirm)));
    EXPECT_TRUE(
        std::holds_alternative<ReceiptNotFound>(b.change(lines[0].id, LineAction::Link, "no")));
    EXPECT_TRUE(std::holds_alternative<NotPossible>(b.change(lines[0].id, LineAction::Confirm)));
    EXPECT_TRUE(
        std::holds_alternative<LineChanged>(b.change(lines[0].id, LineAction::Link, receipt)));
    EXPECT_TRUE(
        std::holds_alternative<ReceiptTaken>(b.change(lines[1].id, LineAction::Link, receipt)));
    EXPECT_TRUE(std::holds_alternative<LineChanged>(b.change(lines[0].id, LineAction::Reject)));
    EXPECT_EQ(b.file_text(receipt, "invoice_match_status"), "unmatched");
    EXPECT_TRUE(
        std::holds_alternative<LineChanged>(b.change(lines[1].id, LineAction::Link, receipt)));
    EXPECT_TRUE(std::holds_alternative<LineChanged>(b.change(lines[1].id, LineAction::Confirm)));
    EXPECT_TRUE(std::holds_alternative<NotPossible>(b.change(lines[1].id, LineAction::Reject)));
    EXPECT_EQ(b.count("creditcard_invoice_items WHERE matched = 3"), 1);
    EXPECT_EQ(b.count("invoice_line_history WHERE performed_by = 'admin'"), 4);
}

}  // namespace
}  // namespace belay::workflows

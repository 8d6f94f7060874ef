// statement_test.cpp — WF3_FIRSTCARD_INVOICE: one statement, however often it comes, and its receipts.
#include "ingestion/workflows/paper/statement.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include <gtest/gtest.h>

#include "ingestion/ai/rules/typed_page.hpp"
#include "ingestion/workflows/paper/card_invoices.hpp"
#include "ingestion/workflows/paper/document_states.hpp"
#include "ingestion/workflows/paper/ending.hpp"
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
    b.engine.submit("WF3_FIRSTCARD_INVOICE", input, {.id = "wrong", .organization_id = "acme"});

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

TEST(Statement, a_receipt_that_comes_later_is_matched_by_itself_and_once) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto file =
        b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice");
    b.result(file);
    EXPECT_EQ(b.value<std::string>("SELECT status FROM invoice_documents"), "matching");
    const auto& row = *std::ranges::find_if(
        sample.truth.rows, [](const auto& r) { return !r.amount->starts_with('-'); });

    const std::string receipt = b.receipt("receipt", *row.date, with_comma(*row.amount));

    EXPECT_EQ(b.count("invoice_lines WHERE match_status = 'auto' AND matched_file_id = '" +
                      receipt + "'"),
              1);
    EXPECT_EQ(b.value<std::string>("SELECT status FROM invoice_documents"), "partially_matched");
    EXPECT_EQ(b.match(file.file_id).changed, 0);
}

TEST(Statement, one_whose_lines_need_no_receipt_is_not_matching) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 2);
    const auto file =
        b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice");
    b.result(file);
    ASSERT_EQ(b.value<std::string>("SELECT status FROM invoice_documents"), "matching");
    // Payments and refunds alone, as matching leaves them.
    b.engine.transact([](Tx& tx) {
        tx.exec("UPDATE invoice_lines SET amount = '-5.00', match_status = 'pending'");
    });

    const MatchSummary told = b.match(file.file_id);

    EXPECT_EQ(told.lines, 0);
    EXPECT_EQ(told.status, "matched");
    for (const auto& line : card_lines(b.engine, file.file_id))
        EXPECT_FALSE(line.as_object().at("needs_receipt").as_bool());
    EXPECT_TRUE(card_candidates(b.engine, "acme", file.file_id, {}).empty());
}

TEST(Statement, it_waits_again_when_its_only_receipt_is_taken_away) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    b.result(b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice"));
    const std::string receipt = b.receipt("receipt", "2001-01-01", "1,00");
    const auto line = b.lines()[0].id;
    b.change(line, LineAction::Link, receipt);
    ASSERT_EQ(b.value<std::string>("SELECT status FROM invoice_documents"), "partially_matched");

    b.change(line, LineAction::Reject);

    EXPECT_EQ(b.value<std::string>("SELECT status FROM invoice_documents"), "matching");
}

TEST(Statement, a_receipt_that_a_person_took_away_does_not_come_back_by_itself) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto& row = *std::ranges::find_if(
        sample.truth.rows, [](const auto& r) { return !r.amount->starts_with('-'); });
    const std::string receipt = b.receipt("receipt", *row.date, with_comma(*row.amount));
    b.result(b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice"));
    const auto line = b.value<std::int64_t>(
        "SELECT id FROM invoice_lines WHERE matched_file_id = '" + receipt + "'");
    ASSERT_TRUE(std::holds_alternative<LineChanged>(b.change(line, LineAction::Reject)));

    b.match(b.value<std::string>("SELECT id FROM invoice_documents"));
    EXPECT_EQ(b.count("invoice_lines WHERE matched_file_id = '" + receipt + "'"), 0);
    const std::string other = b.receipt("another receipt", *row.date, with_comma(*row.amount));

    EXPECT_EQ(b.value<std::string>("SELECT matched_file_id FROM invoice_lines WHERE id = " +
                                   std::to_string(line)),
              other);
    EXPECT_EQ(b.file_text(receipt, "invoice_match_status"), "unmatched");
}

// ---- one statement, however it was read

// The pages without these words: a scan in which they could not be read.
std::vector<media::Page> without(std::vector<media::Page> pages, const std::string& word) {
    for (auto& page : pages) {
        std::erase_if(page.words,
                      [&](const auto& w) { return w.text.find(word) != std::string::npos; });
    }
    return pages;
}

TEST(Statement, without_a_number_it_is_known_by_card_period_and_issuer) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto whole = samples::pages_of(sample.sheets);
    const auto numberless = without(whole, *sample.truth.invoice_number);
    const auto first = b.upload("a scan", numberless, "creditcard_invoice", "first");
    b.result(first);
    const auto before = b.lines();

    b.result(b.upload("another scan", numberless, "creditcard_invoice", "second"));
    EXPECT_EQ(b.count("creditcard_invoices_main"), 1);
    EXPECT_TRUE(
        list_card_invoices(b.engine, "acme", {}, 10).rows[0].at("invoice_number").is_null());
    b.result(b.upload("a better scan", whole, "creditcard_invoice", "third"));

    EXPECT_EQ(b.count("creditcard_invoices_main"), 1);
    EXPECT_EQ(b.count("invoice_documents"), 1);
    EXPECT_EQ(b.value<std::string>("SELECT invoice_number FROM creditcard_invoices_main"),
              *sample.truth.invoice_number);
    const auto after = b.lines();
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i].id, before[i].id);
    // Another month of the same card is another statement.
    const auto other = samples::make_statement(4, Language::Swedish, 20);
    b.result(b.upload("next month",
                      without(samples::pages_of(other.sheets), *other.truth.invoice_number),
                      "creditcard_invoice", "fourth"));
    EXPECT_EQ(b.count("creditcard_invoices_main"), 2);
}

TEST(Statement, the_same_file_forced_again_is_the_same_statement) {
    StatementBench b;
    auto pages = samples::pages_of(samples::make_statement(3, Language::Swedish, 20).sheets);
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    // Neither its number nor its card can be read.
    pages = without(without(pages, *sample.truth.invoice_number), "9917");
    const auto first = b.upload("a scan", pages, "creditcard_invoice");
    b.result(first);
    const std::string receipt = b.receipt("receipt", "2001-01-01", "1,00");
    b.change(b.lines()[0].id, LineAction::Link, receipt);
    const auto before = b.lines();

    const auto writer = b.store.begin(1 << 20);
    writer->write(std::string_view("a scan"));
    const auto forced = b.uploads.finish(
        *writer, {"acme", "document.pdf", "application/pdf", "creditcard_invoice", true});
    b.result(forced);

    ASSERT_NE(forced.file_id, first.file_id);
    EXPECT_EQ(b.count("creditcard_invoices_main"), 1);
    EXPECT_EQ(b.count("invoice_documents WHERE deleted_at IS NULL"), 1);
    const auto after = b.lines();
    ASSERT_EQ(after.size(), before.size());
    EXPECT_EQ(after[0].id, before[0].id);
    EXPECT_EQ(after[0].receipt, receipt);
    EXPECT_EQ(find_card_document(b.engine, "acme", forced.file_id), first.file_id);
}

TEST(Statement, a_worse_scan_never_empties_what_is_known) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto whole = samples::pages_of(sample.sheets);
    b.result(b.upload("a scan", whole, "creditcard_invoice", "good"));
    const json::object before = list_card_invoices(b.engine, "acme", {}, 10).rows[0];
    auto worse = without(without(whole, *sample.truth.invoice_number), "RFALLODAG");
    for (auto& page : worse) {  // the lower half of every page is too dark to read
        std::erase_if(page.words, [&](const auto& w) { return w.box.y > 400; });
    }

    const auto file = b.upload("a worse scan", worse, "creditcard_invoice", "worse");
    const json::value result = b.result(file);

    EXPECT_EQ(b.count("creditcard_invoices_main"), 1);
    EXPECT_EQ(b.count("creditcard_invoice_items"), 20);
    const json::object after = list_card_invoices(b.engine, "acme", {}, 10).rows[0];
    for (const char* known : {"invoice_number", "statement_date", "due_date", "total",
                              "new_balance", "sum", "card_last_4", "issuer", "file_id"})
        EXPECT_EQ(after.at(known), before.at(known)) << known;
    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), "manual_review");
    EXPECT_NE(b.value<std::string>("SELECT review FROM document_findings WHERE file_id = '" +
                                   file.file_id + "'")
                  .find("read better before"),
              std::string::npos);
}

TEST(Statement, its_totals_mean_the_same_everywhere_and_its_card_is_four_digits) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);

    const json::value result =
        b.result(b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice"));

    const json::object told = list_card_invoices(b.engine, "acme", {}, 10).rows[0];
    const json::value total = result.at("total");
    EXPECT_EQ(told.at("total"), total);
    EXPECT_EQ(told.at("invoice_total"), total);
    EXPECT_EQ(
        json::value(b.value<std::string>("SELECT invoice_total FROM creditcard_invoices_main")),
        total);
    EXPECT_EQ(told.at("card_number_masked").as_string(), "**** 9917");
    EXPECT_EQ(told.at("card_last_4").as_string(), "9917");
    EXPECT_EQ(told.at("issuer").as_string(), "First Card");
    EXPECT_EQ(b.value<std::string>("SELECT detail FROM document_findings").find("5412"),
              std::string::npos);
}

TEST(Statement, deleting_its_file_removes_it_from_every_list_with_items_and_matches) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto file =
        b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice");
    b.result(file);
    const std::string receipt = b.receipt("receipt", "2001-01-01", "1,00");
    b.change(b.lines()[0].id, LineAction::Link, receipt);

    b.uploads.remove("acme", file.file_id);

    EXPECT_TRUE(list_card_invoices(b.engine, "acme", {}, 10).rows.empty());
    EXPECT_FALSE(find_card_document(b.engine, "acme", file.file_id));
    EXPECT_EQ(b.count("creditcard_invoices_main"), 0);
    EXPECT_EQ(b.count("creditcard_invoice_items"), 0);
    EXPECT_EQ(b.count("invoice_lines"), 0);
    EXPECT_EQ(b.count("creditcard_receipt_matches"), 0);
    EXPECT_EQ(b.file_text(receipt, "invoice_match_status"), "unmatched");
    // It can come again.
    b.result(b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice"));
    EXPECT_EQ(b.count("creditcard_invoice_items"), 20);
}

TEST(Statement, it_stays_while_another_scan_of_it_is_there) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto pages = samples::pages_of(sample.sheets);
    const auto first = b.upload("a scan", pages, "creditcard_invoice", "first");
    b.result(first);
    const auto second = b.upload("another scan", pages, "creditcard_invoice", "second");
    b.result(second);

    b.uploads.remove("acme", second.file_id);

    const auto rows = list_card_invoices(b.engine, "acme", {}, 10).rows;
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].at("file_id").as_string(), first.file_id);
    b.uploads.remove("acme", first.file_id);
    EXPECT_TRUE(list_card_invoices(b.engine, "acme", {}, 10).rows.empty());
}

TEST(Statement, a_receipt_that_is_deleted_leaves_its_line_without_one) {
    StatementBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    b.result(b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice"));
    const std::string receipt = b.receipt("receipt", "2001-01-01", "1,00");
    b.change(b.lines()[0].id, LineAction::Link, receipt);

    b.uploads.remove("acme", receipt);

    EXPECT_EQ(b.lines()[0].status, "unmatched");
    EXPECT_EQ(b.lines()[0].receipt, "");
    EXPECT_EQ(b.count("creditcard_invoice_items WHERE matched > 0"), 0);
    EXPECT_EQ(b.value<std::string>("SELECT status FROM invoice_documents"), "matching");
    EXPECT_EQ(b.count("invoice_line_history WHERE reason = 'receipt-deleted'"), 1);
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

// It was canceled between its last record and its end, and retried: the stage that says its status does not run again.
TEST(Statement, a_run_that_succeeds_leaves_nothing_that_says_otherwise) {
    PaperBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto file =
        b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice");
    b.result(file);
    const std::string before = b.file_text(file.file_id, "ai_status");
    RunInfo run;
    run.id = file.workflow_run_id;
    run.status = RunStatus::Succeeded;
    run.input = to_json(FileInput{file.file_id});
    const WorkflowOptions options = paper_options(b.engine, "", kCardInvoice);

    b.engine.transact([&](Tx& tx) {
        tx.exec("UPDATE unified_files SET ai_status = 'processing', completed_at = NULL");
        tx.exec("UPDATE invoice_documents SET processing_status = 'failed', status = 'failed'");
        options.on_end(tx, run);
    });

    EXPECT_EQ(b.file_text(file.file_id, "ai_status"), before);
    EXPECT_EQ(b.count("unified_files WHERE id = '" + file.file_id + "' AND completed_at IS NULL"),
              0);
    EXPECT_EQ(b.value<std::string>("SELECT processing_status FROM invoice_documents"),
              "matching_completed");
    EXPECT_EQ(b.value<std::string>("SELECT status FROM invoice_documents"), "matching");
}

}  // namespace
}  // namespace belay::workflows

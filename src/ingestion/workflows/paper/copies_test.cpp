// copies_test.cpp — files with the same content share a run: each has what it found, and one of them counts.
#include "ingestion/ingest/copies.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "ingestion/ai/rules/typed_page.hpp"
#include "ingestion/ingest/files.hpp"
#include "ingestion/workflows/paper/export.hpp"
#include "ingestion/workflows/paper/findings.hpp"
#include "ingestion/workflows/paper/match_rows.hpp"
#include "ingestion/workflows/paper/pages.hpp"
#include "ingestion/workflows/paper/paper_bench.hpp"

namespace belay::workflows {
namespace {

using samples::Language;

struct Bench : PaperBench {
    ingest::Ingested receipt(const std::string& name, const std::string& bytes = "a receipt") {
        const auto page = ai::rules::typed_page(
            "KAFFEBUTIKEN AB\nOrg.nr 556677-8899\n2024-03-12 12:30\nKVITTO\nKaffe            "
            "45,00\n"
            "TOTALT SEK       45,00\nKORTKOP VISA\n");
        return upload(bytes, {page}, "receipt", name);
    }
    ingest::Ingested invoice(const std::string& name) {
        const auto sample = samples::make_invoice(5, Language::Swedish, 60);
        return upload("an invoice", samples::pages_of(sample.sheets), "invoice", name);
    }
    // The same bytes under another name; the reader knows them already.
    ingest::Ingested copy_of(const std::string& bytes, const std::string& type,
                             const std::string& name) {
        const auto writer = store.begin(1 << 20);
        writer->write(bytes);
        return uploads.finish(
            *writer,
            {"acme", name, type == "receipt" ? "image/png" : "application/pdf", type, false});
    }
    std::string first_file() {
        return value<std::string>("SELECT id FROM unified_files ORDER BY seq LIMIT 1");
    }
    // A statement with one line of that amount on that day, without OCR.
    std::int64_t line_of(const std::string& day, const std::string& amount) {
        const auto sample = samples::make_statement(3, Language::Swedish, 20);
        result(upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice"));
        const auto line = value<std::int64_t>(
            "SELECT min(id) FROM invoice_lines WHERE amount NOT LIKE '-%' AND matched_file_id IS "
            "NULL");
        engine.transact([&](Tx& tx) {
            tx.exec(
                "UPDATE invoice_lines SET transaction_date = ?, amount = ?, match_status = "
                "'unmatched' WHERE id = ?",
                day, amount, line);
        });
        return line;
    }
    std::string receipt_of(std::int64_t line) {
        return value<std::string>(
            "SELECT coalesce(matched_file_id, '') FROM invoice_lines WHERE "
            "id = " +
            std::to_string(line));
    }
    int match() {
        const auto document = value<std::string>("SELECT id FROM invoice_documents");
        return engine.transact([&](Tx& tx) { return match_document(tx, document, {}); }).changed;
    }
    std::vector<std::string> csv() {
        std::vector<std::string> lines;
        std::string text = receipts_csv(engine, "acme", {});
        for (std::size_t at = 0; (at = text.find("\r\n")) != std::string::npos;) {
            lines.push_back(text.substr(0, at));
            text.erase(0, at + 2);
        }
        lines.erase(lines.begin());  // the columns
        return lines;
    }
    ingest::UploadRow listed(const std::string& file_id) {
        const auto page = ingest::list_uploads(engine, "acme", {}, 100);
        return *std::ranges::find(page.uploads, file_id,
                                  [](const auto& row) { return row.file.id; });
    }
};

TEST(Copies, each_has_what_was_found_whether_it_comes_before_or_after) {
    Bench b;
    ingest::Ingested before;
    b.reader.before_page = [&](int) {
        if (before.file_id.empty()) before = b.copy_of("a receipt", "receipt", "before.png");
    };
    const auto first = b.receipt("first");
    b.result(first);
    const auto after = b.receipt("after");

    for (const std::string& id : {before.file_id, after.file_id}) {
        for (const char* column : {"gross_amount", "purchase_datetime", "currency", "orgnr",
                                   "CAST(company_id AS TEXT)", "ocr_raw", "file_type", "ai_status",
                                   "CAST(completed_at AS TEXT)", "credit_card_brand_short"})
            EXPECT_EQ(b.file_text(id, column), b.file_text(first.file_id, column)) << column;
        EXPECT_EQ(b.file_text(id, "gross_amount"), "45.00");
    }
}

TEST(Copies, of_what_failed_each_says_why_and_when) {
    Bench b;
    const auto first = b.upload("broken", {}, "receipt", "first");
    EXPECT_NE(b.failure(first.workflow_run_id), "it succeeded");

    const auto copy = b.upload("broken", {}, "receipt", "copy");

    const auto row = b.listed(copy.file_id);
    EXPECT_EQ(row.file.status, "failed");
    EXPECT_EQ(row.failure, b.listed(first.file_id).failure);
    EXPECT_TRUE(row.completed_at);
}

TEST(Copies, are_one_receipt_in_exports_and_for_the_lines_of_a_card) {
    Bench b;
    const auto first = b.receipt("first");
    b.result(first);
    const auto copy = b.receipt("copy");

    ASSERT_EQ(b.csv().size(), 1u);
    EXPECT_EQ(sie_comment(sie_export(b.engine, "acme", {}, {2024, 3, 31})), "");
    const auto line = b.line_of("2024-03-12", "45.00");
    ASSERT_TRUE(std::holds_alternative<LineChanged>(b.engine.transact([&](Tx& tx) {
        return change_line(tx, "acme", line, LineAction::Link, copy.file_id, "admin");
    })));
    const auto other =
        b.value<std::int64_t>("SELECT max(id) FROM invoice_lines WHERE match_status = 'unmatched'");
    b.engine.transact([&](Tx& tx) {
        tx.exec(
            "UPDATE invoice_lines SET transaction_date = '2024-03-12', amount = '45.00' WHERE "
            "id = ?",
            other);
    });

    EXPECT_EQ(b.match(), 0) << "its copy has a line already";
    const auto again = b.engine.transact([&](Tx& tx) {
        return change_line(tx, "acme", other, LineAction::Link, first.file_id, "admin");
    });
    EXPECT_TRUE(std::holds_alternative<ReceiptTaken>(again));
    FindingsFilter without;
    without.matched = false;
    EXPECT_EQ(list_findings(b.engine, "acme", without).rows.size(), 0u);
}

TEST(Copies, one_takes_the_place_of_the_first_when_that_is_deleted) {
    Bench b;
    const auto first = b.receipt("first");
    b.result(first);
    const auto copy = b.receipt("copy");
    const auto before = b.csv();
    const auto line = b.line_of("2024-03-12", "45.00");
    ASSERT_EQ(b.match(), 1);
    ASSERT_EQ(b.receipt_of(line), first.file_id);

    b.uploads.remove("acme", first.file_id);

    EXPECT_EQ(b.receipt_of(line), copy.file_id) << "it is the same receipt";
    EXPECT_EQ(b.file_text(copy.file_id, "invoice_match_status"), "matched");
    ASSERT_EQ(b.csv().size(), 1u);
    EXPECT_EQ(b.csv()[0].substr(b.csv()[0].find(',')).rfind(",first.png"), std::string::npos);
    EXPECT_NE(b.csv()[0].find("2024-03-12,KAFFEBUTIKEN AB"), std::string::npos) << b.csv()[0];
    const std::string sie = sie_export(b.engine, "acme", {}, {2024, 3, 31});
    EXPECT_NE(sie.find("45.00"), std::string::npos) << sie;
    EXPECT_EQ(sie_comment(sie), "");

    b.uploads.remove("acme", copy.file_id);

    EXPECT_EQ(b.receipt_of(line), "");
    EXPECT_TRUE(b.csv().empty());
}

TEST(Copies, a_receipt_that_is_deleted_before_its_statement_comes_is_matched_by_its_copy) {
    Bench b;
    const auto first = b.receipt("first");
    b.result(first);
    const auto copy = b.receipt("copy");
    b.uploads.remove("acme", first.file_id);
    const auto line = b.line_of("2024-03-12", "45.00");

    EXPECT_EQ(b.match(), 1);
    EXPECT_EQ(b.receipt_of(line), copy.file_id);
}

TEST(Copies, a_run_goes_on_when_the_file_that_it_began_with_is_deleted) {
    Bench b;
    ingest::Ingested copy;
    bool gone = false;
    b.reader.before_page = [&](int page) {
        if (page != 2 || gone) return;
        gone = true;
        copy = b.copy_of("an invoice", "invoice", "copy.pdf");
        b.uploads.remove("acme", b.first_file());
    };
    const auto first = b.invoice("first");

    const auto result = b.result(first);

    EXPECT_TRUE(gone);
    EXPECT_FALSE(result.at("grand_total").is_null());
    EXPECT_EQ(b.file_text(copy.file_id, "gross_amount"),
              std::string(result.at("grand_total").as_string()));
    const auto pages = list_pages(b.engine, "acme", copy.file_id, false);
    ASSERT_TRUE(pages);
    ASSERT_GE(pages->size(), 2u);
    for (const auto& page : *pages) {
        const auto file =
            ingest::find_file(b.engine, "acme", std::string(page.at("file_id").as_string()));
        ASSERT_TRUE(file) << "its pages are the copy's";
        EXPECT_GT(file->size, 0);
        EXPECT_TRUE(b.store.head(objects::Key{file->key}));
    }
}

TEST(Copies, pages_go_with_the_last_of_them) {
    Bench b;
    const auto first = b.invoice("first");
    b.result(first);
    const auto copy = b.invoice("copy");
    const int pages = b.count("unified_files WHERE file_type = 'pdf_page'");
    ASSERT_GE(pages, 2);

    b.uploads.remove("acme", first.file_id);

    EXPECT_EQ(b.count("unified_files WHERE file_type = 'pdf_page' AND deleted_at IS NULL"), pages);
    EXPECT_EQ(b.store.list("acme/.pages/").objects.size(), static_cast<std::size_t>(pages));
    EXPECT_EQ(list_pages(b.engine, "acme", copy.file_id, false)->size(),
              static_cast<std::size_t>(pages));

    b.uploads.remove("acme", copy.file_id);

    EXPECT_EQ(b.count("unified_files WHERE deleted_at IS NULL"), 0);
    EXPECT_TRUE(b.store.list("acme/.pages/").objects.empty());
}

TEST(Copies, a_receipt_is_called_the_same_in_every_view) {
    Bench b;
    const auto known = ai::rules::typed_page(
        "KAFFEBUTIKEN AB\nOrg.nr 556677-8899\n2024-03-11 12:30\nKVITTO\nTe     30,00\nTOTALT SEK "
        "      30,00\n");
    b.result(b.upload("known", {known}, "receipt", "known"));
    const auto misread = ai::rules::typed_page(
        "KAFFEBUTLKEN CENTRAL AB\nOrg.nr 556677-8899\n2024-03-12 12:30\nKVITTO\nKaffe            "
        "45,00\nTOTALT SEK       45,00\n");
    const auto file = b.upload("misread", {misread}, "receipt", "misread");
    const std::string name{b.result(file).at("merchant").as_string()};
    ASSERT_NE(name, "KAFFEBUTIKEN AB");
    ASSERT_EQ(b.count("companies"), 1);

    const auto found = find_finding(b.engine, "acme", "WF1_RECEIPT", file.file_id);
    EXPECT_EQ(found->at("merchant").as_string(), name);
    const auto csv = b.csv();
    EXPECT_NE(csv.back().find(name), std::string::npos) << csv.back();
    EXPECT_NE(sie_export(b.engine, "acme", {}, {2024, 3, 31}).find(name.substr(0, 12)),
              std::string::npos);
    const auto near = b.engine.transact([&](Tx& tx) {
        return receipts_near(tx, "acme", {2024, 3, 12}, {2024, 3, 12}, "SEK", false);
    });
    ASSERT_EQ(near.size(), 1u);
    EXPECT_EQ(near[0].merchant, name);
}

}  // namespace
}  // namespace belay::workflows

// corrections_test.cpp — a person's word on a receipt: kept everywhere the value was, with what it was before.
#include "ingestion/workflows/paper/corrections.hpp"

#include <gtest/gtest.h>

#include "ingestion/workflows/paper/findings.hpp"
#include "ingestion/workflows/paper/paper_bench.hpp"

namespace belay::workflows {
namespace {

namespace json = boost::json;

struct Read {
    PaperBench b{};
    ingest::Ingested file{};

    Read() {
        const auto sample = samples::make_receipt(2, samples::Language::Swedish);
        file = b.upload("a receipt", samples::pages_of(sample.sheets), "receipt");
        b.result(file);
    }
    Judged correct(const std::string& field, std::optional<std::string> value,
                   const std::string& organization_id = "acme") {
        return b.engine.transact([&](Tx& tx) {
            return correct_paper(tx, organization_id, "receipt", file.file_id, {{field, value}},
                                 "anna");
        });
    }
    json::object told() {
        return *find_finding(b.engine, "acme", std::string(kReceiptWorkflow), file.file_id);
    }
    std::string refusal(const std::string& field, const std::string& value) {
        try {
            correct(field, value);
        } catch (const Error& error) {
            return error.what();
        }
        return "taken";
    }
};

TEST(Correction, a_corrected_total_is_the_total_everywhere_and_sure) {
    Read read;
    const std::string before(read.told().at("total").as_string());

    EXPECT_EQ(read.correct("total", "24.9"), Judged::Done);

    EXPECT_EQ(read.told().at("total").as_string(), "24.90");
    EXPECT_EQ(read.told().at("detail").at("total").at("confidence").as_double(), 1.0);
    EXPECT_EQ(read.b.file_text(read.file.file_id, "gross_amount"), "24.90");
    EXPECT_EQ(read.b.value<std::string>(
                  "SELECT log_text FROM ai_processing_history WHERE job_type = 'correction'"),
              "total: " + before + " → 24.90");
}

TEST(Correction, what_is_no_day_amount_or_currency_is_refused_by_name) {
    Read read;

    EXPECT_EQ(read.refusal("date", "yesterday"),
              "`date` is a day such as 2024-03-12, not `yesterday`");
    EXPECT_EQ(read.refusal("total", "a lot"), "`total` is an amount such as 1249.50, not `a lot`");
    EXPECT_EQ(read.refusal("currency", "kr"),
              "`currency` is a currency of three capital letters such as SEK, not `kr`");
    EXPECT_NE(read.refusal("ai_status", "completed").find("cannot be corrected"),
              std::string::npos);
    EXPECT_EQ(read.b.count("ai_processing_history WHERE job_type = 'correction'"), 0);
}

TEST(Correction, a_corrected_currency_says_whether_the_receipt_can_be_booked) {
    Read read;
    const auto foreign = [&] {
        return json::serialize(read.told().at("review")).find("foreign_currency") !=
               std::string::npos;
    };
    EXPECT_FALSE(foreign());

    read.correct("currency", "EUR");
    EXPECT_TRUE(foreign());
    EXPECT_EQ(read.b.count("document_findings WHERE review LIKE '%foreign_currency%'"), 1);

    read.correct("currency", "SEK");
    EXPECT_FALSE(foreign());
}

TEST(Correction, nobody_corrects_what_is_another_organizations) {
    Read read;
    EXPECT_EQ(read.correct("total", "1", "other"), Judged::NotFound);
}

TEST(Correction, an_approved_receipt_is_completed_and_says_by_whom) {
    Read read;
    read.b.engine.transact([&](Tx& tx) {
        tx.exec("UPDATE unified_files SET ai_status = 'manual_review' WHERE id = ?",
                read.file.file_id);
    });

    const Judged judged = read.b.engine.transact(
        [&](Tx& tx) { return approve_paper(tx, "acme", "receipt", read.file.file_id, "anna"); });

    EXPECT_EQ(judged, Judged::Done);
    EXPECT_EQ(read.b.file_text(read.file.file_id, "ai_status"), "completed");
    EXPECT_EQ(read.b.file_text(read.file.file_id, "approved_by"), "anna");
}

}  // namespace
}  // namespace belay::workflows

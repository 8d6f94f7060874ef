// two_readings_test.cpp — where the readers saw different amounts, sums decide; else both are shown.
#include "ingestion/ai/rules/two_readings.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/statement.hpp"
#include "ingestion/ai/rules/typed_page.hpp"

namespace belay::ai::rules {
namespace {

// `said` as it was read, and `other` as the other reader saw it.
media::Page read_two_ways(const std::string& paper, const std::string& said,
                          const std::string& other) {
    media::Page page = typed_page(paper);
    page.source = media::PageSource::Ocr;
    for (media::Word& word : page.words) {
        if (word.text == said) word.other = other;
    }
    return page;
}

bool asks(const std::vector<std::string>& review, const std::string& beginning) {
    return std::any_of(review.begin(), review.end(),
                       [&](const std::string& reason) { return reason.starts_with(beginning); });
}

constexpr const char* kInvoice = R"(
        Nordic Tools AB
        Invoice number: 4711
        Invoice date: 2024-03-12
        Description        Quantity   Unit price   Amount
        Hammer                    2       100.00   200.00
        Saw                       1       150.00   150.00
        Net total                                  350.00
        VAT 25 %                                    87.50
        Total                                      437.50)";

std::string with(std::string paper, const std::string& from, const std::string& to) {
    paper.replace(paper.rfind(from), from.size(), to);
    return paper;
}

TEST(TwoReadings, of_two_readings_of_an_invoices_total_the_one_that_adds_up_is_taken) {
    const auto page = read_two_ways(with(kInvoice, "437.50", "487.50"), "487.50", "437.50");

    const Invoice invoice = read_invoice({page});

    ASSERT_TRUE(invoice.grand_total);
    EXPECT_EQ(money_text(*invoice.grand_total), "437.50");
    EXPECT_FALSE(asks(invoice.review, "grand_total_read_two_ways"));
}

TEST(TwoReadings, a_total_that_no_sum_speaks_for_is_shown_as_both_read_it) {
    const auto page = read_two_ways(R"(
        Nordic Tools AB
        Invoice number: 4711
        Invoice date: 2024-03-12
        Total to pay                               487.50)",
                                    "487.50", "437.50");

    const Invoice invoice = read_invoice({page});

    EXPECT_TRUE(asks(invoice.review, "grand_total_read_two_ways: 487.50 and 437.50"));
}

TEST(TwoReadings, what_adds_up_as_it_was_read_stays) {
    const auto page = read_two_ways(kInvoice, "437.50", "487.50");
    int asked = 0;

    const auto pages = settled({page}, [&](const std::vector<media::Page>&) {
        ++asked;
        return Balance{1, 0};
    });

    EXPECT_EQ(asked, 1);
    EXPECT_EQ(pages.front().words.back().text, "437.50");
}

TEST(TwoReadings, a_page_with_a_thousand_doubts_costs_so_many_trials_and_no_more) {
    std::string paper;
    for (int i = 0; i < 1000; ++i) paper += "Something 12.00\n";
    int asked = 0;

    settled({read_two_ways(paper, "12.00", "72.00")}, [&](const std::vector<media::Page>&) {
        ++asked;
        return Balance{0, 1};
    });

    EXPECT_EQ(asked, 1 + static_cast<int>(kTrialsMax));
}

TEST(TwoReadings, of_two_readings_of_a_statements_row_the_one_that_sums_right_is_taken) {
    const auto page = read_two_ways(R"(
        First Card statement
        Statement date: 2024-03-31
        Date         Description              Amount
        2024-03-02   Hotel Norr               700.00
        2024-03-05   Taxi Syd                 200.00
        Previous balance                        0.00
        New balance                           300.00)",
                                    "700.00", "100.00");

    const Statement statement = read_statement({page});

    EXPECT_TRUE(statement.adds_up);
    ASSERT_EQ(statement.rows.size(), 2u);
    EXPECT_EQ(money_text(statement.rows[0].amount), "100.00");
}

}  // namespace
}  // namespace belay::ai::rules

// samples_test.cpp — the same seed gives the same document, and its truth adds up.
#include <gtest/gtest.h>

#include <belay/codec.hpp>

#include "ingestion/samples/sample.hpp"

namespace belay::samples {
namespace {

TEST(Samples, the_same_seed_gives_the_same_document) {
    EXPECT_EQ(to_json(make_invoice(7, Language::Swedish, 40).truth),
              to_json(make_invoice(7, Language::Swedish, 40).truth));
    EXPECT_NE(to_json(make_invoice(7, Language::Swedish, 40).truth),
              to_json(make_invoice(8, Language::Swedish, 40).truth));
}

TEST(Samples, an_invoice_of_75_lines_has_three_pages) {
    EXPECT_EQ(make_invoice(1, Language::English, 75).sheets.size(), 3U);
}

TEST(Samples, every_text_of_a_sheet_is_in_its_page) {
    const auto sample = make_statement(3, Language::Swedish, 30);
    const auto pages = pages_of(sample.sheets);
    std::size_t words = 0;
    for (const auto& page : pages) words += page.words.size();
    EXPECT_GT(words, 150U);
    EXPECT_EQ(sample.truth.rows.size(), 30U);
}

TEST(Samples, a_receipt_has_its_items_in_its_total) {
    const auto sample = make_receipt(2, Language::German);
    EXPECT_FALSE(sample.truth.items.empty());
    EXPECT_TRUE(sample.truth.total);
}

}  // namespace
}  // namespace belay::samples

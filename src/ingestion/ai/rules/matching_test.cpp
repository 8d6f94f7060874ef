// matching_test.cpp — receipts find their lines.
#include "ingestion/ai/rules/matching.hpp"

#include <gtest/gtest.h>

namespace belay::ai::rules {
namespace {

MatchLine line(std::string id, Date date, std::int64_t cents, std::string merchant = "") {
    return {std::move(id), date, {cents, 2}, std::move(merchant), MatchStatus::Pending, ""};
}

MatchReceipt receipt(std::string id, Date date, std::int64_t cents, std::string merchant = "") {
    MatchReceipt out;
    out.id = std::move(id);
    out.date = date;
    out.gross = Decimal{cents, 2};
    out.merchant = std::move(merchant);
    return out;
}

const MatchChange* change_for(const std::vector<MatchChange>& changes, std::string_view line_id) {
    for (const auto& change : changes) {
        if (change.line == line_id) return &change;
    }
    return nullptr;
}

TEST(Matching, the_line_with_the_fewest_candidates_chooses_first) {
    const std::vector lines{line("two", {2025, 3, 1}, 10000), line("one", {2025, 3, 1}, 9500)};
    const std::vector receipts{receipt("a", {2025, 3, 1}, 10000),
                               receipt("b", {2025, 3, 1}, 10900)};

    const auto changes = match_automatically(lines, receipts);

    // "one" is within 10 of "a" only; "two" could have either and takes what is left.
    EXPECT_EQ(change_for(changes, "one")->receipt, "a");
    EXPECT_EQ(change_for(changes, "two")->receipt, "b");
}

TEST(Matching, a_receipt_is_used_once) {
    const std::vector lines{line("x", {2025, 3, 1}, 5000), line("y", {2025, 3, 2}, 5000)};
    const std::vector receipts{receipt("a", {2025, 3, 1}, 5000)};

    const auto changes = match_automatically(lines, receipts);

    EXPECT_EQ(change_for(changes, "x")->receipt, "a");
    EXPECT_EQ(change_for(changes, "y")->to, MatchStatus::Unmatched);
    EXPECT_EQ(change_for(changes, "y")->reason, "auto-match-unmatched");
}

TEST(Matching, amount_counts_before_days_and_days_before_the_merchants_name) {
    const auto wanted = line("x", {2025, 3, 10}, 5000, "KVARNEN RESTAURANG");
    const std::vector receipts{receipt("near", {2025, 3, 10}, 5100),
                               receipt("exact", {2025, 4, 9}, 5000),
                               receipt("other", {2025, 4, 8}, 5000, "Macken"),
                               receipt("named", {2025, 4, 8}, 5000, "Restaurang Kvarnen")};

    const auto candidates = match_candidates(wanted, receipts);

    ASSERT_EQ(candidates.size(), 4U);
    EXPECT_EQ(candidates[0].receipt, "named");
    EXPECT_EQ(candidates[1].receipt, "other");
    EXPECT_EQ(candidates[2].receipt, "exact");
    EXPECT_EQ(candidates[3].receipt, "near");
}

TEST(Matching, windows_and_limits_bound_the_candidates) {
    const auto wanted = line("x", {2025, 3, 1}, 100000);
    EXPECT_TRUE(match_candidates(wanted, {receipt("late", {2025, 5, 1}, 100000)}).empty());
    EXPECT_EQ(match_candidates(wanted, {receipt("day_60", {2025, 4, 30}, 100000)}).size(), 1U);
    EXPECT_TRUE(match_candidates(wanted, {receipt("dear", {2025, 3, 1}, 101001)}).empty());
    EXPECT_EQ(match_candidates(wanted, {receipt("ten_more", {2025, 3, 1}, 101000)}).size(), 1U);
    std::vector<MatchReceipt> many;
    for (int i = 0; i < 40; ++i) many.push_back(receipt(std::to_string(i), {2025, 3, 1}, 100000));
    EXPECT_EQ(match_candidates(wanted, many).size(), 25U);
}

TEST(Matching, confidence_falls_with_difference_and_days_and_stays_in_bounds) {
    EXPECT_DOUBLE_EQ(match_confidence({10000, 2}, {0, 2}, 0), 0.95);
    EXPECT_DOUBLE_EQ(match_confidence({10000, 2}, {0, 2}, 60), 0.75);
    EXPECT_NEAR(match_confidence({10000, 2}, {1000, 2}, 6), 1 - 0.06 - 0.05, 1e-9);
    EXPECT_DOUBLE_EQ(match_confidence({100, 2}, {1000, 2}, 30), 0.25);
}

TEST(Matching, a_personal_receipt_and_a_decided_line_are_left_alone) {
    auto mine = receipt("mine", {2025, 3, 1}, 5000);
    mine.personal = true;
    auto confirmed = line("done", {2025, 3, 1}, 5000);
    confirmed.status = MatchStatus::Confirmed;
    confirmed.receipt = "kept";

    const auto changes = match_automatically({confirmed, line("x", {2025, 3, 1}, 5000)},
                                             {mine, receipt("kept", {2025, 3, 1}, 5000)});

    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].line, "x");
    EXPECT_EQ(changes[0].to, MatchStatus::Unmatched);
}

TEST(Matching, a_refund_does_not_match_a_purchase) {
    const std::vector receipts{receipt("bought", {2025, 3, 1}, 300),
                               receipt("returned", {2025, 3, 1}, -300)};

    const auto candidates = match_candidates(line("x", {2025, 3, 1}, -300), receipts);

    ASSERT_EQ(candidates.size(), 1U);
    EXPECT_EQ(candidates[0].receipt, "returned");
}

TEST(Matching, the_amount_of_a_receipt_is_the_first_that_is_known) {
    MatchReceipt r;
    EXPECT_FALSE(r.amount());
    r.net = Decimal{8000, 2};
    EXPECT_EQ(*r.amount(), (Decimal{8000, 2}));
    r.gross = Decimal{0, 2};
    r.gross_sek = Decimal{10000, 2};
    EXPECT_EQ(*r.amount(), (Decimal{10000, 2}));
}

TEST(Matching, a_person_sees_the_linked_receipt_first) {
    auto wanted = line("x", {2025, 3, 1}, 5000);
    wanted.receipt = "b";
    const auto candidates = candidates_to_choose(
        wanted, {receipt("a", {2025, 3, 1}, 5000), receipt("b", {2025, 3, 4}, 9000),
                 receipt("far", {2025, 3, 9}, 5000)});
    ASSERT_EQ(candidates.size(), 2U);
    EXPECT_EQ(candidates[0].receipt, "b");
    EXPECT_NEAR(candidates[0].score, 1 - 0.7 * 0.8 - 0.3 * 0.1, 1e-9);
}

TEST(Matching, a_receipt_in_use_elsewhere_is_refused) {
    auto other = line("other", {2025, 3, 1}, 5000);
    other.receipt = "a";
    const auto wanted = line("x", {2025, 3, 1}, 5000);
    EXPECT_EQ(link_manually(wanted, "a", {wanted, other}).in_use->by_line, "other");
    const auto linked = link_manually(wanted, "b", {wanted, other});
    EXPECT_EQ(linked.change->to, MatchStatus::Manual);
    EXPECT_DOUBLE_EQ(linked.change->score, 1.0);
}

TEST(Matching, confirmed_is_the_end_until_somebody_takes_it_back) {
    auto done = line("x", {2025, 3, 1}, 5000);
    done.status = MatchStatus::Confirmed;
    done.receipt = "a";
    EXPECT_TRUE(reject_match(done).not_allowed);
    EXPECT_TRUE(link_manually(done, "b", {done}).not_allowed);
    EXPECT_TRUE(confirm_match(done).not_allowed);
    for (const auto to : {MatchStatus::Pending, MatchStatus::Manual, MatchStatus::Unmatched,
                          MatchStatus::Ignored}) {
        EXPECT_FALSE(may_change(MatchStatus::Confirmed, to));
    }
    const auto back = reopen_match(done);
    EXPECT_EQ(back.change->to, MatchStatus::Auto);
    EXPECT_EQ(back.change->receipt, "a");
    EXPECT_EQ(back.change->action, "matched");
    EXPECT_EQ(back.change->reason, "confirmation-taken-back");
}

TEST(Matching, a_line_that_needs_none_needs_one_again_when_that_is_taken_back) {
    auto ignored = line("x", {2025, 3, 1}, 5000);
    ignored.status = MatchStatus::Ignored;
    EXPECT_EQ(reopen_match(ignored).change->to, MatchStatus::Pending);
    ignored.status = MatchStatus::Auto;
    EXPECT_TRUE(reopen_match(ignored).not_allowed);
}

TEST(Matching, rejecting_frees_the_receipt) {
    auto matched = line("x", {2025, 3, 1}, 5000);
    matched.status = MatchStatus::Auto;
    matched.receipt = "a";
    const auto outcome = reject_match(matched);
    EXPECT_EQ(outcome.change->to, MatchStatus::Unmatched);
    EXPECT_EQ(outcome.change->old_receipt, "a");
    EXPECT_EQ(outcome.change->receipt, "");
    EXPECT_EQ(outcome.change->action, "rejected");
}

TEST(Matching, the_document_is_matched_when_every_line_is) {
    auto a = line("a", {2025, 3, 1}, 1), b = line("b", {2025, 3, 1}, 1);
    EXPECT_EQ(status_by_lines({a, b}), DocumentStatus::Imported);
    a.receipt = "r";
    EXPECT_EQ(status_by_lines({a, b}), DocumentStatus::PartiallyMatched);
    b.status = MatchStatus::Ignored;
    EXPECT_EQ(status_by_lines({a, b}), DocumentStatus::Matched);
    EXPECT_TRUE(may_change(DocumentStatus::Imported, DocumentStatus::Matching));
    EXPECT_FALSE(may_change(DocumentStatus::Completed, DocumentStatus::Imported));
    EXPECT_TRUE(may_change(ProcessingStatus::OcrDone, ProcessingStatus::ReadyForMatching));
    EXPECT_FALSE(may_change(ProcessingStatus::Uploaded, ProcessingStatus::Completed));
}

}  // namespace
}  // namespace belay::ai::rules

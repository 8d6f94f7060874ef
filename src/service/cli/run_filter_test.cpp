#include "service/cli/run_filter.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"

namespace belay::cli {
namespace {

using namespace std::chrono_literals;

const Time kNow = base::parse_time("2026-11-15T20:00:00Z").value();

std::string refused(const FilterOptions& options) {
    try {
        filter_of(options, kNow);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        return error.what();
    }
    return "not refused";
}

TEST(RunFilter, options_become_a_filter) {
    const auto filter = filter_of({.status = "failed", .workflow = "WF2", .since = "1h"}, kNow);

    EXPECT_EQ(filter.status, RunStatus::Failed);
    EXPECT_EQ(filter.workflow_key, "WF2");
    EXPECT_EQ(filter.since, kNow - 1h);
    EXPECT_EQ(filter.until, std::nullopt);
    EXPECT_TRUE(is_narrowed(filter));
    EXPECT_EQ(in_words(filter), "failed runs of WF2, created since 2026-11-15T19:00:00.000Z");
}

TEST(RunFilter, without_options_it_is_all_runs) {
    const auto filter = filter_of({}, kNow);

    EXPECT_FALSE(is_narrowed(filter));
    EXPECT_EQ(in_words(filter), "all runs");
    EXPECT_EQ(as_typed({}), "");
}

TEST(RunFilter, labels_are_typed_as_name_and_value) {
    const FilterOptions options{.labels = {"customer=42", "note=it's = fine"}};
    const auto filter = filter_of(options, kNow);

    EXPECT_EQ(filter.labels, (Labels{{"customer", "42"}, {"note", "it's = fine"}}));
    EXPECT_TRUE(is_narrowed(filter));
    EXPECT_EQ(in_words(filter), "runs labeled customer=42, note=it's = fine");
    EXPECT_EQ(as_typed(options), " --label customer=42 --label 'note=it'\\''s = fine'");
    EXPECT_EQ(refused({.labels = {"customer"}}), "`customer` is no label; give one as customer=42");
    EXPECT_EQ(refused({.labels = {"a=1", "a=2"}}),
              "label `a` is given twice; a run has one value for it");
}

TEST(RunFilter, can_be_typed_again) {
    EXPECT_EQ(as_typed({.status = "failed", .text = "it's $(x)", .ended_since = "2026-11-15"}),
              " --status failed --text 'it'\\''s $(x)' --ended-since 2026-11-15");
}

TEST(RunFilter, what_it_cannot_understand_is_refused_with_examples) {
    EXPECT_EQ(refused({.since = "yesterday"}),
              "--since `yesterday` is not a time; give one such as 1h (ago), 7d, 2026-11-15, "
              "2026-11-15T20:00:00Z");
    EXPECT_EQ(
        refused({.status = "done"}),
        "--status `done` is not a state of a run; there are queued, running, waiting, paused, "
        "succeeded, failed, canceled");
    EXPECT_EQ(
        refused({.since = "1h", .until = "2h"}),
        "--since (2026-11-15T19:00:00.000Z) is not before --until (2026-11-15T18:00:00.000Z): no "
        "run can be between them");
}

}  // namespace
}  // namespace belay::cli

// said_test.cpp — labels and exposed values: what a run says of itself, found and read in every store.
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class SaidTest : public StoreTest {
protected:
    Ids list(Labels labels) {
        RunFilter filter;
        filter.labels = std::move(labels);
        return ids_of(store->list_runs(filter).runs);
    }
    Submit labeled(const std::string& id, Labels labels) {
        Submit verb = submit_of(id);
        verb.run.labels = std::move(labels);
        return verb;
    }
    static Say say_of(const model::Run& run, model::Said said) {
        return {lease_of(run), std::move(said), {}};
    }
    Labels labels_of(const std::string& id) { return store->said(store->find_run(id)->no).labels; }
};

TEST_P(SaidTest, runs_are_found_by_the_labels_of_their_submission) {
    apply_all({labeled("a", {{"customer", "42"}, {"tier", "gold"}}),
               labeled("b", {{"customer", "42"}}), labeled("c", {{"customer", "43"}}),
               submit_of("d")});

    EXPECT_EQ(list({{"customer", "42"}}), (Ids{"b", "a"}));
    EXPECT_EQ(list({{"customer", "42"}, {"tier", "gold"}}), Ids{"a"});
    EXPECT_EQ(list({{"customer", "4"}}), Ids{});
    EXPECT_EQ(list({{"Customer", "42"}}), Ids{});
    EXPECT_EQ(list({}), (Ids{"d", "c", "b", "a"}));
    EXPECT_EQ(labels_of("a"), (Labels{{"customer", "42"}, {"tier", "gold"}}));
    EXPECT_EQ(labels_of("d"), Labels{});
}

TEST_P(SaidTest, labels_narrow_with_the_other_filters_and_page_by_page) {
    for (const auto* id : {"a", "b", "c"}) apply(labeled(id, {{"customer", "42"}}));
    RunFilter filter;
    filter.labels = {{"customer", "42"}};
    filter.limit = 2;

    const RunPage first = store->list_runs(filter);
    filter.before = first.next;
    const RunPage second = store->list_runs(filter);
    filter.before.reset();
    filter.status = RunStatus::Succeeded;

    EXPECT_EQ(ids_of(first.runs), (Ids{"c", "b"}));
    EXPECT_EQ(ids_of(second.runs), Ids{"a"});
    EXPECT_TRUE(store->list_runs(filter).runs.empty());
}

TEST_P(SaidTest, the_labels_of_a_page_are_read_at_once) {
    apply_all(
        {labeled("a", {{"customer", "42"}}), submit_of("b"), labeled("c", {{"tier", "gold"}})});
    std::vector<RunNo> numbers;
    for (const auto* id : {"a", "b", "c"}) numbers.push_back(store->find_run(id)->no);

    const LabelsOfRuns labels = store->labels(numbers);

    EXPECT_EQ(labels.size(), 2U);
    EXPECT_EQ(labels.at(numbers[0]), (Labels{{"customer", "42"}}));
    EXPECT_EQ(labels.at(numbers[2]), (Labels{{"tier", "gold"}}));
    EXPECT_TRUE(store->labels({}).empty());
}

// P3: what makes a run the same is its workflow and its input.
TEST_P(SaidTest, a_submission_that_joins_leaves_the_labels_as_they_are) {
    apply(labeled("july", {{"customer", "42"}}));

    const auto again = apply(labeled("july", {{"customer", "43"}, {"tier", "gold"}}));

    EXPECT_EQ(std::get<SubmitOutcome>(again.outcome).kind, SubmitKind::Joined);
    EXPECT_EQ(labels_of("july"), (Labels{{"customer", "42"}}));
}

TEST_P(SaidTest, what_a_run_says_replaces_what_stands_under_the_name_and_survives_a_restart) {
    apply(labeled("july", {{"customer", "42"}}));
    const auto run = apply(claim_of()).outcome.claimed.at(0);

    apply(say_of(run, {{{"customer", "43"}, {"tier", "gold"}}, {{"status", R"("begun")"}}}));
    apply(say_of(run, {{}, {{"status", R"("half")"}, {"total", "12"}}}));
    restart();

    EXPECT_EQ(labels_of("july"), (Labels{{"customer", "43"}, {"tier", "gold"}}));
    EXPECT_EQ(store->exposed(run.no),
              (std::map<std::string, std::string>{{"status", R"("half")"}, {"total", "12"}}));
    EXPECT_EQ(list({{"customer", "42"}}), Ids{});
    EXPECT_EQ(list({{"customer", "43"}}), Ids{"july"});
}

TEST_P(SaidTest, an_old_lease_says_nothing) {
    const auto run = running("july");
    auto old = run;
    old.epoch -= 1;

    const auto said = apply(say_of(old, {{{"customer", "42"}}, {{"status", "1"}}}));

    EXPECT_TRUE(std::holds_alternative<Fenced>(said.outcome));
    EXPECT_EQ(labels_of("july"), Labels{});
    EXPECT_TRUE(store->exposed(run.no).empty());
}

TEST_P(SaidTest, what_a_run_said_stays_when_it_has_ended_and_goes_with_its_record) {
    const auto run = running("july");
    apply(say_of(run, {{{"customer", "42"}}, {{"status", "1"}}}));
    apply(end_of(run, RunStatus::Succeeded));
    EXPECT_EQ(store->exposed(run.no).at("status"), "1");
    EXPECT_EQ(list({{"customer", "42"}}), Ids{"july"});

    Prune prune;
    prune.run_ids = {"july"};
    apply(prune);

    EXPECT_TRUE(store->exposed(run.no).empty());
    EXPECT_TRUE(store->labels({run.no}).empty());
    EXPECT_EQ(list({{"customer", "42"}}), Ids{});
}

TEST_P(SaidTest, a_wake_makes_a_run_that_waits_due_and_leaves_others_as_they_are) {
    const auto run = running("july");
    apply(wait_of(run, now + std::chrono::hours{24}));
    EXPECT_TRUE(apply(claim_of()).outcome.claimed.empty());
    ended("over", RunStatus::Succeeded);

    apply_all({Wake{run.no}, Wake{store->find_run("over")->no}, Wake{RunNo{987654}}});
    EXPECT_EQ(woken().size(), 1U);
    const auto claimed = apply(claim_of()).outcome.claimed;

    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_EQ(claimed[0].id, "july");
    EXPECT_EQ(claimed[0].recoveries, 0);
    EXPECT_EQ(store->find_run("over")->status, RunStatus::Succeeded);
}

BELAY_ON_EVERY_STORE(SaidTest);

}  // namespace
}  // namespace belay::store

// trace_test.cpp — where a run stands in a trace, read from the rows of every store.
#include <belay/trace.hpp>

#include "conformance/store_test.hpp"
#include "core/store/trace_of.hpp"

namespace belay::store {
namespace {

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kSpan = "b7ad6b7169203331";
const std::string kGiven = "00-" + kTrace + "-" + kSpan + "-01";

class TraceTest : public StoreTest {
protected:
    Submit traced(const std::string& id, const std::string& traceparent = kGiven,
                  const std::string& tracestate = "") {
        Submit verb = submit_of(id);
        verb.run.labels = traced_by(traceparent, tracestate);
        return verb;
    }
    Submit child(const std::string& id, const std::string& parent, const std::string& path) {
        Submit verb = submit_of(id);
        verb.run.parent = store->find_run(parent)->no;
        verb.run.parent_path = path;
        return verb;
    }
    TraceOfRun trace(const std::string& id) { return trace_of(*store, *store->find_run(id)); }
    model::Run run(const std::string& id) { return store->find_run(id).value(); }
};

TEST_P(TraceTest, a_run_is_part_of_the_trace_that_it_was_given_also_after_a_restart) {
    apply(traced("july", kGiven, "vendor=1"));
    restart();

    const TraceOfRun given = trace("july");

    EXPECT_EQ(given.trace_id, kTrace);
    EXPECT_EQ(given.parent_span, kSpan);
    EXPECT_EQ(given.tracestate, "vendor=1");
    EXPECT_TRUE(given.is_given);
    EXPECT_TRUE(given.is_remote);
    EXPECT_TRUE(given.sampled);
}

TEST_P(TraceTest, one_that_was_given_none_has_one_of_its_own_that_stays) {
    apply(submit_of("july"));
    const TraceOfRun before = trace("july");
    restart();

    EXPECT_EQ(trace("july").trace_id, before.trace_id);
    EXPECT_EQ(before.trace_id.size(), 32U);
    EXPECT_EQ(before.parent_span, "");
    EXPECT_FALSE(before.is_given);
    now += 1ms;
    apply(submit_of("august"));
    EXPECT_NE(trace("august").trace_id, before.trace_id);
}

TEST_P(TraceTest, what_nobody_wants_to_see_is_not_sampled_and_neither_is_what_it_starts) {
    apply(traced("july", "00-" + kTrace + "-" + kSpan + "-00"));
    apply(child("august", "july", "1"));

    EXPECT_FALSE(trace("july").sampled);
    EXPECT_FALSE(trace("august").sampled);
}

TEST_P(TraceTest, a_label_that_is_no_traceparent_counts_as_none) {
    Submit verb = submit_of("july");
    verb.run.labels = {{kTraceparentLabel, "made up"}};
    apply(verb);

    EXPECT_FALSE(trace("july").is_given);
    EXPECT_EQ(trace("july").trace_id.size(), 32U);
}

TEST_P(TraceTest, a_child_is_below_the_stage_that_awaits_it_and_so_is_its_child) {
    apply(traced("july", kGiven, "vendor=1"));
    apply(child("august", "july", "2.1"));
    apply(child("september", "august", "1"));
    restart();

    EXPECT_EQ(trace("august").trace_id, kTrace);
    EXPECT_EQ(trace("august").parent_span, stage_span(run("july"), "2.1"));
    EXPECT_EQ(trace("august").tracestate, "vendor=1");
    EXPECT_FALSE(trace("august").is_remote);
    EXPECT_TRUE(trace("august").is_given);
    EXPECT_EQ(trace("september").trace_id, kTrace);
    EXPECT_EQ(trace("september").parent_span, stage_span(run("august"), "1"));
}

TEST_P(TraceTest, the_children_of_one_without_a_trace_are_in_its_own) {
    apply(submit_of("july"));
    apply(child("august", "july", "1"));

    EXPECT_EQ(trace("august").trace_id, trace("july").trace_id);
    EXPECT_EQ(trace("august").parent_span, stage_span(run("july"), "1"));
    EXPECT_FALSE(trace("august").is_given);
}

TEST_P(TraceTest, it_survives_a_run_that_continues_as_new) {
    apply(traced("july"));
    const auto claimed = apply(claim_of()).outcome.claimed.at(0);
    const std::string first = stage_span(run("july"), "1");

    apply(Release{lease_of(claimed), "{}", {}});
    restart();

    EXPECT_EQ(trace("july").trace_id, kTrace);
    EXPECT_EQ(trace("july").parent_span, kSpan);
    EXPECT_NE(stage_span(run("july"), "1"), first);  // another history has other stages
}

TEST_P(TraceTest, a_run_that_is_opened_again_is_another_span_of_the_same_trace) {
    apply(traced("july"));
    const auto claimed = apply(claim_of()).outcome.claimed.at(0);
    apply(end_of(claimed, RunStatus::Failed));
    const std::string first = run_span(run("july"));
    Submit again = traced("july");
    again.retry_failed = true;
    apply(again);

    EXPECT_EQ(trace("july").trace_id, kTrace);
    EXPECT_NE(run_span(run("july")), first);
    EXPECT_EQ(run_span("july", 1), first);
}

BELAY_ON_EVERY_STORE(TraceTest);

}  // namespace
}  // namespace belay::store

// trace_context_test.cpp — what W3C says of traceparent, read as strictly as it says it.
#include "core/base/trace_context.hpp"

#include <gtest/gtest.h>

#include <belay/trace.hpp>

#include "core/base/hash.hpp"

namespace belay::base {
namespace {

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kSpan = "b7ad6b7169203331";
const std::string kGood = "00-" + kTrace + "-" + kSpan + "-01";

TEST(TraceContext, a_traceparent_is_read_and_written_as_it_was) {
    const auto read = parse_traceparent(kGood);

    ASSERT_TRUE(read);
    EXPECT_EQ(*read, (TraceContext{kTrace, kSpan, true}));
    EXPECT_EQ(to_string(*read), kGood);
    EXPECT_FALSE(parse_traceparent("00-" + kTrace + "-" + kSpan + "-00")->sampled);
    EXPECT_TRUE(parse_traceparent("00-" + kTrace + "-" + kSpan + "-0b")->sampled);
}

TEST(TraceContext, what_is_malformed_is_none) {
    const std::string zeros32(32, '0');
    const std::string zeros16(16, '0');
    std::string upper = kGood;
    upper[4] = 'A';
    for (const std::string& wrong :
         {std::string{}, std::string("00"), kGood.substr(0, 54), kGood + "0", kGood + "-00",
          "ff-" + kTrace + "-" + kSpan + "-01", "0g-" + kTrace + "-" + kSpan + "-01",
          "00-" + zeros32 + "-" + kSpan + "-01", "00-" + kTrace + "-" + zeros16 + "-01",
          "00-" + kTrace + "-" + kSpan + "-0x", "00_" + kTrace + "-" + kSpan + "-01", upper,
          " " + kGood.substr(0, 54), "01-" + kTrace + "-" + kSpan + "-01x"}) {
        EXPECT_FALSE(parse_traceparent(wrong)) << wrong;
    }
}

TEST(TraceContext, a_later_version_is_read_as_far_as_it_is_known) {
    EXPECT_EQ(parse_traceparent("01-" + kTrace + "-" + kSpan + "-01-more"),
              (TraceContext{kTrace, kSpan, true}));
    EXPECT_TRUE(parse_traceparent("01-" + kTrace + "-" + kSpan + "-01"));
}

TEST(TraceContext, a_tracestate_is_cut_between_entries) {
    EXPECT_EQ(fit_tracestate("a=1,b=2", 100), "a=1,b=2");
    EXPECT_EQ(fit_tracestate("a=1,b=2", 6), "a=1");
    EXPECT_EQ(fit_tracestate("a=1,b=2", 3), "a=1");
    EXPECT_EQ(fit_tracestate("a=123456", 5), "");
}

TEST(TraceContext, headers_become_labels_and_malformed_ones_nothing) {
    EXPECT_EQ(traced_by(kGood, "v=1"), (Labels{{"traceparent", kGood}, {"tracestate", "v=1"}}));
    EXPECT_EQ(traced_by(kGood), (Labels{{"traceparent", kGood}}));
    EXPECT_EQ(traced_by("nonsense", "v=1"), Labels{});
    EXPECT_EQ(traced_by(kGood, "v=\x01"), (Labels{{"traceparent", kGood}}));
    const Labels cut =
        traced_by(kGood, "a=" + std::string(150, 'x') + ",b=" + std::string(150, 'y'));
    EXPECT_EQ(cut.at("tracestate"), "a=" + std::string(150, 'x'));
}

TEST(TraceContext, ids_are_the_same_for_ever) {
    // printf 'july' | sha256sum
    EXPECT_EQ(trace_id_of("july").size(), 32U);
    EXPECT_EQ(span_id_of("july"), trace_id_of("july").substr(0, 16));
    EXPECT_EQ(span_id_of("july"), sha256_hex("july").substr(0, 16));
}

struct Fixed final : TraceSource {
    TraceHeaders headers() const override { return {kGood, "v=1"}; }
};

TEST(TraceContext, a_thread_works_for_whom_it_was_told_and_then_again_for_whom_it_did_before) {
    EXPECT_EQ(traceparent(), "");
    {
        const Fixed source;
        const TraceScope scope(source);
        EXPECT_EQ(traceparent(), kGood);
        EXPECT_EQ(tracestate(), "v=1");
    }
    EXPECT_EQ(traceparent(), "");
}

TEST(TraceContext, a_call_is_a_span_only_where_somebody_takes_it_and_its_trace_is_sampled) {
    const Fixed source;
    const TraceScope scope(source);
    EXPECT_FALSE(begin_call(Time{}));

    std::vector<std::string> taken;
    auto taking = take_traces([&](TracedCall call) { taken.push_back(call.span_id); });
    const auto first = begin_call(Time{});
    const auto second = begin_call(Time{});
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->parent, kGood);
    EXPECT_NE(first->span_id, second->span_id);
    tell_call(*first);
    taking.reset();
    tell_call(*second);

    EXPECT_EQ(taken, std::vector<std::string>{first->span_id});
    EXPECT_FALSE(are_traces_taken());
}

}  // namespace
}  // namespace belay::base

#include "ingestion/isolate/message.hpp"

#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "core/base/utf8.hpp"
#include "ingestion/isolate/frame.hpp"

namespace belay::isolate {
namespace {

std::string answer_payload(const Answer& answer) {
    auto payload = encode_answer_lengths(answer) + answer.json;
    for (const auto& blob : answer.blobs) payload += blob;
    return payload;
}

TEST(Message, every_message_reads_back_as_written) {
    const auto hello = decode_hello(encode(Hello{"seccomp", {"a", "b"}, {{"b", "no model"}}}));
    EXPECT_EQ(hello.sandbox, "seccomp");
    EXPECT_EQ(hello.jobs, (std::vector<std::string>{"a", "b"}));
    ASSERT_EQ(hello.unavailable.size(), 1u);
    EXPECT_EQ(hello.unavailable[0].reason, "no model");

    Start start{.name = "ocr", .inputs = 3};
    start.limits.memory_bytes = 1ull << 40;
    start.limits.wall_time = std::chrono::milliseconds{1234};
    const auto read = decode_start(encode(start));
    EXPECT_EQ(read.name, "ocr");
    EXPECT_EQ(read.inputs, 3u);
    EXPECT_EQ(read.limits.memory_bytes, 1ull << 40);
    EXPECT_EQ(read.limits.wall_time.count(), 1234);

    const auto ended =
        decode_ended(encode(Ended{.signal = 11, .peak_bytes = 5, .cpu_ms = 6, .message = "m"}));
    EXPECT_EQ(ended.signal, 11);
    EXPECT_EQ(ended.cpu_ms, 6u);

    const auto failure =
        decode_failure(encode(Failure{FailureCode::Rejected, "empty", "nothing there"}));
    EXPECT_EQ(failure.code, FailureCode::Rejected);
    EXPECT_EQ(failure.reject_code, "empty");

    const auto answer = decode_answer(answer_payload({"{}", {"one", "", "three"}}));
    EXPECT_EQ(answer.json, "{}");
    EXPECT_EQ(answer.blobs, (std::vector<std::string>{"one", "", "three"}));
}

TEST(Message, a_job_may_not_report_what_only_the_parent_knows) {
    for (const auto code : {FailureCode::Stopped, FailureCode::Crashed, FailureCode::TimedOut}) {
        EXPECT_THROW(decode_failure(encode(Failure{code, {}, {}})), BadFrame);
    }
}

TEST(Message, texts_are_repaired_and_cut_when_written_and_refused_when_read) {
    const auto failure =
        decode_failure(encode(Failure{FailureCode::Rejected, "a\xff", std::string(9999, '\xc3')}));
    EXPECT_TRUE(base::is_utf8(failure.reject_code));
    EXPECT_TRUE(base::is_utf8(failure.message));
    EXPECT_LE(failure.message.size(), kMessageBytesMax);
    auto raw = encode(Failure{FailureCode::Rejected, "ok", "text"});
    raw.back() = '\xff';
    EXPECT_THROW(decode_failure(raw), BadFrame);
}

TEST(Message, an_answer_whose_lengths_do_not_add_up_is_refused) {
    const auto payload = answer_payload({"{}", {"one", "two"}});
    EXPECT_THROW(decode_answer(payload + "x"), BadFrame);
    EXPECT_THROW(decode_answer(payload.substr(0, payload.size() - 1)), BadFrame);
    auto many = payload;
    many[8] = many[9] = many[10] = many[11] = '\xff';  // the number of blobs
    EXPECT_THROW(decode_answer(many), BadFrame);
    EXPECT_THROW(decode_answer(answer_payload({"\xff", {}})), BadFrame);
}

TEST(Message, no_bytes_do_worse_than_an_error) {
    std::mt19937 random{20250102};
    const std::vector<std::pair<std::string, std::function<void(std::string_view)>>> kinds{
        {encode(Hello{"s", {"a"}, {{"a", "b"}}}), [](auto p) { decode_hello(p); }},
        {encode(Start{.name = "n"}), [](auto p) { decode_start(p); }},
        {encode(Ended{.message = "m"}), [](auto p) { decode_ended(p); }},
        {encode(Failure{FailureCode::Rejected, "c", "m"}), [](auto p) { decode_failure(p); }},
        {answer_payload({"1", {"b"}}), [](auto p) { decode_answer(p); }},
    };
    for (const auto& [good, decode] : kinds) {
        for (int round = 0; round < 5'000; ++round) {
            auto bytes = good.substr(0, random() % (good.size() + 1));
            for (std::size_t i = 0, n = random() % 3; i < n && !bytes.empty(); ++i) {
                bytes[random() % bytes.size()] = static_cast<char>(random());
            }
            try {
                decode(bytes);
            } catch (const BadFrame&) {
            }
        }
    }
}

}  // namespace
}  // namespace belay::isolate

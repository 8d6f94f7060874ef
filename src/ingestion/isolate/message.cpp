#include "ingestion/isolate/message.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/utf8.hpp"
#include "ingestion/isolate/frame.hpp"
#include "ingestion/isolate/wire.hpp"

namespace belay::isolate {
namespace {

constexpr std::uint32_t kJobsMax = 256;

// The longest start of `text` that is valid UTF-8 and has at most `bytes_max` bytes.
std::string clean(std::string_view text, std::size_t bytes_max) {
    auto out = base::to_valid_utf8(text.substr(0, bytes_max));
    if (out.size() <= bytes_max) return out;
    // Every repaired byte grew to three: cut again, at the start of a character.
    auto end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;
    out.resize(end);
    return out;
}

std::uint32_t bounded(std::uint32_t value, std::uint32_t max, std::string_view what) {
    if (value > max) throw BadFrame(fmt::format("{} {}, at most {}", value, what, max));
    return value;
}

}  // namespace

std::string encode(const Hello& hello) {
    WireWriter out;
    out.text(clean(hello.sandbox, kMessageBytesMax));
    out.u32(static_cast<std::uint32_t>(hello.jobs.size()));
    for (const auto& name : hello.jobs) out.text(name);
    out.u32(static_cast<std::uint32_t>(hello.unavailable.size()));
    for (const auto& job : hello.unavailable) {
        out.text(job.name);
        out.text(clean(job.reason, kMessageBytesMax));
    }
    return out.take();
}

Hello decode_hello(std::string_view payload) {
    WireReader in{payload};
    Hello hello{.sandbox = in.text(kMessageBytesMax)};
    const auto jobs = bounded(in.u32(), kJobsMax, "jobs");
    for (std::uint32_t i = 0; i < jobs; ++i) hello.jobs.push_back(in.text(kNameBytesMax));
    const auto unavailable = bounded(in.u32(), kJobsMax, "unavailable jobs");
    for (std::uint32_t i = 0; i < unavailable; ++i) {
        auto name = in.text(kNameBytesMax);
        hello.unavailable.push_back({std::move(name), in.text(kMessageBytesMax)});
    }
    in.expect_end();
    return hello;
}

std::string encode(const Start& start) {
    WireWriter out;
    out.text(start.name);
    out.u32(start.inputs);
    out.u32(static_cast<std::uint32_t>(start.nice));
    out.u64(start.limits.memory_bytes);
    out.u64(static_cast<std::uint64_t>(start.limits.cpu_time.count()));
    out.u64(static_cast<std::uint64_t>(start.limits.wall_time.count()));
    out.u64(start.limits.output_bytes);
    out.u32(static_cast<std::uint32_t>(start.limits.open_files));
    return out.take();
}

Start decode_start(std::string_view payload) {
    WireReader in{payload};
    Start start{.name = in.text(kNameBytesMax)};
    start.inputs = bounded(in.u32(), kInputsMax, "inputs");
    start.nice = static_cast<int>(bounded(in.u32(), 19, "as a nice value"));
    start.limits.memory_bytes = in.u64();
    start.limits.cpu_time = std::chrono::seconds{static_cast<std::int64_t>(in.u64())};
    start.limits.wall_time = std::chrono::milliseconds{static_cast<std::int64_t>(in.u64())};
    start.limits.output_bytes = in.u64();
    start.limits.open_files = static_cast<int>(bounded(in.u32(), 1u << 20, "open files"));
    in.expect_end();
    return start;
}

std::string encode(const Ended& ended) {
    WireWriter out;
    out.u32(ended.started ? 1 : 0);
    out.u32(static_cast<std::uint32_t>(ended.signal));
    out.u32(static_cast<std::uint32_t>(ended.exit_code));
    out.u64(ended.peak_bytes);
    out.u64(ended.cpu_ms);
    out.text(clean(ended.message, kMessageBytesMax));
    return out.take();
}

Ended decode_ended(std::string_view payload) {
    WireReader in{payload};
    Ended ended;
    ended.started = bounded(in.u32(), 1, "as a truth value") == 1;
    ended.signal = static_cast<int>(bounded(in.u32(), 127, "as a signal"));
    ended.exit_code = static_cast<int>(bounded(in.u32(), 255, "as an exit code"));
    ended.peak_bytes = in.u64();
    ended.cpu_ms = in.u64();
    ended.message = in.text(kMessageBytesMax);
    in.expect_end();
    return ended;
}

std::string encode(const Failure& failure) {
    WireWriter out;
    out.u32(static_cast<std::uint32_t>(failure.code));
    out.text(clean(failure.reject_code, kRejectCodeBytesMax));
    out.text(clean(failure.message, kMessageBytesMax));
    return out.take();
}

Failure decode_failure(std::string_view payload) {
    WireReader in{payload};
    Failure failure;
    const auto code = in.u32();
    // The other codes are for the parent to give: a job may not claim that the caller stopped it.
    constexpr FailureCode may_say[] = {FailureCode::Rejected, FailureCode::OutOfMemory,
                                       FailureCode::OutputTooLarge,
                                       FailureCode::SandboxUnavailable};
    failure.code = static_cast<FailureCode>(code);
    if (code > static_cast<std::uint32_t>(FailureCode::Stopped) ||
        std::find(std::begin(may_say), std::end(may_say), failure.code) == std::end(may_say)) {
        throw BadFrame(fmt::format("{} is no failure that a job may report", code));
    }
    failure.reject_code = in.text(kRejectCodeBytesMax);
    failure.message = in.text(kMessageBytesMax);
    if (!base::is_utf8(failure.reject_code) || !base::is_utf8(failure.message)) {
        throw BadFrame("a failure's text is not UTF-8");
    }
    in.expect_end();
    return failure;
}

std::string encode_answer_lengths(const Answer& answer) {
    WireWriter out;
    out.u64(answer.json.size());
    out.u32(static_cast<std::uint32_t>(answer.blobs.size()));
    for (const auto& blob : answer.blobs) out.u64(blob.size());
    return out.take();
}

std::uint64_t answer_bytes(const Answer& answer) {
    std::uint64_t bytes = answer.json.size();
    for (const auto& blob : answer.blobs) bytes += blob.size();
    return bytes;
}

Answer decode_answer(std::string_view payload) {
    WireReader in{payload};
    const auto json_bytes = in.u64();
    const auto count = bounded(in.u32(), kAnswerBlobsMax, "blobs");
    std::vector<std::uint64_t> sizes;
    for (std::uint32_t i = 0; i < count; ++i) sizes.push_back(in.u64());
    Answer answer{.json = std::string{in.bytes(json_bytes)}};
    if (!base::is_utf8(answer.json)) throw BadFrame("an answer's JSON is not UTF-8");
    answer.blobs.reserve(count);
    for (const auto size : sizes) answer.blobs.emplace_back(in.bytes(size));
    in.expect_end();
    return answer;
}

}  // namespace belay::isolate

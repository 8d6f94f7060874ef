#include "service/traces/exporter.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/saturate.hpp"
#include "core/base/text.hpp"
#include "core/base/utf8.hpp"
#include "core/env/pause.hpp"
#include "service/http/date.hpp"
#include "service/traces/spans_of_run.hpp"

namespace belay::traces {

namespace {

using namespace std::chrono_literals;

constexpr Duration kLookEvery{1000};
constexpr Duration kBackoffFirst{1000};
constexpr Duration kBackoffMost = 60s;
// A collector may name a longer wait; nobody is asked to come back next week.
constexpr Duration kToldWaitMost = 5min;
// Held by a process that has died, a run's spans wait so long for another. Longer than a request takes, and than a wait
// between two.
constexpr Duration kHold = 10min;
constexpr int kRunsPerBatch = 50;
// OpenTelemetry's own defaults: collectors are made for them.
constexpr std::size_t kSpansPerRequest = 512;
constexpr std::size_t kCallsMax = 2048;
// In memory at once, beyond those of one run.
constexpr std::size_t kSpansPerBatch = 2048;
constexpr std::int64_t kRunsWaitingMost = 100'000;
constexpr Duration kKeepHouseEvery = 1min;
constexpr Duration kForgetEvery = 1h;
// A run that is opened again later is told of whole once more, under the same ids.
constexpr Duration kRememberTold = std::chrono::hours{24 * 30};

std::string host_of(const std::string& url) {
    const auto at = url.find("://");
    const auto end = url.find('/', at == std::string::npos ? 0 : at + 3);
    std::string host = url.substr(0, end);
    // Whoever put a password there does not want it in a log.
    if (const auto name = host.rfind('@'); name != std::string::npos)
        host = host.substr(0, at + 3) + host.substr(name + 1);
    return host;
}

// {"partialSuccess": {"rejectedSpans": "3", "errorMessage": "…"}}: taken, but for so many.
struct Partial {
    std::int64_t rejected = 0;
    std::string message{};
};

Partial partial_in(const std::string& body) {
    Partial partial;
    boost::system::error_code broken;
    const auto answer = boost::json::parse(body, broken);
    const auto* object = broken ? nullptr : answer.if_object();
    const auto* some = object ? object->if_contains("partialSuccess") : nullptr;
    if (some == nullptr || !some->is_object()) return partial;
    if (const auto* count = some->get_object().if_contains("rejectedSpans")) {
        const std::string text =
            count->is_string() ? std::string(count->get_string()) : boost::json::serialize(*count);
        partial.rejected = std::max(0, std::atoi(text.c_str()));
    }
    if (const auto* message = some->get_object().if_contains("errorMessage");
        message && message->is_string())
        partial.message = message->get_string();
    return partial;
}

bool may_work_later(int status) {
    return status == 429 || status == 502 || status == 503 || status == 504;
}

Span span_of(const base::TracedCall& call) {
    Span span;
    const auto within = base::parse_traceparent(call.parent);
    if (!within) return span;
    span.trace_id = within->trace_id;
    span.parent_span = within->span_id;
    span.span_id = call.span_id;
    span.name = call.name;
    span.kind = SpanKind::Client;
    span.started_at = call.started_at;
    span.ended_at = call.ended_at;
    for (const auto& [name, value] : call.attributes)
        std::visit([&](const auto& is) { span.attributes.emplace_back(name, is); }, value);
    span.failed = !call.error.empty();
    if (span.failed) span.attributes.emplace_back("error.type", call.error);
    return span;
}

}  // namespace

Exporter::Exporter(ExporterParts parts)
    : parts_(std::move(parts)), outbox_(parts_.engine, parts_.worker, parts_.alone),
      taking_(base::take_traces([this](base::TracedCall call) { add(std::move(call)); })) {
    sender_.version = parts_.version;
    sender_.resource = parts_.options.resource;
    sender_.resource.emplace_back("service.name", parts_.options.service);
    sender_.resource.emplace_back("service.instance.id", parts_.worker);
    sender_.resource.emplace_back("telemetry.sdk.name", std::string("belay"));
    sender_.resource.emplace_back("telemetry.sdk.language", std::string("cpp"));
    sender_.resource.emplace_back("telemetry.sdk.version", parts_.version);
}

void Exporter::add(base::TracedCall call) {
    const std::lock_guard lock(mutex_);
    if (calls_.size() >= kCallsMax) {
        ++counts_.spans_dropped;
        return;
    }
    calls_.push_back(std::move(call));
}

ExportCounts Exporter::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

Duration Exporter::turn(const std::stop_token& stop) {
    const Time now = parts_.clock.now();
    if (now < next_at_) return next_at_ - now;
    try {
        keep_house(now);
        // All of them are over, and that could not be written down.
        if (batches_.empty() && !taken_.empty()) finish();
        if (batches_.empty() && !make_batches()) return kLookEvery;
        return send(stop);
    } catch (const Error& error) {
        // The store cannot be read or written now: what waits there waits on.
        return failed(error.what(), std::nullopt);
    }
}

void Exporter::flush(Duration at_most) {
    const Time until = base::later(parts_.clock.now(), at_most);
    next_at_ = {};
    while (parts_.clock.now() < until && turn() == Duration{0}) {
    }
}

void Exporter::keep_house(Time now) {
    if (kept_house_ && now - *kept_house_ < kKeepHouseEvery) return;
    kept_house_ = now;
    const Outbox::Waiting waiting = outbox_.waiting();
    if (waiting.runs > kRunsWaitingMost) {
        const std::int64_t gone = outbox_.trim(kRunsWaitingMost);
        const std::lock_guard lock(mutex_);
        counts_.runs_dropped += gone;
    }
    if (forgot_ && now - *forgot_ < kForgetEvery) return;
    forgot_ = now;
    outbox_.forget(now - kRememberTold);
}

// False: nothing waits.
bool Exporter::make_batches() {
    const Time now = parts_.clock.now();
    std::vector<Span> spans;
    // Looked at first: an engine that has nothing to tell has nothing to commit.
    if (outbox_.waiting().runs > 0) {
        std::vector<Ended> ended = outbox_.take(kRunsPerBatch, now, now + kHold);
        read(ended, spans);
        taken_ = std::move(ended);
    }
    take_calls(spans);
    if (spans.empty() && taken_.empty()) return false;
    if (spans.empty()) finish();  // none of them is to be told
    cut(std::move(spans));
    return true;
}

void Exporter::take_calls(std::vector<Span>& spans) {
    std::vector<base::TracedCall> calls;
    {
        const std::lock_guard lock(mutex_);
        calls.swap(calls_);
    }
    for (const base::TracedCall& call : calls) spans.push_back(span_of(call));
}

// Of as many as make a batch; the others are left for the next.
void Exporter::read(std::vector<Ended>& ended, std::vector<Span>& spans) {
    for (std::size_t i = 0; i < ended.size(); ++i) {
        Ended& one = ended[i];
        if (spans.size() >= kSpansPerBatch) return ended.resize(i);
        const auto run = parts_.store.find_run(one.run_id);
        // It is gone, or goes on: then its next end tells all of it.
        if (!run || !is_finished(run->status) || one.has_ended_again) continue;
        one.fate =
            run->status == RunStatus::Succeeded ? Ended::Fate::ToldAndOver : Ended::Fate::Told;
        const bool keeps = parts_.keeps_messages && parts_.keeps_messages(run->workflow_key);
        auto told = spans_of(parts_.store, {*run, one.told_until, keeps});
        std::move(told.begin(), told.end(), std::back_inserter(spans));
    }
}

void Exporter::cut(std::vector<Span> spans) {
    for (std::size_t at = 0; at < spans.size(); at += kSpansPerRequest) {
        const auto from = spans.begin() + static_cast<std::ptrdiff_t>(at);
        const auto count = std::min(kSpansPerRequest, spans.size() - at);
        const std::vector<Span> some(
            std::make_move_iterator(from),
            std::make_move_iterator(from + static_cast<std::ptrdiff_t>(count)));
        batches_.push_back({otlp_json(sender_, some), static_cast<std::int64_t>(count)});
    }
    std::reverse(batches_.begin(), batches_.end());
}

Duration Exporter::send(const std::stop_token& stop) {
    if (batches_.empty()) return Duration{0};
    http::Request request;
    request.method = "POST";
    request.url = parts_.options.url;
    request.headers.set("Content-Type", "application/json");
    for (const auto& [name, value] : parts_.options.headers) request.headers.set(name, value);
    request.body = batches_.back().body;
    request.limits.total = parts_.options.time_max;
    request.limits.body_bytes_max = 1u << 20;
    http::Response response;
    try {
        response = parts_.client.send(request, stop);
    } catch (const http::Failure& failure) {
        return failed(fmt::format("{}: {}", host_of(parts_.options.url), failure.what()),
                      std::nullopt);
    }
    const std::string said =
        fmt::format("{} answered {}", host_of(parts_.options.url), response.status);
    if (response.status >= 200 && response.status < 300) {
        const Partial partial = partial_in(response.body);
        if (partial.rejected > 0 && parts_.log)
            parts_.log(fmt::format("traces: {} spans were refused: {}", partial.rejected,
                                   base::truncate(base::to_valid_utf8(partial.message), 200)));
        {
            const std::lock_guard lock(mutex_);
            counts_.spans_dropped += partial.rejected;
            counts_.sent -= partial.rejected;
        }
        over(true);
        return Duration{0};
    }
    if (may_work_later(response.status)) {
        return failed(
            said, http::parse_retry_after(response.headers.get("retry-after"), parts_.clock.now()));
    }
    // A wrong address, key or form does not get better by asking: what it was about is let go, and somebody is told.
    if (parts_.log)
        parts_.log(fmt::format("traces: {} to {} spans, which are lost: {}", said,
                               batches_.back().spans,
                               base::truncate(base::to_valid_utf8(response.body), 200)));
    over(false);
    const std::lock_guard lock(mutex_);
    ++counts_.failures;
    counts_.trouble = said;
    return Duration{0};
}

Duration Exporter::failed(const std::string& why, std::optional<Duration> wait) {
    const bool is_news = wait_ == Duration{0};
    wait_ = is_news ? kBackoffFirst : std::min(wait_ * 2, kBackoffMost);
    const Duration next = wait ? std::clamp(*wait, kBackoffFirst, kToldWaitMost) : wait_;
    next_at_ = base::later(parts_.clock.now(), next);
    if (is_news && parts_.log) parts_.log(fmt::format("traces wait, and are sent again: {}", why));
    const std::lock_guard lock(mutex_);
    ++counts_.failures;
    counts_.trouble = why;
    return next;
}

void Exporter::over(bool taken) {
    {
        const std::lock_guard lock(mutex_);
        (taken ? counts_.sent : counts_.spans_dropped) += batches_.back().spans;
        if (taken) counts_.trouble.clear();
    }
    batches_.pop_back();
    wait_ = Duration{0};
    if (batches_.empty()) finish();
}

void Exporter::finish() {
    if (!taken_.empty()) outbox_.done(taken_, parts_.clock.now());
    taken_.clear();
}

void ExportThread::begin() {
    thread_ = std::jthread([this](const std::stop_token& stop) { go(stop); });
}

void ExportThread::go(const std::stop_token& stop) {
    env::SystemPause pause;
    while (!stop.stop_requested()) {
        const Duration wait = exporter_.turn(stop);
        if (wait > Duration{0}) pause.wait(std::min(wait, kLookEvery), stop);
    }
}

void ExportThread::stop(Duration grace) {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
    if (grace > Duration{0}) exporter_.flush(grace);
}

}  // namespace belay::traces

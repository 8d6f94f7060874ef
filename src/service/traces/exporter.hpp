// exporter.hpp — sends the spans of runs that have ended to a collector, by OTLP over HTTP.
//
// Nobody waits for it: it reads rows (outbox.hpp), on a thread of its own, and holds one batch at a time. A collector that
// is away is asked again, later and later; what waits for it waits in the store, up to a bound, beyond which the oldest
// ends are let go and counted. What a collector says it will never take is let go and counted, too.
//
// Calls of models (base::TracedCall) are told as they end and wait in memory, up to a bound: no row has them, so what a
// process that dies has not sent of those is gone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/trace_context.hpp"
#include "core/env/clock.hpp"
#include "core/store/store.hpp"
#include "service/http/client.hpp"
#include "service/traces/options.hpp"
#include "service/traces/outbox.hpp"

namespace belay::traces {

struct ExporterParts {
    store::Store& store;  // outlives it, as do the next three
    belay::detail::EnginePort& engine;
    http::Client& client;
    const env::Clock& clock;
    TraceOptions options{};
    std::string worker{};   // this process's name among those that export
    std::string version{};  // Belay's
    bool alone = true;      // no other process exports from this store
    // Whether runs of that workflow keep messages to themselves.
    std::function<bool(const std::string& workflow_key)> keeps_messages{};
    std::function<void(std::string_view sentence)>
        log{};  // what people should know; from any thread
};

// What it has done since it began; from any thread.
struct ExportCounts {
    std::int64_t sent = 0;           // spans that the collector took
    std::int64_t spans_dropped = 0;  // that it never will, or for which there was no room
    std::int64_t runs_dropped = 0;   // ends that were let go because the collector was away
    std::int64_t failures = 0;       // requests that it did not answer, or not with "taken"
    std::string trouble{};           // why the last one failed; empty: it did not
};

class Exporter {
public:
    explicit Exporter(ExporterParts parts);

    // Does what is due, one request at most, and says how long there is nothing to do. From one thread at a time.
    Duration turn(const std::stop_token& stop = {});
    // Turns until nothing waits, the collector does not answer, or so much time has gone.
    void flush(Duration at_most);

    ExportCounts counts() const;
    // Runs whose spans wait, and how long the oldest has.
    Outbox::Waiting waiting() { return outbox_.waiting(); }

private:
    // One request, as it is sent until somebody has taken it.
    struct Batch {
        std::string body{};
        std::int64_t spans = 0;
    };

    void add(base::TracedCall call);
    bool make_batches();
    void keep_house(Time now);
    void take_calls(std::vector<Span>& spans);
    void read(std::vector<Ended>& ended, std::vector<Span>& spans);
    void cut(std::vector<Span> spans);
    Duration send(const std::stop_token& stop);
    Duration failed(const std::string& why, std::optional<Duration> wait);
    void over(bool taken);
    void finish();

    const ExporterParts parts_;
    Outbox outbox_;
    Sender sender_;
    std::vector<Ended> taken_;    // from the outbox, until all batches are over
    std::vector<Batch> batches_;  // the next one at the end
    Time next_at_{};
    Duration wait_{0};  // after the last failure
    std::optional<Time> kept_house_{};
    std::optional<Time> forgot_{};

    mutable std::mutex mutex_;  // guards the next two
    std::vector<base::TracedCall> calls_;
    ExportCounts counts_;
    std::shared_ptr<void> taking_;  // the last member: until here calls come
};

// An exporter with a thread of its own.
class ExportThread {
public:
    explicit ExportThread(ExporterParts parts) : exporter_(std::move(parts)) {}
    ~ExportThread() { stop(Duration{0}); }

    // Once the engine has started. Calls are taken, and steps told their traces, before that.
    void begin();
    // Sends what waits, for at most so long, and ends. The engine still runs.
    void stop(Duration grace);
    Exporter& exporter() { return exporter_; }

private:
    void go(const std::stop_token& stop);

    Exporter exporter_;
    std::jthread thread_;
};

}  // namespace belay::traces

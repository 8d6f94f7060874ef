// trace_context.hpp — W3C trace contexts as values, ids of spans that are the same in every process, and in whose trace
// the calling thread works.
//
// Nothing here knows runs: the engine says whose step a thread executes (TraceScope), a server that sends traces says that
// it does (take_traces), and whoever asks another server in between tells the call (tell_call).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <belay/time.hpp>

namespace belay::base {

struct TraceContext {
    std::string trace_id{};  // 32 lower-case hex digits, not all of them zero
    std::string span_id{};   // 16
    bool sampled = true;

    friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

// "00-<trace>-<span>-01", and later versions as far as they begin like that; nothing for anything else.
std::optional<TraceContext> parse_traceparent(std::string_view text);
std::string to_string(const TraceContext& context);

// As many whole entries from the beginning as fit.
std::string fit_tracestate(std::string_view text, std::size_t most);

// Ids from a name: the same in every process, for ever.
std::string trace_id_of(std::string_view name);
std::string span_id_of(std::string_view name);

// ---- in whose trace a thread works

struct TraceHeaders {
    std::string traceparent{};
    std::string tracestate{};
};

class TraceSource {
public:
    virtual TraceHeaders headers() const = 0;

protected:
    ~TraceSource() = default;
};

// While it lives, the calling thread works for that source, which outlives it.
class TraceScope {
public:
    explicit TraceScope(const TraceSource& source);
    ~TraceScope();
    TraceScope(const TraceScope&) = delete;
    TraceScope& operator=(const TraceScope&) = delete;

private:
    const TraceSource* outer_;
};

// Of the calling thread; empty if it works for nobody, or nobody traces.
TraceHeaders current_trace();

// ---- calls to other servers that are spans of their own: models

struct TracedCall {
    std::string parent{};  // the traceparent of the attempt that makes it
    std::string span_id{};
    std::string name{};  // "chat gpt-x"
    Time started_at{};
    Time ended_at{};
    std::string error{};  // empty: it went well; else a word of few
    std::vector<std::pair<std::string, std::variant<std::string, std::int64_t>>> attributes{};
};

// Takes calls from any thread, and must not block.
using TakeCall = std::function<void(TracedCall)>;

// Who takes the calls of this process: while what it gives lives. There may be several.
std::shared_ptr<void> take_traces(TakeCall take);
// Whether anybody does: then runs without a trace of their own are part of one, too.
bool are_traces_taken();
void tell_call(const TracedCall& call);

// A new call of the calling thread's attempt: its parent and its id; nothing where nobody takes it.
std::optional<TracedCall> begin_call(Time now);

}  // namespace belay::base

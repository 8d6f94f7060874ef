#include "service/traces/span.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "core/base/utf8.hpp"

namespace belay::traces {

namespace {

namespace json = boost::json;

// OTLP's JSON is protobuf's: 64-bit numbers are texts, enums are numbers; but ids are hex.
json::value value_json(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value))
        return {{"stringValue", base::to_valid_utf8(*text)}};
    if (const auto* number = std::get_if<std::int64_t>(&value))
        return {{"intValue", std::to_string(*number)}};
    return {{"boolValue", std::get<bool>(value)}};
}

json::array attributes_json(const Attributes& attributes) {
    json::array out;
    for (const auto& [name, value] : attributes)
        out.push_back({{"key", name}, {"value", value_json(value)}});
    return out;
}

std::string nanoseconds(Time time) {
    const auto at = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch());
    return std::to_string(at.count());
}

constexpr int kError = 2;
// Bits 0 to 7 are those of the traceparent; 8 says that bit 9 does: whether the parent is another process's.
constexpr int kSampled = 0x1;
constexpr int kKnowsRemote = 0x100;
constexpr int kIsRemote = 0x200;

json::object span_json(const Span& span) {
    json::object out{{"traceId", span.trace_id},
                     {"spanId", span.span_id},
                     {"name", base::to_valid_utf8(span.name)},
                     {"kind", static_cast<int>(span.kind)},
                     {"startTimeUnixNano", nanoseconds(span.started_at)},
                     {"endTimeUnixNano", nanoseconds(std::max(span.started_at, span.ended_at))},
                     {"flags", kSampled | kKnowsRemote | (span.parent_is_remote ? kIsRemote : 0)}};
    if (!span.parent_span.empty()) out["parentSpanId"] = span.parent_span;
    if (!span.trace_state.empty()) out["traceState"] = span.trace_state;
    if (!span.attributes.empty()) out["attributes"] = attributes_json(span.attributes);
    if (!span.events.empty()) {
        json::array& events = (out["events"] = json::array{}).get_array();
        for (const SpanEvent& event : span.events)
            events.push_back({{"timeUnixNano", nanoseconds(event.at)},
                              {"name", event.name},
                              {"attributes", attributes_json(event.attributes)}});
    }
    if (!span.links.empty()) {
        json::array& links = (out["links"] = json::array{}).get_array();
        for (const SpanLink& link : span.links)
            links.push_back({{"traceId", link.trace_id},
                             {"spanId", link.span_id},
                             {"attributes", attributes_json(link.attributes)}});
    }
    json::object status;
    if (span.failed) status["code"] = kError;
    if (span.failed && !span.failure.empty()) status["message"] = base::to_valid_utf8(span.failure);
    out["status"] = std::move(status);
    return out;
}

}  // namespace

std::string otlp_json(const Sender& sender, const std::vector<Span>& spans) {
    json::array all;
    all.reserve(spans.size());
    for (const Span& span : spans) all.push_back(span_json(span));
    const json::object scope{{"name", "belay"}, {"version", sender.version}};
    const json::object scoped{{"scope", scope}, {"spans", std::move(all)}};
    const json::object resource{{"attributes", attributes_json(sender.resource)}};
    const json::object one{{"resource", resource}, {"scopeSpans", json::array{scoped}}};
    return json::serialize(json::object{{"resourceSpans", json::array{one}}});
}

}  // namespace belay::traces

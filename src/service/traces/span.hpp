// span.hpp — a span as it is sent, and OTLP's JSON of many.
//
// docs/observability.md says what is exported. Texts of payloads have no way in here: attributes are names, numbers and
// states, and of a failure its message, unless its workflow keeps that to itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <belay/time.hpp>

namespace belay::traces {

using Value = std::variant<std::string, std::int64_t, bool>;
using Attributes = std::vector<std::pair<std::string, Value>>;

// The numbers of OTLP's enum.
enum class SpanKind { Internal = 1, Server = 2, Client = 3, Producer = 4, Consumer = 5 };

struct SpanEvent {
    Time at{};
    std::string name{};
    Attributes attributes{};
};

struct SpanLink {
    std::string trace_id{};
    std::string span_id{};
    Attributes attributes{};
};

struct Span {
    std::string trace_id{};
    std::string span_id{};
    std::string parent_span{};  // empty: a root
    bool parent_is_remote = false;
    std::string trace_state{};
    std::string name{};
    SpanKind kind = SpanKind::Internal;
    Time started_at{};
    Time ended_at{};
    Attributes attributes{};
    std::vector<SpanEvent> events{};
    std::vector<SpanLink> links{};
    bool failed = false;
    std::string failure{};  // of one that failed; may be empty
};

// Who sends: the resource's attributes, service.name among them.
struct Sender {
    Attributes resource{};
    std::string version{};  // Belay's own
};

// The body of a POST to /v1/traces.
std::string otlp_json(const Sender& sender, const std::vector<Span>& spans);

}  // namespace belay::traces

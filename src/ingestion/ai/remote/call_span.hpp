// call_span.hpp — a call of a model as a span, by OpenTelemetry's conventions for generative AI.
//
// Told with its end. Of what was asked and answered it has names and numbers (model, tokens, status), and never a text.
#pragma once

#include <optional>
#include <string>

#include "core/base/trace_context.hpp"
#include "core/env/clock.hpp"
#include "ingestion/ai/remote/endpoint.hpp"

namespace belay::ai::remote {

class CallSpan {
public:
    // Nothing, unless a traced step makes the call and somebody takes its spans. `clock` outlives it.
    CallSpan(const ModelCalled& called, const std::string& base_url, const env::Clock& clock);
    // A call of which no answer came has failed.
    ~CallSpan();
    CallSpan(const CallSpan&) = delete;
    CallSpan& operator=(const CallSpan&) = delete;

    // What tells the model's server whose call it is: also where the call is no span, but its step is part of a trace.
    void put_headers(http::Headers& headers) const;
    void answered(int status);
    // What the answer says of itself: its model, and `usage`.
    void told(const boost::json::value& answer);

private:
    std::optional<base::TracedCall> call_;
    const base::TraceHeaders within_;
    const env::Clock& clock_;
};

// gen_ai.provider.name of whoever answers at that address.
std::string provider_at(const std::string& base_url);

}  // namespace belay::ai::remote

// endpoint.hpp — a model's server: asks it in JSON and turns its refusals into what a step understands.
//
// 429 and 5xx become RetryAfter where the server says when, else an error that the step's policy retries; a
// wrong key, model or request becomes NonRetryable. Messages say what the server said, never the key.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "core/env/clock.hpp"
#include "service/http/client.hpp"

namespace belay::ai::remote {

struct EndpointOptions {
    std::string base_url;   // https://api.openai.com/v1, http://127.0.0.1:11434/v1
    std::string api_key{};  // sent as a bearer token; may be empty for a server of one's own
    Duration connect_time_max = std::chrono::seconds{10};
    Duration time_max = std::chrono::minutes{2};
    std::uint64_t answer_bytes_max = 32 * 1024 * 1024;
};

// What a call is in a trace, by OpenTelemetry's conventions for generative AI; without an operation it is none.
struct ModelCalled {
    std::string operation{};  // "chat", "embeddings", …
    std::string model{};
};

class Endpoint {
public:
    // Throws Error{InvalidArgument} if the address is none. `client` and `clock` outlive this.
    Endpoint(EndpointOptions options, http::Client& client, const env::Clock& clock);

    // POSTs `body` and returns the answer's JSON. `what` names the caller in messages ("embeddings with
    // bge-m3"). `told` hears every answer that is JSON, also one that is then refused: its `usage` is to be paid.
    // Within a step that is traced the call is a span of its own, which the server is told, too.
    using Told = std::function<void(const boost::json::value& answer)>;
    boost::json::value post(std::string_view path, std::string_view content_type, std::string body,
                            std::string_view what, const std::stop_token& stop,
                            const Told& told = {}, const ModelCalled& called = {}) const;

private:
    [[noreturn]] void refuse(const http::Response& response, std::string_view what) const;

    EndpointOptions options_;
    http::Client& client_;
    const env::Clock& clock_;
};

// Reads JSON from a model or its server: bounded depth, a message that says where it breaks.
boost::json::value parse_answer(std::string_view text, std::string_view what);

}  // namespace belay::ai::remote

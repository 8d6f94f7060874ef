// options.hpp — where traces are sent, as OpenTelemetry's environment variables say it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <belay/time.hpp>

#include "service/traces/span.hpp"

namespace belay::traces {

struct TraceOptions {
    std::string url{};  // of the collector's /v1/traces; empty: nothing is sent
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string service = "belay";
    Attributes resource{};  // further attributes
    Duration time_max = std::chrono::seconds{10};
};

// What a person gives, each empty if not given. `url` is the collector's, below which /v1/traces is; `traces_url` is all of
// it. `headers` and `resource` are "name=value,name=value", percent-encoded.
struct GivenTraces {
    std::string url{};
    std::string traces_url{};
    std::string headers{};
    std::string service{};
    std::string resource{};
    std::string time_max_ms{};
};

// OTEL_EXPORTER_OTLP_ENDPOINT and its kin, those for traces alone before the others; nothing if OTEL_SDK_DISABLED is true.
GivenTraces given_by(
    const std::function<std::optional<std::string>(const std::string&)>& environment);

// Throws Error{InvalidArgument} naming what cannot be, by `name_of_url` if it is the address.
TraceOptions trace_options(const GivenTraces& given, const std::string& otherwise_service,
                           const std::string& name_of_url = "otlp");

}  // namespace belay::traces

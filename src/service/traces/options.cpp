#include "service/traces/options.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "service/http/headers.hpp"
#include "service/http/url.hpp"

namespace belay::traces {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// "name=value,name=value", as W3C Baggage writes it.
Pairs pairs_in(std::string_view text, std::string_view what) {
    Pairs pairs;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const std::string_view one = http::trim(text.substr(0, comma));
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
        if (one.empty()) continue;
        const auto equals = one.find('=');
        const std::string name = http::percent_decode(http::trim(one.substr(0, equals)));
        const bool is_whole = equals != std::string_view::npos && !name.empty();
        const std::string value =
            is_whole ? http::percent_decode(http::trim(one.substr(equals + 1))) : "";
        const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
        // The value may be a secret: it is not shown.
        if (!is_whole || std::any_of(name.begin(), name.end(), is_control) ||
            std::any_of(value.begin(), value.end(), is_control))
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("{}: a list of name=value with commas between them", what));
        pairs.emplace_back(name, base::to_valid_utf8(value));
    }
    return pairs;
}

std::string checked(const std::string& url, const std::string& name) {
    const auto parsed = http::parse_url(url);
    if (!parsed)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("{} is http:// or https://…, where a collector takes OTLP over "
                                "HTTP, not `{}`",
                                name, base::truncate(base::to_valid_utf8(url), 200)));
    return url;
}

bool is_whole(const std::string& url) {
    const auto parsed = http::parse_url(url);
    return parsed && parsed->path.ends_with("/v1/traces");
}

std::string below(std::string url) {
    while (url.ends_with('/')) url.pop_back();
    return url + "/v1/traces";
}

}  // namespace

GivenTraces given_by(
    const std::function<std::optional<std::string>(const std::string&)>& environment) {
    GivenTraces given;
    if (http::lower(environment("OTEL_SDK_DISABLED").value_or("")) == "true") return given;
    const auto either = [&](const std::string& what) {
        const auto own = environment("OTEL_EXPORTER_OTLP_TRACES_" + what);
        if (own && !own->empty()) return *own;
        return environment("OTEL_EXPORTER_OTLP_" + what).value_or("");
    };
    given.traces_url = environment("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").value_or("");
    given.url = environment("OTEL_EXPORTER_OTLP_ENDPOINT").value_or("");
    given.headers = either("HEADERS");
    given.time_max_ms = either("TIMEOUT");
    given.service = environment("OTEL_SERVICE_NAME").value_or("");
    given.resource = environment("OTEL_RESOURCE_ATTRIBUTES").value_or("");
    return given;
}

TraceOptions trace_options(const GivenTraces& given, const std::string& otherwise_service,
                           const std::string& name_of_url) {
    TraceOptions options;
    if (!given.traces_url.empty()) {
        options.url = checked(given.traces_url, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    } else if (!given.url.empty()) {
        options.url = checked(given.url, name_of_url);
        if (!is_whole(options.url)) options.url = below(options.url);
    }
    if (options.url.empty()) return options;
    options.headers = pairs_in(given.headers, "OTEL_EXPORTER_OTLP_HEADERS");
    options.service = otherwise_service;
    for (auto& [name, value] : pairs_in(given.resource, "OTEL_RESOURCE_ATTRIBUTES")) {
        if (name == "service.name") {
            options.service = value;
        } else {
            options.resource.emplace_back(name, value);
        }
    }
    if (!given.service.empty()) options.service = base::to_valid_utf8(given.service);
    std::int64_t ms = 0;
    const char* end = given.time_max_ms.data() + given.time_max_ms.size();
    const auto [at, wrong] = std::from_chars(given.time_max_ms.data(), end, ms);
    if (!given.time_max_ms.empty()) {
        if (wrong != std::errc{} || at != end || ms < 1 || ms > 600'000)
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("OTEL_EXPORTER_OTLP_TIMEOUT is milliseconds, 1 to 600000, not "
                                    "`{}`",
                                    base::truncate(base::to_valid_utf8(given.time_max_ms), 40)));
        options.time_max = Duration{ms};
    }
    return options;
}

}  // namespace belay::traces

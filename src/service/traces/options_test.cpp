// options_test.cpp — where traces go, as OpenTelemetry's variables and people say it.
#include "service/traces/options.hpp"

#include <map>

#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::traces {
namespace {

using Variables = std::map<std::string, std::string>;

TraceOptions options_of(const Variables& variables) {
    return trace_options(given_by([&](const std::string& name) -> std::optional<std::string> {
                             const auto found = variables.find(name);
                             if (found == variables.end()) return std::nullopt;
                             return found->second;
                         }),
                         "shop");
}

TEST(TraceOptions, the_collectors_address_gets_the_path_of_traces_and_a_whole_one_stays) {
    EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318"}}).url,
              "http://127.0.0.1:4318/v1/traces");
    EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://c.example/otlp/"}}).url,
              "https://c.example/otlp/v1/traces");
    EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c.example/v1/traces"}}).url,
              "http://c.example/v1/traces");
    EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318"},
                          {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://other.example/here"}})
                  .url,
              "http://other.example/here");
    EXPECT_EQ(options_of({}).url, "");
}

TEST(TraceOptions, names_headers_and_attributes_are_read_as_they_are_written_elsewhere) {
    const TraceOptions options =
        options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318"},
                    {"OTEL_EXPORTER_OTLP_HEADERS", "x-other=1"},
                    {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", " x-key = a%20secret ,x-team=b=c"},
                    {"OTEL_RESOURCE_ATTRIBUTES", "service.name=rope,deployment.environment=test"},
                    {"OTEL_EXPORTER_OTLP_TIMEOUT", "2500"}});

    EXPECT_EQ(options.headers, (std::vector<std::pair<std::string, std::string>>{
                                   {"x-key", "a secret"}, {"x-team", "b=c"}}));
    EXPECT_EQ(options.service, "rope");
    ASSERT_EQ(options.resource.size(), 1U);
    EXPECT_EQ(options.resource[0].first, "deployment.environment");
    EXPECT_EQ(options.time_max, Duration{2500});
    EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://a.example"}}).service, "shop");
    EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://a.example"},
                          {"OTEL_RESOURCE_ATTRIBUTES", "service.name=rope"},
                          {"OTEL_SERVICE_NAME", "photos"}})
                  .service,
              "photos");
}

TEST(TraceOptions, what_cannot_be_is_refused_without_telling_a_secret) {
    EXPECT_THROW(options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318"}}), Error);
    EXPECT_THROW(options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://a.example"},
                             {"OTEL_EXPORTER_OTLP_TIMEOUT", "soon"}}),
                 Error);
    try {
        options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://a.example"},
                    {"OTEL_EXPORTER_OTLP_HEADERS", "x-key=1,hunter2"}});
        FAIL() << "a list that is none was taken";
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find("hunter2"), std::string::npos);
    }
}

TEST(TraceOptions, a_program_whose_sdk_is_turned_off_sends_nothing) {
    EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318"},
                          {"OTEL_SDK_DISABLED", "true"}})
                  .url,
              "");
}

}  // namespace
}  // namespace belay::traces

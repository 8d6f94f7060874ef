#include "ingestion/ai/remote/endpoint.hpp"

#include <charconv>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/ai/remote/call_span.hpp"
#include "service/http/date.hpp"
#include "service/http/url.hpp"

namespace belay::ai::remote {
namespace {

namespace json = boost::json;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

// What the server says went wrong: OpenAI's {"error": {"message", "code"}}, Ollama's {"error": "…"},
// Cloudflare's {"errors": [{"code", "message"}]}, else the start of the body.
struct Complaint {
    std::string message;
    std::string code;
};

Complaint complaint_in(const std::string& body) {
    boost::system::error_code broken;
    const auto value = json::parse(body, broken);
    const auto cut = [](std::string_view text) {
        return base::truncate(base::to_valid_utf8(text), 500);
    };
    if (!broken && value.is_object()) {
        const auto* error = value.get_object().if_contains("error");
        const auto* errors = value.get_object().if_contains("errors");
        if (errors != nullptr && errors->is_array() && !errors->get_array().empty())
            error = &errors->get_array()[0];
        if (error != nullptr && error->is_string()) return {cut(view(error->get_string())), ""};
        if (error != nullptr && error->is_object()) {
            Complaint found;
            if (const auto* message = error->get_object().if_contains("message");
                message && message->is_string())
                found.message = cut(view(message->get_string()));
            if (const auto* code = error->get_object().if_contains("code"))
                found.code =
                    code->is_string() ? cut(view(code->get_string())) : json::serialize(*code);
            if (!found.message.empty()) return found;
        }
    }
    return {base::truncate(base::to_valid_utf8(body), 200), ""};
}

std::optional<Duration> told_wait(const http::Response& response, Time now) {
    const auto milliseconds = response.headers.get("retry-after-ms");
    std::int64_t count = 0;
    const auto end = milliseconds.data() + milliseconds.size();
    if (!milliseconds.empty() && std::from_chars(milliseconds.data(), end, count).ptr == end &&
        count >= 0)
        return Duration{count};
    return http::parse_retry_after(response.headers.get("retry-after"), now);
}

}  // namespace

json::value parse_answer(std::string_view text, std::string_view what) {
    boost::system::error_code broken;
    json::parse_options options;
    options.max_depth = 64;
    auto value = json::parse({text.data(), text.size()}, broken, {}, options);
    if (!broken) return value;
    throw std::runtime_error(
        fmt::format("{}: the answer is not JSON ({}): {}", what, broken.message(),
                    text.empty() ? "it is empty" : base::truncate(base::to_valid_utf8(text), 200)));
}

Endpoint::Endpoint(EndpointOptions options, http::Client& client, const env::Clock& clock)
    : options_(std::move(options)), client_(client), clock_(clock) {
    if (!http::parse_url(options_.base_url))
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("model server `{}`: an http or https address is needed",
                                options_.base_url));
    while (options_.base_url.ends_with('/')) options_.base_url.pop_back();
}

json::value Endpoint::post(std::string_view path, std::string_view content_type, std::string body,
                           std::string_view what, const std::stop_token& stop, const Told& told,
                           const ModelCalled& called) const {
    http::Request request{
        .method = "POST",
        .url = fmt::format("{}{}", options_.base_url, path),
        .headers = {{"Content-Type", std::string(content_type)}, {"Accept", "application/json"}},
        .body = std::move(body),
        .limits = {.connect = options_.connect_time_max,
                   .total = options_.time_max,
                   .body_bytes_max = options_.answer_bytes_max},
        .accept_compressed = true};
    if (!options_.api_key.empty())
        request.headers.add("Authorization", "Bearer " + options_.api_key);
    CallSpan span(called, options_.base_url, clock_);
    span.put_headers(request.headers);
    try {
        const auto response = client_.send(request, stop);
        span.answered(response.status);
        if (response.status != 200) {
            boost::system::error_code broken;
            const auto refusal = json::parse(response.body, broken);
            if (!broken) span.told(refusal);
            if (told && !broken) told(refusal);
            refuse(response, what);
        }
        auto answer = parse_answer(response.body, what);
        span.told(answer);
        if (told) told(answer);
        return answer;
    } catch (const http::Failure& failure) {
        const auto message = fmt::format("{}: {}", what, failure.what());
        if (failure.is_transient() || failure.kind() == http::FailureKind::Stopped)
            throw std::runtime_error(message);
        throw NonRetryable(message);
    }
}

void Endpoint::refuse(const http::Response& response, std::string_view what) const {
    const auto [message, code] = complaint_in(response.body);
    const int status = response.status;
    const auto text = fmt::format("{}: {} from {}{}{}{}", what, status, options_.base_url,
                                  code.empty() ? "" : fmt::format(" ({})", code),
                                  message.empty() ? "" : ": ", message);
    if (code == "insufficient_quota") throw NonRetryable(text);  // a 429 that no waiting helps
    if (status == 408 || status == 425 || status == 429 || status >= 500) {
        if (const auto wait = told_wait(response, clock_.now())) throw RetryAfter(text, *wait);
        throw std::runtime_error(text);
    }
    if (status == 401 || status == 403) throw NonRetryable(text + " — check the key");
    throw NonRetryable(text);
}

}  // namespace belay::ai::remote

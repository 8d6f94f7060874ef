#include "service/webhooks/webhook.hpp"

#include <span>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/belay.hpp>
#include <belay/trace.hpp>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/base/utf8.hpp"
#include "service/http/digest.hpp"

namespace belay::webhooks {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kResultBytesMax = 64 * 1024;
constexpr std::size_t kSecretCharsMin = 16;
// So much of a refusal is kept.
constexpr std::size_t kRefusalCharsMax = 300;

// 5 s, 15 s, 45 s, … an hour: about a day in all. A server that is down over night still hears of it.
constexpr StepOptions kPatient{
    .retry = {.attempts_max = 32, .first_delay = 5s, .factor = 3.0, .longest_delay = 1h},
    .timeout = 60s};

struct Services {
    WebhookNow now;
    http::Client* client;
    const env::Clock* clock;
};

Delivered deliver(Attempt& attempt, const Services* with, const RunEnded& told) {
    const WebhookOptions options = with->now();
    if (options.url.empty()) throw NonRetryable("nobody is to be told any more");
    http::Request request;
    request.method = "POST";
    request.url = options.url;
    request.body = to_json(told);
    request.limits.total = 30s;
    request.limits.body_bytes_max = 1u << 20;
    request.headers.set("Content-Type", "application/json");
    request.headers.set("Belay-Event", told.type);
    request.headers.set("Belay-Delivery", attempt.run_id());
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(with->clock->now().time_since_epoch());
    request.headers.set("Belay-Signature",
                        signature(options.secret, seconds.count(), request.body));
    if (const std::string parent = traceparent(); !parent.empty()) {
        request.headers.set("traceparent", parent);
        if (const std::string state = tracestate(); !state.empty())
            request.headers.set("tracestate", state);
    }
    const http::Response response = [&] {
        try {
            return with->client->send(request, attempt.stop_token());
        } catch (const std::exception&) {
            throw std::runtime_error("the webhook's server cannot be reached");
        }
    }();
    if (response.status >= 200 && response.status < 300) return {response.status};
    // Not the address: the run is shown to its organization, and the address is the server's.
    const std::string said =
        fmt::format("the webhook's server answered {}: {}", response.status,
                    base::truncate(base::to_valid_utf8(response.body), kRefusalCharsMax));
    // It will never want to hear of it.
    if (response.status == 410) throw NonRetryable(said);
    throw std::runtime_error(said);
}

}  // namespace

void check_webhook(const WebhookOptions& options) {
    if (!options.url.starts_with("http://") && !options.url.starts_with("https://"))
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("webhook-url is http:// or https://…, not `{}`", options.url));
    if (options.secret.size() < kSecretCharsMin)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("webhook-secret has at least {} characters: the receiver proves "
                                "by it that a message is yours",
                                kSecretCharsMin));
}

void define_webhook(Engine& engine, const WebhookOptions& options, http::Client& client,
                    const env::Clock& clock) {
    check_webhook(options);
    define_webhook(
        engine, [options] { return options; }, client, clock);
}

void define_webhook(Engine& engine, WebhookNow now, http::Client& client, const env::Clock& clock) {
    WorkflowOptions internal;
    internal.summary = "Tells another server that a run has ended";
    internal.exposed = false;  // what it signs is this program's word
    engine.define(
        std::string(kWebhook),
        [services = Services{std::move(now), &client, &clock}](Context& ctx,
                                                               RunEnded told) -> Task<Delivered> {
            const Services* with = &services;
            if (told.organization_id != ctx.organization_id())
                throw NonRetryable(fmt::format("there is no run {}", told.workflow_run_id));
            const Delivered done = co_await ctx.step("deliver", kPatient, deliver, with, told);
            co_return done;
        },
        std::move(internal));
}

void tell_end(Tx& tx, const RunInfo& run) {
    if (run.workflow_key == kWebhook) return;
    RunEnded told;
    told.workflow_run_id = run.id;
    told.workflow_key = run.workflow_key;
    told.organization_id = run.organization_id;
    told.file_id = run.file_id;
    told.status = to_string(run.status);
    told.error = run.error;
    told.ended_at = base::format_time(tx.now());
    if (!run.result.empty() && run.result.size() <= kResultBytesMax) {
        boost::system::error_code error;
        told.result = boost::json::parse(run.result, error);
    }
    SubmitOptions options;
    // Of its own for every end: a run that was retried ends again.
    options.id =
        "webhook_" + base::sha256_hex(fmt::format("{}:{}", run.id, told.ended_at)).substr(0, 32);
    options.organization_id = run.organization_id;
    options.source_channel = "webhook";
    options.file_id = run.file_id;
    tx.submit(kWebhook, told, options);
}

std::string signature(std::string_view secret, std::int64_t seconds, std::string_view body) {
    const auto digest = http::hmac_sha256(secret, fmt::format("{}.{}", seconds, body));
    return fmt::format("t={},v1={}", seconds, base::to_hex(std::as_bytes(std::span(digest))));
}

}  // namespace belay::webhooks

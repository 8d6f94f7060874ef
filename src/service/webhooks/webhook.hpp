// webhook.hpp — WEBHOOK: somebody else's server is told when a run has ended.
//
// The run that tells is submitted in the transaction of the end it tells of, so no end is lost and none is told of that
// did not happen; it is retried for a day, shown, and retried by hand like any other run. The receiver checks
//     Belay-Signature: t=<seconds>,v1=<hex of HMAC-SHA256(secret, "<t>.<body>")>
// and answers 2xx; `Belay-Delivery` is the same on every attempt.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <boost/describe.hpp>
#include <boost/json/value.hpp>

#include <belay/engine.hpp>
#include <belay/options.hpp>

#include "core/env/clock.hpp"
#include "service/http/client.hpp"

namespace belay::webhooks {

inline constexpr std::string_view kWebhook = "WEBHOOK";

struct WebhookOptions {
    std::string url{};
    std::string secret{};
};

// The run's input: what is told.
struct RunEnded {
    std::string type = "run_ended";
    std::string workflow_run_id{};
    std::string workflow_key{};
    std::string organization_id{};
    std::string file_id{};
    std::string status{};
    std::string error{};
    std::string ended_at{};
    boost::json::value result{};  // null above 64 KiB: ask for it
};
BOOST_DESCRIBE_STRUCT(RunEnded, (),
                      (type, workflow_run_id, workflow_key, organization_id, file_id, status, error,
                       ended_at, result))

// The run's result.
struct Delivered {
    int http_status = 0;
};
BOOST_DESCRIBE_STRUCT(Delivered, (), (http_status))

// Throws Error{InvalidArgument} unless the address is http(s) and the secret has at least 16 characters.
void check_webhook(const WebhookOptions& options);

// What to tell at this moment; an empty address: nobody. Called on any thread, and may block.
using WebhookNow = std::function<WebhookOptions()>;

// Client and clock outlive the engine's work. Before Engine::start. The first throws as check_webhook does.
void define_webhook(Engine& engine, const WebhookOptions& options, http::Client& client,
                    const env::Clock& clock);
void define_webhook(Engine& engine, WebhookNow now, http::Client& client, const env::Clock& clock);

// What every workflow's end does when a webhook is wanted: in its transaction, submits the run that tells.
void tell_end(Tx& tx, const RunInfo& run);

// The header's value.
std::string signature(std::string_view secret, std::int64_t seconds, std::string_view body);

}  // namespace belay::webhooks

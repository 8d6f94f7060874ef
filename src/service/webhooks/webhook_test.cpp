// webhook_test.cpp — an end is told of once, signed, and again until somebody hears it.
#include "service/webhooks/webhook.hpp"

#include <mutex>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/env/clock.hpp"
#include "core/library/host.hpp"

namespace belay::webhooks {
namespace {

// Answers with the next of the given statuses, then 204.
class FakeClient final : public http::Client {
public:
    http::Response send(const http::Request& request, std::stop_token) override {
        const std::lock_guard lock(mutex);
        requests.push_back(request);
        http::Response response;
        response.status = 204;
        if (!answers.empty()) {
            response.status = answers.front();
            answers.erase(answers.begin());
        }
        return response;
    }

    std::mutex mutex;
    std::vector<int> answers;
    std::vector<http::Request> requests;
};

struct Bench {
    Bench() : core(library::make_core(memory(), quiet(), &clock)), engine(core) {
        core->on_run_end(tell_end);
        engine.define("GREET", [](Context&) -> Task<std::string> { co_return "hello"; });
        engine.define("FAIL", [](Context&) -> Task<> {
            throw std::runtime_error("no text on the page");
            co_return;
        });
        define_webhook(engine, {"https://example.org/hook", "a secret of many characters"}, client,
                       clock);
        engine.start();
    }
    // The runs that tell, when they have succeeded.
    void await_telling(std::size_t count) {
        store::RunFilter filter;
        filter.workflow_key = kWebhook;
        filter.limit = 10;
        for (;;) {
            const auto page = core->store().list_runs(filter);
            if (page.runs.size() < count) continue;
            for (const auto& run : page.runs) engine.find<Delivered>(run.id).result();
            return;
        }
    }
    static EngineOptions quiet() {
        EngineOptions options;
        options.log_to_stderr = false;
        return options;
    }

    env::ManualClock clock;
    FakeClient client;
    std::shared_ptr<engine::Core> core;
    Engine engine;
};

TEST(Webhook, an_end_is_told_with_a_signature_that_its_receiver_can_check) {
    Bench b;
    b.engine.submit<std::string>("GREET", {.id = "july"}).result();

    b.await_telling(1);

    ASSERT_EQ(b.client.requests.size(), 1u);
    const http::Request& sent = b.client.requests.front();
    EXPECT_EQ(sent.url, "https://example.org/hook");
    const auto told = boost::json::parse(sent.body);
    EXPECT_EQ(told.at("workflow_run_id").as_string(), "july");
    EXPECT_EQ(told.at("status").as_string(), "succeeded");
    EXPECT_EQ(told.at("result").as_string(), "hello");
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(b.clock.now().time_since_epoch());
    EXPECT_EQ(sent.headers.get("Belay-Signature"),
              signature("a secret of many characters", seconds.count(), sent.body));
}

TEST(Webhook, a_signature_is_the_hmac_of_time_and_body) {
    // printf '1700000000.{}' | openssl dgst -sha256 -hmac key
    EXPECT_EQ(signature("key", 1700000000, "{}"),
              "t=1700000000,v1=9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae");
}

TEST(Webhook, a_failure_is_told_too_and_every_end_of_a_run_that_is_retried) {
    Bench b;
    const auto run = b.engine.submit<void>("FAIL", {.id = "july"});
    EXPECT_THROW(run.result(), Error);
    b.await_telling(1);

    b.clock.advance(Duration{5});
    b.engine.retry("july");
    EXPECT_THROW(run.result(), Error);

    b.await_telling(2);
    ASSERT_EQ(b.client.requests.size(), 2u);
    EXPECT_NE(b.client.requests[0].body.find("no text on the page"), std::string::npos);
}

TEST(Webhook, an_address_or_a_secret_that_cannot_be_is_refused) {
    Bench b;
    Engine other{memory(), Bench::quiet()};
    EXPECT_THROW(
        define_webhook(other, {"ftp://x", "a secret of many characters"}, b.client, b.clock),
        Error);
    EXPECT_THROW(define_webhook(other, {"https://x", "short"}, b.client, b.clock), Error);
}

}  // namespace
}  // namespace belay::webhooks

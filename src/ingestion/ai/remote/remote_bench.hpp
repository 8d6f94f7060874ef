// remote_bench.hpp — a model server on a real socket that answers as a test says.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <belay/error.hpp>

#include "core/env/clock.hpp"
#include "service/http/curl_client.hpp"
#include "service/http/testkit/test_server.hpp"

namespace belay::ai::remote {

struct RemoteBench {
    // What the next requests get.
    std::function<http::testkit::Reply(const http::testkit::Received&)> answer;
    std::vector<http::testkit::Received> received;

    std::mutex mutex;
    http::testkit::TestServer server{[this](const http::testkit::Received& request) {
        const std::lock_guard lock{mutex};
        received.push_back(request);
        return answer(request);
    }};
    http::CurlClient http{{.addresses = http::AddressPolicy::any()}};
    env::ManualClock clock;

    void answers(int status, std::string body, http::testkit::Fields headers = {}) {
        answer = [=](const auto&) { return http::testkit::Reply{status, headers, body}; };
    }
};

// How a call failed: what a step would make of it.
struct Outcome {
    enum Kind { Worked, Retryable, Later, Final } kind = Worked;
    std::string message{};
    Duration after{};
};

template <class Call>
Outcome outcome_of(Call call) {
    try {
        call();
        return {};
    } catch (const NonRetryable& error) {
        return {Outcome::Final, error.what(), {}};
    } catch (const RetryAfter& error) {
        return {Outcome::Later, error.what(), error.after()};
    } catch (const std::exception& error) {
        return {Outcome::Retryable, error.what(), {}};
    }
}

}  // namespace belay::ai::remote

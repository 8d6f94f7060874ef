// scripted_client.hpp — an HTTP client without a network: a test says what each request gets.
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "service/http/client.hpp"

namespace belay::http {

class ScriptedClient final : public Client {
public:
    // Answers every request; may throw Failure. Called under a lock.
    explicit ScriptedClient(std::function<Response(const Request&)> answer)
        : answer_(std::move(answer)) {}

    Response send(const Request& request, std::stop_token = {}) override {
        const std::lock_guard lock{mutex_};
        requests_.push_back(request);
        auto response = answer_(request);
        if (request.on_headers) request.on_headers(response.status, response.headers);
        if (request.sink && response.status >= 200 && response.status < 300) {
            request.sink(std::as_bytes(std::span(response.body)));
            response.body.clear();
        }
        if (response.url.empty()) response.url = request.url;
        return response;
    }

    // In the order they came.
    const std::vector<Request>& requests() const { return requests_; }

private:
    std::mutex mutex_;
    std::function<Response(const Request&)> answer_;
    std::vector<Request> requests_;
};

}  // namespace belay::http

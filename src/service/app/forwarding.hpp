// forwarding.hpp — a request that an observer took in is done by the server that executes on the store.
//
// The observer has checked who asks; what the executor is told is a control request that has the HTTP request in it,
// and its answer is the HTTP answer. It is handled under an Idempotency-Key, the client's or one made of the request's
// number, so that it is done once whatever dies in between. An executor without a server knows no such requests: the
// observer then asks for the same in the words that every engine knows (observer.hpp).
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include <boost/asio/thread_pool.hpp>

#include "core/library/host.hpp"
#include "service/api/api.hpp"
#include "service/app/observer.hpp"

namespace belay::app {

inline constexpr const char* kHttpRequest = "http";

// The observer's side.
class Forwarder {
public:
    explicit Forwarder(Observer& observer) : observer_(observer) {}

    // The executor's answer; nothing if it has no server. Throws as Observer::request.
    std::optional<api::Response> forward(const api::Request& request);

private:
    bool is_known_to_have_none(const std::string& who);

    Observer& observer_;
    std::mutex mutex_;
    std::string without_;  // the executor that is known to have no server
};

// The executor's side: handles such requests on threads of its own, because they may wait. Before the engine's start.
class ForwardedRequests {
public:
    explicit ForwardedRequests(engine::Core& core);
    ~ForwardedRequests();  // the engine has stopped, or does not start
    ForwardedRequests(const ForwardedRequests&) = delete;
    ForwardedRequests& operator=(const ForwardedRequests&) = delete;

    // Where they are handled, before the engine's start.
    void handle_by(api::Api& api) { api_ = &api; }
    // Lets those under way finish. Before the engine stops.
    void stop();

private:
    api::Api* api_ = nullptr;
    boost::asio::thread_pool threads_{2};
};

}  // namespace belay::app

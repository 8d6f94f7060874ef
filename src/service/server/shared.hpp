// shared.hpp — what all connections of a server share, and how they are found when time is up.
//
// Private to this room: it brings Asio.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "service/server/server.hpp"

namespace belay::server {

namespace asio = boost::asio;

// A connection as the server sees it from outside. Called on any thread; what they do happens on the
// connection's own strand.
class Connection {
public:
    virtual ~Connection() = default;

    // Looks whether its time is up, and acts if it is.
    virtual void look(Time now) = 0;
    // Lets it end: at once if it is idle, after its request if it is in one.
    virtual void begin_stop() = 0;
    // Cuts it off.
    virtual void cut() = 0;
    // There are events for those who watch.
    virtual void news() = 0;
    // The id of the token in whose name it goes on giving: a watcher, a long download. Empty: none.
    virtual std::string token() const = 0;
};

class Connections {
public:
    void add(const std::shared_ptr<Connection>& connection);
    void remove(Connection* connection);
    std::size_t size() const { return size_; }
    void for_each(const std::function<void(Connection&)>& what);
    // Waits until there is none; false if there still is after `at_most`.
    bool wait_until_empty(Duration at_most);

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::unordered_map<Connection*, std::weak_ptr<Connection>> all_;
    std::atomic<std::size_t> size_{0};
};

struct Shared {
    Shared(api::Api& a, const env::Clock& c, env::Random& r, ServerOptions o, ServerLimits l)
        : api(a), clock(c), random(r), options(std::move(o)), limits(l),
          io(static_cast<int>(options.io_threads)), pool(options.pool_threads) {}

    api::Api& api;
    const env::Clock& clock;
    env::Random& random;
    const ServerOptions options;
    const ServerLimits limits;
    asio::io_context io;
    asio::thread_pool pool;
    Connections connections;
    std::atomic<std::size_t> listeners{0};
    std::atomic<std::size_t> timed_out{0};
    std::atomic<bool> stopping{false};
};

// Runs `work` on the pool and comes back to the caller's strand; throws what it threw. `work` stays the
// caller's: name it first (a lambda written inside co_await is destroyed twice by g++ 12).
template <class F>
asio::awaitable<void> on_pool(Shared& shared, F& work) {
    std::exception_ptr error;
    co_await asio::post(asio::bind_executor(shared.pool.get_executor(), asio::use_awaitable));
    try {
        work();
    } catch (...) {
        error = std::current_exception();
    }
    co_await asio::post(asio::use_awaitable);
    if (error) std::rethrow_exception(error);
}

}  // namespace belay::server

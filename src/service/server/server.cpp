#include "service/server/server.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <belay/error.hpp>

#include "core/base/shortage.hpp"
#include "service/server/http_text.hpp"
#include "service/server/session.hpp"

namespace belay::server {

namespace {

using boost::system::error_code;

// How often time is looked at. A limit binds this much late, which nobody notices in seconds.
constexpr std::chrono::milliseconds kLookEvery{250};
// A process without file descriptors waits for some to come back.
constexpr std::chrono::milliseconds kAcceptAgain{100};
// For what is cut to notice it.
constexpr Duration kCutTime{5000};

asio::awaitable<void> life_of(std::shared_ptr<Session> session, Connections& connections) {
    struct Leave {
        Connections& connections;
        Connection* connection;
        ~Leave() { connections.remove(connection); }
    };
    const Leave leave{connections, session.get()};
    co_await session->run();
}

asio::ip::address address_of(const std::string& host) {
    if (host == "localhost") return asio::ip::make_address("127.0.0.1");
    error_code error;
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    const auto address =
        asio::ip::make_address(bracketed ? host.substr(1, host.size() - 2) : host, error);
    if (!error) return address;
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("`{}` is not an address to listen on: give an IP address such as 127.0.0.1, "
                    "0.0.0.0 or ::1, or localhost",
                    host));
}

}  // namespace

bool is_loopback(const std::string& host) { return address_of(host).is_loopback(); }

// A descriptor that is kept for the day when there is none: with it one more caller can be told so, who would otherwise
// hang in the queue of the socket.
class SpareDescriptor {
public:
    SpareDescriptor() { take(); }
    ~SpareDescriptor() { give(); }
    SpareDescriptor(const SpareDescriptor&) = delete;
    SpareDescriptor& operator=(const SpareDescriptor&) = delete;

    // False if there is nobody to refuse, or nothing to do it with.
    bool refuse_one(tcp::acceptor& acceptor, const std::string& text) {
        if (file_ < 0) take();
        if (file_ < 0) return false;
        give();
        const int caller =
            ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (caller >= 0) {
            // What it sends is taken from the socket: with that unread, closing would cut the answer off.
            char request[4096];
            static_cast<void>(::recv(caller, request, sizeof request, 0));
            static_cast<void>(::send(caller, text.data(), text.size(), MSG_NOSIGNAL));
            ::shutdown(caller, SHUT_WR);
            ::close(caller);
        }
        take();
        return caller >= 0;
    }

private:
    void take() { file_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC); }
    void give() {
        if (file_ >= 0) ::close(file_);
        file_ = -1;
    }

    int file_ = -1;
};

class Server::Inside {
public:
    Inside(api::Api& api, const env::Clock& clock, env::Random& random, ServerOptions options,
           ServerLimits limits)
        : shared_(api, clock, random, std::move(options), limits), acceptor_(shared_.io),
          tick_(shared_.io), work_(asio::make_work_guard(shared_.io)) {}
    ~Inside() { stop(Duration{0}); }

    void start();
    void stop(Duration grace);
    std::uint16_t port() const { return port_; }
    std::string url() const;
    Counts counts() const {
        return {shared_.connections.size(), shared_.listeners, shared_.timed_out};
    }

private:
    void listen();
    asio::awaitable<void> accept();
    void welcome(tcp::socket socket);
    std::string refusal(const std::string& why);
    std::string no_room();
    void look();
    void end_revoked();
    void tick();
    void spread_news();

    Shared shared_;
    std::unique_ptr<asio::ssl::context> tls_;
    tcp::acceptor acceptor_;
    SpareDescriptor spare_;
    asio::steady_timer tick_;
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    std::vector<std::thread> threads_;
    std::uint16_t port_ = 0;
    std::atomic<bool> news_pending_{false};
    std::atomic<bool> looks_at_tokens_{false};
    bool stopped_ = false;
    env::Subscription clock_moves_;
    env::Subscription news_;
};

void Server::Inside::start() {
    const TlsFiles& files = shared_.options.tls;
    if (!files.certificate.empty() || !files.key.empty()) {
        if (files.certificate.empty() || files.key.empty())
            throw Error(ErrorCode::InvalidArgument, "TLS needs both a certificate and a key");
        tls_ = tls_context(files);
    }
    listen();
    clock_moves_ = shared_.clock.on_change([this] { asio::post(shared_.io, [this] { look(); }); });
    if (auto* events = shared_.api.parts().events) {
        news_ = events->on_news([this] {
            if (news_pending_.exchange(true)) return;
            asio::post(shared_.io, [this] { spread_news(); });
        });
    }
    asio::co_spawn(shared_.io, accept(), asio::detached);
    tick();
    for (std::size_t i = 0; i < std::max<std::size_t>(1, shared_.options.io_threads); ++i)
        threads_.emplace_back([this] { shared_.io.run(); });
}

void Server::Inside::listen() {
    const std::string& host = shared_.options.host;
    const tcp::endpoint endpoint{address_of(host), shared_.options.port};
    const auto check = [&](const error_code& error) {
        if (!error) return;
        const std::string where = fmt::format("{}:{}", host, shared_.options.port);
        throw ListenFailed(
            error == asio::error::address_in_use
                ? fmt::format(
                      "{} is taken: another program listens there, perhaps another `belay serve`. "
                      "Stop it, or choose another port: --listen {}:{}",
                      where, host, shared_.options.port + 1)
                : fmt::format("cannot listen on {}: {}", where, error.message()));
    };
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    check(error);
    acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    check(error);
    acceptor_.bind(endpoint, error);
    check(error);
    acceptor_.listen(static_cast<int>(shared_.options.listen_backlog), error);
    check(error);
    port_ = acceptor_.local_endpoint().port();
}

std::string Server::Inside::url() const {
    const auto address = address_of(shared_.options.host);
    const std::string host =
        address.is_v6() ? fmt::format("[{}]", address.to_string()) : address.to_string();
    return fmt::format("{}://{}:{}", tls_ ? "https" : "http", host, port_);
}

asio::awaitable<void> Server::Inside::accept() {
    while (!shared_.stopping) {
        tcp::socket socket{asio::make_strand(shared_.io)};
        error_code error;
        co_await acceptor_.async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
        if (error == asio::error::operation_aborted || !acceptor_.is_open()) co_return;
        if (error) {
            base::note_shortage(error.value());
            if (spare_.refuse_one(acceptor_, no_room())) continue;
            asio::steady_timer timer{shared_.io, kAcceptAgain};
            error_code ignored;
            co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
            continue;
        }
        welcome(std::move(socket));
    }
}

std::string Server::Inside::refusal(const std::string& why) {
    const api::Response full = shared_.api.refuse({}, api::Problem::Unavailable, why);
    return head_text(full, false, shared_.clock.now()) + std::get<std::string>(full.body);
}

std::string Server::Inside::no_room() {
    return refusal(base::shortage_lately().value_or("no connection can be taken now; try again"));
}

void Server::Inside::welcome(tcp::socket socket) {
    error_code ignored;
    if (shared_.connections.size() >= shared_.limits.connections_max) {
        const std::string text = refusal(fmt::format("all {} connections are in use; try again",
                                                     shared_.limits.connections_max));
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(text), ignored);
        return;
    }
    socket.set_option(tcp::no_delay(true), ignored);
    const auto executor = socket.get_executor();
    auto stream = tls_ ? tls_stream(std::move(socket), *tls_) : plain_stream(std::move(socket));
    auto session = std::make_shared<Session>(shared_, std::move(stream), tls_ != nullptr);
    shared_.connections.add(session);
    asio::co_spawn(executor, life_of(std::move(session), shared_.connections), asio::detached);
}

void Server::Inside::tick() {
    tick_.expires_after(kLookEvery);
    tick_.async_wait([this](const error_code& error) {
        if (error) return;
        look();
        tick();
    });
}

void Server::Inside::look() {
    const Time now = shared_.clock.now();
    bool somebody_is_named = false;
    shared_.connections.for_each([&](Connection& connection) {
        connection.look(now);
        somebody_is_named = somebody_is_named || !connection.token().empty();
    });
    // The tokens are in the database: read on the pool, one look at a time.
    if (somebody_is_named && !looks_at_tokens_.exchange(true))
        asio::post(shared_.pool, [this] { end_revoked(); });
}

// A token was asked for when a watcher came or a download began; it may be revoked while they last.
void Server::Inside::end_revoked() {
    try {
        const std::set<std::string> revoked = shared_.api.parts().auth.revoked();
        if (!revoked.empty()) {
            shared_.connections.for_each([&](Connection& connection) {
                if (revoked.contains(connection.token())) connection.cut();
            });
        }
    } catch (const std::exception& error) {
        // The database cannot be read for now; the next look asks again.
        if (shared_.api.parts().log_fault)
            shared_.api.parts().log_fault(
                "", fmt::format("tokens cannot be looked at: {}", error.what()));
    }
    looks_at_tokens_ = false;
}

void Server::Inside::spread_news() {
    news_pending_ = false;
    shared_.connections.for_each([](Connection& connection) { connection.news(); });
}

void Server::Inside::stop(Duration grace) {
    if (std::exchange(stopped_, true)) return;
    shared_.stopping = true;
    asio::post(shared_.io, [this] {
        error_code ignored;
        acceptor_.close(ignored);
    });
    shared_.connections.for_each([](Connection& connection) { connection.begin_stop(); });
    if (!shared_.connections.wait_until_empty(grace)) {
        // Who is cut while a handler works for it leaves when the handler is done.
        do {
            shared_.connections.for_each([](Connection& connection) { connection.cut(); });
        } while (!shared_.connections.wait_until_empty(kCutTime));
    }
    clock_moves_.cancel();
    news_.cancel();
    shared_.io.stop();
    for (std::thread& thread : threads_) thread.join();
    shared_.pool.join();
}

Server::Server(api::Api& api, const env::Clock& clock, env::Random& random, ServerOptions options,
               ServerLimits limits)
    : inside_(std::make_unique<Inside>(api, clock, random, std::move(options), limits)) {}

Server::~Server() = default;

void Server::start() { inside_->start(); }
void Server::stop(Duration grace) { inside_->stop(grace); }
std::uint16_t Server::port() const { return inside_->port(); }
std::string Server::url() const { return inside_->url(); }
Server::Counts Server::counts() const { return inside_->counts(); }

}  // namespace belay::server

// client.cpp — the public Client, and what its two ways do alike.
#include <belay/client.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/saturate.hpp"
#include "core/base/time_ordered_id.hpp"
#include "core/env/clock.hpp"
#include "core/env/random.hpp"
#include "core/env/thread.hpp"
#include "core/library/client_port.hpp"

namespace belay {

namespace detail {

namespace {

constexpr Duration kFirstLook{5};
constexpr Duration kLastLook{100};

Error closed_error() {
    return Error(ErrorCode::Stopped,
                 "the client is gone; the run goes on with whoever executes it");
}

std::shared_ptr<ClientPort> open_client(const StoreConfig& store, const ClientOptions& options) {
    if (store.kind == StoreConfig::Kind::Memory) {
        throw Error(ErrorCode::InvalidArgument,
                    "a Client asks whoever executes, and nobody shares belay::memory(): use the "
                    "Engine itself");
    }
    if (store.kind != StoreConfig::Kind::Server) return client_of_store(store, options);
    if (!store.path.starts_with("http://")) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a Client speaks plain HTTP, and {} is https: put a proxy of this "
                                "machine in front, or give the store's own address",
                                store.path));
    }
    return client_of_server(store.path, options);
}

}  // namespace

void ClientPort::close() {
    std::thread watcher;
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        watcher = std::move(watcher_);
        changed_.notify_all();
    }
    if (watcher.joinable()) watcher.join();
}

void ClientPort::nap(Duration duration) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, duration, [this] { return closed_; });
    if (closed_) throw closed_error();
}

RunEnd ClientPort::wait(const std::string& id, std::optional<Duration> at_most) {
    const env::SystemClock clock;
    const Time until = at_most ? base::later(clock.now(), *at_most) : base::kTimeMax;
    for (Duration pause = kFirstLook;; pause = std::min(pause * 2, kLastLook)) {
        RunEnd end = end_now(id);
        const Time now = clock.now();
        if (end.is_over() || now >= until) return end;
        nap(std::min(pause, until - now));
    }
}

void ClientPort::when_over(const std::string& id, TellEnd tell) {
    end_now(id);  // that there is such a run is known at once
    const std::lock_guard lock(mutex_);
    if (closed_) throw closed_error();
    watched_.emplace_back(id, std::move(tell));
    if (!watcher_.joinable()) watcher_ = env::start_thread("belay-client", [this] { watch(); });
    changed_.notify_all();
}

// One thread looks at all that are watched.
void ClientPort::watch() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return closed_ || !watched_.empty(); });
        auto watched = std::exchange(watched_, {});
        const bool closed = closed_;
        lock.unlock();
        std::erase_if(watched, [&](auto& one) {
            RunEnd end;
            std::exception_ptr error;
            try {
                if (closed) throw closed_error();
                end = end_now(one.first);
            } catch (...) {
                error = std::current_exception();
            }
            if (!error && !end.is_over()) return false;
            one.second(error, std::move(end));
            return true;
        });
        lock.lock();
        if (closed) return;
        watched_.insert(watched_.end(), std::make_move_iterator(watched.begin()),
                        std::make_move_iterator(watched.end()));
        if (!watched_.empty()) changed_.wait_for(lock, kLastLook, [this] { return closed_; });
    }
}

std::string ClientPort::made_up_id() {
    env::SystemRandom random;
    return base::time_ordered_id(env::SystemClock{}.now(), random.next(), random.next());
}

void ClientPort::check_size(const std::string& json, std::string_view what) {
    if (json.size() <= base::kPayloadBytesMax) return;
    throw Error(ErrorCode::PayloadTooLarge,
                fmt::format("{} is {} bytes of JSON; at most {} are taken", what, json.size(),
                            base::kPayloadBytesMax));
}

}  // namespace detail

Client::Client(const StoreConfig& store, const ClientOptions& options)
    : Client(detail::open_client(store, options)) {}

Client::Client(std::shared_ptr<detail::ClientPort> port) : Runs(port), port_(std::move(port)) {}

Client::~Client() { port_->close(); }

}  // namespace belay

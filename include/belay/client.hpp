// client.hpp — asks about runs without executing any: beside the program that executes, or over HTTP.
//
//     belay::Client shop{belay::store_at("shop.db")};                  // or "postgres://…", "http://127.0.0.1:8080"
//     belay::Run<int> run = shop.submit(Sell, Order{"rope", 3}, {.id = "order-7"});
//     fmt::print("{}\n", run.result());
//
// A Client defines no workflow and starts nothing. On a store it reads the tables, and asks the executor by rows of its
// own (control_requests): what is asked is durable when the call returns, and done by whoever executes, now or, if nobody
// does, when somebody starts. Who asks so is outside the program: workflows that are not `exposed`, and what `admit`
// refuses, are refused here, too. Over HTTP it is a caller of docs/http.md. All members may be called from any thread.
#pragma once

#include <memory>
#include <string>

#include <belay/runs.hpp>
#include <belay/store_config.hpp>

namespace belay {

namespace detail {
class ClientPort;
}

struct ClientOptions {
    // Whose runs they are unless SubmitOptions say; over HTTP it is the token's, and this is not sent.
    std::string organization_id = "default";
    // Over HTTP: sent as `Authorization: Bearer …`. Empty: none.
    std::string token{};
    // How long a call waits for whoever executes to do what was asked. Then it throws Error{StoreUnavailable}: the
    // request stays, and is done when somebody comes to it.
    Duration answer_within = std::chrono::seconds(10);
};

// submit(), find(), cancel(), send(), list(), ask() and the others are those of an Engine (runs.hpp), with their
// errors, and these differences. A run that is submitted without an id gets one here, before anything is asked: asked
// again after an error, or twice by the network, it is one run. result() and wait_for() look at the store every few
// milliseconds, or ask the server. RunQuery::stalled and the times of a query are not for HTTP.
class Client : public Runs {
public:
    // Opens the store to read and to ask; it must exist. Throws Error{StoreUnavailable} if it cannot be opened,
    // {SchemaTooNew}, {InvalidArgument} for belay::memory(), which nobody else could share, and for https:// (put a
    // proxy in front, or use the store).
    explicit Client(const StoreConfig& store, const ClientOptions& options = {});
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

private:
    explicit Client(std::shared_ptr<detail::ClientPort> port);

    // Shared with the runs that were handed out: calls of theirs that wait end with Error{Stopped} when the Client goes.
    std::shared_ptr<detail::ClientPort> port_;
};

}  // namespace belay

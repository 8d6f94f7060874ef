// client_port.hpp — the two ways of a Client: rows of a store, or HTTP.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <belay/client.hpp>
#include <belay/runs.hpp>

namespace belay::detail {

// What both do alike: they look again and again until a run is over, and stop when the Client goes.
class ClientPort : public RunsPort {
public:
    ~ClientPort() override { close(); }
    // Ends all waits with Error{Stopped}, and those to come. From any thread but that of when_over.
    void close();

    RunEnd wait(const std::string& id, std::optional<Duration> at_most) final;
    void when_over(const std::string& id, TellEnd tell) final;

protected:
    // How the run stands now. Throws Error{NotFound}.
    virtual RunEnd end_now(const std::string& id) = 0;

    // Waits so long, or until close(), then throws Error{Stopped}.
    void nap(Duration duration);

    static std::string made_up_id();
    // JSON of a question, a message or an input, within the limit.
    static void check_size(const std::string& json, std::string_view what);

private:
    void watch();

    std::mutex mutex_;
    std::condition_variable changed_;
    bool closed_ = false;
    std::vector<std::pair<std::string, TellEnd>> watched_;
    std::thread watcher_;  // made with the first when_over
};

std::shared_ptr<ClientPort> client_of_store(const StoreConfig& store, const ClientOptions& options);
// `address`: "http://host:port".
std::shared_ptr<ClientPort> client_of_server(const std::string& address,
                                             const ClientOptions& options);

}  // namespace belay::detail

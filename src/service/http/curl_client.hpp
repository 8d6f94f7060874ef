// curl_client.hpp — the real HTTP client, on libcurl.
//
// Each request borrows a channel (a libcurl handle with its connections) and gives it back, so that
// connections are used again. Redirects are followed here, one hop at a time. The address policy is asked
// in the moment a socket is opened, about that socket's address: a name that resolves to another address
// the second time gains nothing. No proxy, cookies or netrc from the environment. The first client of a
// process lets SIGPIPE be ignored, unless somebody handles it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "service/http/address.hpp"
#include "service/http/client.hpp"

namespace belay::http {

struct CurlOptions {
    AddressPolicy addresses = AddressPolicy::public_only();
    std::string user_agent = "belay";
    std::string ca_file{};               // instead of the system's certificates
    std::vector<std::string> resolve{};  // "name:port:address", as in a hosts file
    std::size_t idle_channels_max = 32;
};

class CurlChannel;

class CurlClient final : public Client {
public:
    explicit CurlClient(CurlOptions options = {});
    ~CurlClient() override;

    Response send(const Request& request, std::stop_token stop = {}) override;

private:
    class Lease;

    Response send_once(const Request& request, const std::string& url, Duration time_left,
                       bool follows, const std::stop_token& stop);
    std::unique_ptr<CurlChannel> take(const std::string& origin);
    void give_back(std::unique_ptr<CurlChannel> channel);

    CurlOptions options_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<CurlChannel>> idle_;  // the last one used at the end
};

}  // namespace belay::http

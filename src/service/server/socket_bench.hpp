// socket_bench.hpp — a client of a few lines for the tests of this room: what it sends is what is sent.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "service/api/headers.hpp"

namespace belay::server {

struct Answer {
    int status = 0;
    api::Headers headers;
    std::string body;
};

// Blocking; a read that takes 30 seconds fails the test instead of hanging it.
class Client {
public:
    explicit Client(std::uint16_t port, int receive_buffer = 0)
        : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        const timeval patience{30, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
        if (receive_buffer > 0)
            ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
            throw std::runtime_error("cannot connect");
    }
    ~Client() {
        if (socket_ >= 0) ::close(socket_);
    }
    Client(Client&& other) noexcept
        : socket_(std::exchange(other.socket_, -1)), pending_(std::move(other.pending_)) {}
    Client& operator=(Client&&) = delete;

    int descriptor() const { return socket_; }

    // False if the server has hung up.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    // One answer. Throws if the connection ends before it is whole.
    Answer receive(bool head_only = false) {
        while (pending_.find("\r\n\r\n") == std::string::npos) need_more();
        const auto end = pending_.find("\r\n\r\n");
        Answer answer;
        std::string_view head = std::string_view(pending_).substr(0, end);
        answer.status = std::atoi(std::string(head.substr(9, 3)).c_str());
        for (auto line = head.find("\r\n"); line != std::string_view::npos;
             line = head.find("\r\n")) {
            head.remove_prefix(line + 2);
            const auto colon = head.find(':');
            answer.headers.add(
                std::string(head.substr(0, colon)),
                std::string(api::trimmed(head.substr(colon + 1, head.find("\r\n") - colon - 1))));
        }
        pending_.erase(0, end + 4);
        std::size_t length =
            std::strtoull(std::string(answer.headers.get("Content-Length")).c_str(), nullptr, 10);
        if (head_only || answer.status == 101) length = 0;
        while (pending_.size() < length) need_more();
        answer.body = pending_.substr(0, length);
        pending_.erase(0, length);
        return answer;
    }
    Answer get(std::string_view target, std::string_view more = "") {
        send(std::string("GET ") + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" +
             std::string(more) + "\r\n");
        return receive();
    }
    Answer post(std::string_view target, std::string_view type, std::string_view body,
                std::string_view more = "") {
        send("POST " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
             std::string(type) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
             std::string(more) + "\r\n");
        send(body);
        return receive();
    }

    // Whether there are bytes, or an end, to be read at once.
    bool has_something() const {
        char byte = 0;
        return !pending_.empty() || ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
               errno != EAGAIN;
    }

    // Whether the server has closed the connection; waits for it.
    bool closed() {
        char byte = 0;
        const ssize_t got = ::recv(socket_, &byte, 1, 0);
        return got == 0 || (got < 0 && errno == ECONNRESET);
    }

    std::string take(std::size_t bytes) {
        while (pending_.size() < bytes) need_more();
        std::string taken = pending_.substr(0, bytes);
        pending_.erase(0, bytes);
        return taken;
    }

private:
    void need_more() {
        char buffer[65536];
        const ssize_t got = ::recv(socket_, buffer, sizeof(buffer), 0);
        if (got <= 0) throw std::runtime_error("the connection ended");
        pending_.append(buffer, static_cast<std::size_t>(got));
    }

    int socket_;
    std::string pending_;
};

}  // namespace belay::server

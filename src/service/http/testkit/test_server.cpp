#include "service/http/testkit/test_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "service/http/testkit/wire.hpp"

namespace belay::http::testkit {
namespace {

// Reads requests from one connection.
class Source {
public:
    explicit Source(Wire& wire) : wire_(wire) {}

    // Nothing when the other side has ended.
    std::optional<Received> next() {
        std::size_t end = 0;
        while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
            if (!fill()) return std::nullopt;
            if (buffer_[0] == '\x16') return std::nullopt;  // somebody tries TLS
        }
        Received request = parse_head(buffer_.substr(0, end));
        buffer_.erase(0, end + 4);
        const auto length = request.header("content-length");
        const std::size_t size = length.empty() ? 0 : std::stoull(length);
        while (buffer_.size() < size)
            if (!fill()) return std::nullopt;
        request.body = buffer_.substr(0, size);
        buffer_.erase(0, size);
        return request;
    }

private:
    bool fill() {
        std::array<char, 65536> bytes;
        const auto got = wire_.receive(bytes);
        if (got == 0) return false;
        buffer_.append(bytes.data(), got);
        return true;
    }

    static Received parse_head(const std::string& head) {
        Received request;
        std::size_t at = head.find("\r\n");
        const auto line = head.substr(0, at);
        const auto one = line.find(' '), two = line.rfind(' ');
        request.method = line.substr(0, one);
        request.target = line.substr(one + 1, two - one - 1);
        const auto question = request.target.find('?');
        request.path = request.target.substr(0, question);
        if (question != std::string::npos) request.query = request.target.substr(question + 1);
        while (at != std::string::npos) {
            const auto start = at + 2;
            at = head.find("\r\n", start);
            const auto field = head.substr(start, at == std::string::npos ? at : at - start);
            const auto colon = field.find(':');
            if (colon == std::string::npos) continue;
            const auto value = field.find_first_not_of(' ', colon + 1);
            request.headers.emplace_back(field.substr(0, colon),
                                         value == std::string::npos ? "" : field.substr(value));
        }
        return request;
    }

    Wire& wire_;
    std::string buffer_;
};

std::string head_of(const Reply& reply, const Received& request) {
    std::string head = fmt::format("HTTP/1.1 {} Test\r\n", reply.status);
    bool has_length = false;
    for (const auto& [name, value] : reply.headers) {
        head += fmt::format("{}: {}\r\n", name, value);
        has_length |= ::strcasecmp(name.c_str(), "content-length") == 0;
    }
    const bool has_body = reply.status != 204 && reply.status != 304;
    if (reply.manner == Reply::Manner::Chunked) {
        head += "Transfer-Encoding: chunked\r\n";
    } else if (has_body && !(has_length && request.method == "HEAD")) {
        head += fmt::format("Content-Length: {}\r\n", reply.body.size());
    }
    return head + "\r\n";
}

std::string chunks_of(const std::string& body) {
    std::string chunks;
    for (std::size_t at = 0; at < body.size(); at += 1000) {
        const auto chunk = body.substr(at, 1000);
        chunks += fmt::format("{:x}\r\n{}\r\n", chunk.size(), chunk);
    }
    return chunks + "0\r\n\r\n";
}

}  // namespace

struct TestServer::State {
    std::function<Reply(const Received&)> answer;
    const TlsIdentity* identity = nullptr;
    int listener = -1;
    std::mutex mutex;
    std::condition_variable changed;
    bool ended = false;
    std::set<int> open;
    std::vector<std::thread> threads;
    std::thread acceptor;

    void wait_for_end() {
        std::unique_lock lock{mutex};
        changed.wait(lock, [&] { return ended; });
    }

    // False: the connection ends.
    bool respond(Wire& wire, const Received& request) {
        const Reply reply = answer(request);
        const auto head = head_of(reply, request);
        switch (reply.manner) {
            case Reply::Manner::Plain:
                return wire.send(request.method == "HEAD" ? head : head + reply.body);
            case Reply::Manner::Chunked:
                return wire.send(head) && wire.send(chunks_of(reply.body));
            case Reply::Manner::Hang:
                wait_for_end();
                return false;
            case Reply::Manner::Drop:
                return false;
            case Reply::Manner::CutShort:
                wire.send(head + reply.body.substr(0, reply.body.size() / 2));
                return false;
            case Reply::Manner::Raw:
                wire.send(reply.body);
                return false;
            case Reply::Manner::Trickle:
                wire.send(head + reply.body.substr(0, 1));
                wait_for_end();
                return false;
        }
        return false;
    }

    void serve(int fd, std::atomic<int>& requests) {
        if (const auto wire = make_wire(fd, identity)) {
            Source source{*wire};
            while (const auto request = source.next()) {
                ++requests;
                if (!respond(*wire, *request)) break;
            }
        }
        const std::lock_guard lock{mutex};
        open.erase(fd);
        ::shutdown(fd, SHUT_RDWR);
        ::close(fd);
    }
};

std::string Received::header(const std::string& name) const {
    for (const auto& [field, value] : headers)
        if (::strcasecmp(field.c_str(), name.c_str()) == 0) return value;
    return "";
}

TestServer::TestServer(std::function<Reply(const Received&)> answer, const TlsIdentity* identity)
    : state_(std::make_unique<State>()) {
    state_->answer = std::move(answer);
    state_->identity = identity;
    state_->listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(state_->listener, plain, size) != 0 || ::listen(state_->listener, 128) != 0 ||
        ::getsockname(state_->listener, plain, &size) != 0) {
        throw std::runtime_error("the test server cannot listen");
    }
    port_ = ntohs(address.sin_port);
    state_->acceptor = std::thread([this] {
        while (true) {
            const int fd = ::accept4(state_->listener, nullptr, nullptr, SOCK_CLOEXEC);
            const std::lock_guard lock{state_->mutex};
            if (state_->ended || fd < 0) {
                if (fd >= 0) ::close(fd);
                return;
            }
            const int one = 1;
            ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            ++connections_;
            state_->open.insert(fd);
            state_->threads.emplace_back([this, fd] { state_->serve(fd, requests_); });
        }
    });
}

TestServer::~TestServer() {
    {
        const std::lock_guard lock{state_->mutex};
        state_->ended = true;
        for (const int fd : state_->open) ::shutdown(fd, SHUT_RDWR);
        ::shutdown(state_->listener, SHUT_RDWR);
    }
    state_->changed.notify_all();
    state_->acceptor.join();
    for (auto& thread : state_->threads) thread.join();
    ::close(state_->listener);
}

std::string TestServer::url(const std::string& path) const {
    return fmt::format("http://127.0.0.1:{}{}", port_, path);
}

}  // namespace belay::http::testkit

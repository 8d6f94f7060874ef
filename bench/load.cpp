// load.cpp — small files, as fast as they are taken: to a server over kept connections, or to a disk with a sync each.
//
//   bench_load upload PORT COUNT SIZE CONNECTIONS FIRST    files FIRST… by POST /ingest/upload, each answered 202
//   bench_load bare FOLDER COUNT SIZE THREADS              write, fsync, rename, fsync of the folder
//
// Prints how many a second. Nothing but sockets and system calls: what is measured is the other side.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "load: %s: %s\n", what.c_str(), std::strerror(errno));
    std::exit(1);
}

// Other bytes for every number, so that none is a duplicate of another.
std::string content_of(std::uint64_t number, std::size_t size) {
    std::string bytes = std::string("\x89PNG\r\n\x1a\n", 8);
    std::uint64_t state = number * 0x9E3779B97F4A7C15ULL + 1;
    while (bytes.size() < size) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
        bytes.append(reinterpret_cast<const char*>(&state), sizeof state);
    }
    bytes.resize(size);
    return bytes;
}

void send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) fail("send");
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

int connect_to(std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        fail("connect");
    return socket;
}

// The status of one answer, which is read to its end.
int read_answer(int socket, std::string& pending) {
    std::size_t head = std::string::npos;
    std::size_t wanted = 0;
    while (true) {
        if (head == std::string::npos && (head = pending.find("\r\n\r\n")) != std::string::npos) {
            const auto at = pending.find("Content-Length: ");
            wanted = head + 4 + std::strtoul(pending.c_str() + at + 16, nullptr, 10);
        }
        if (head != std::string::npos && pending.size() >= wanted) break;
        char piece[16384];
        const ssize_t got = ::recv(socket, piece, sizeof piece, 0);
        if (got <= 0) fail("recv");
        pending.append(piece, static_cast<std::size_t>(got));
    }
    const int status = std::atoi(pending.c_str() + 9);
    if (status != 202) std::fprintf(stderr, "%s\n", pending.substr(0, wanted).c_str());
    pending.erase(0, wanted);
    return status;
}

void upload(std::uint16_t port, std::uint64_t number, std::size_t size, int& socket,
            std::string& pending) {
    if (socket < 0) socket = connect_to(port);
    const std::string before =
        "--line\r\nContent-Disposition: form-data; "
        "name=\"workflow_type\"\r\n\r\nimage\r\n--line\r\n"
        "Content-Disposition: form-data; name=\"files\"; filename=\"photo-" +
        std::to_string(number) + ".png\"\r\n\r\n";
    const std::string body = before + content_of(number, size) + "\r\n--line--\r\n";
    send_all(
        socket,
        "POST /ingest/upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; "
        "boundary=line\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body);
    if (read_answer(socket, pending) != 202) std::exit(1);
}

void put_bare(const std::string& folder, int folder_fd, std::uint64_t number, std::size_t size) {
    const std::string name = folder + "/" + std::to_string(number);
    const std::string temp = name + ".temp";
    const std::string bytes = content_of(number, size);
    const int fd = ::open(temp.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
        fail(temp);
    if (::fsync(fd) != 0) fail("fsync");
    ::close(fd);
    if (::rename(temp.c_str(), name.c_str()) != 0) fail("rename");
    if (::fsync(folder_fd) != 0) fail("fsync of the folder");
}

// How many a second, done by so many threads.
double measure(std::uint64_t count, unsigned threads,
               const std::function<void(std::function<bool(std::uint64_t&)>)>& work) {
    std::atomic<std::uint64_t> next{0};
    const auto take = [&](std::uint64_t& number) { return (number = next++) < count; };
    const auto began = std::chrono::steady_clock::now();
    std::vector<std::thread> all;
    for (unsigned i = 0; i < threads; ++i) all.emplace_back([&] { work(take); });
    for (auto& thread : all) thread.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return static_cast<double>(count) / took.count();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) {
        std::fprintf(stderr,
                     "bench_load upload PORT COUNT SIZE CONNECTIONS FIRST | bare FOLDER COUNT SIZE "
                     "THREADS\n");
        return 2;
    }
    const std::string what = argv[1];
    const std::uint64_t count = std::strtoull(argv[3], nullptr, 10);
    const std::size_t size = std::strtoul(argv[4], nullptr, 10);
    const auto threads = static_cast<unsigned>(std::atoi(argv[5]));
    double rate = 0;
    if (what == "upload") {
        const auto port = static_cast<std::uint16_t>(std::atoi(argv[2]));
        const std::uint64_t first = argc > 6 ? std::strtoull(argv[6], nullptr, 10) : 0;
        rate = measure(count, threads, [&](const auto& take) {
            int socket = -1;
            std::string pending;
            for (std::uint64_t number = 0; take(number);)
                upload(port, first + number, size, socket, pending);
            if (socket >= 0) ::close(socket);
        });
    } else {
        const std::string folder = argv[2];
        const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) fail(folder);
        rate = measure(count, threads, [&](const auto& take) {
            for (std::uint64_t number = 0; take(number);) put_bare(folder, fd, number, size);
        });
    }
    std::printf("%.1f\n", rate);
    return 0;
}

#include "ingestion/isolate/socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "ingestion/isolate/frame.hpp"

namespace belay::isolate {
namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

SocketPair pair_of(int type) {
    int ends[2];
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) fail("cannot make a socket pair");
    return {Fd{ends[0]}, Fd{ends[1]}};
}

bool is_gone(int error) { return error == EPIPE || error == ECONNRESET || error == ENOTCONN; }

}  // namespace

SocketPair packet_pair() { return pair_of(SOCK_SEQPACKET); }
SocketPair stream_pair() { return pair_of(SOCK_STREAM); }

void set_nonblocking(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) fail("cannot set up a socket");
}

bool send_packet(int socket, std::string_view bytes, std::span<const int> fds) {
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    std::vector<std::byte> control;
    if (!fds.empty()) {
        control.resize(CMSG_SPACE(fds.size_bytes()));
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(fds.size_bytes());
        std::memcpy(CMSG_DATA(head), fds.data(), fds.size_bytes());
    }
    for (;;) {
        if (::sendmsg(socket, &message, MSG_NOSIGNAL) >= 0) return true;
        if (errno == EINTR) continue;
        if (is_gone(errno)) return false;
        fail("cannot send to the media helper");
    }
}

std::optional<Packet> receive_packet(int socket, std::size_t bytes_max, std::size_t fds_max) {
    Packet packet;
    packet.bytes.resize(bytes_max);
    iovec part{packet.bytes.data(), packet.bytes.size()};
    std::vector<std::byte> control(CMSG_SPACE(std::max<std::size_t>(fds_max, 1) * sizeof(int)));
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t got = 0;
    do {
        got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got < 0 && !is_gone(errno)) fail("cannot receive from the other side");
    if (got <= 0) return std::nullopt;
    for (auto* head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
        const auto count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
            packet.fds.emplace_back(fd);
        }
    }
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) throw BadFrame("a packet is above the limit");
    if (packet.fds.size() > fds_max) throw BadFrame("a packet has too many descriptors");
    packet.bytes.resize(static_cast<std::size_t>(got));
    return packet;
}

}  // namespace belay::isolate

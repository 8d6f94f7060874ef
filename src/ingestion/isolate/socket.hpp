// socket.hpp — Unix sockets between parent, helper and job: whole packets with descriptors, and streams.
//
// Nothing here raises SIGPIPE, and every descriptor made or received closes on exec.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingestion/isolate/fd.hpp"

namespace belay::isolate {

struct SocketPair {
    Fd ours;
    Fd theirs;
};

// Packets keep their edges; a stream does not. Throws std::system_error.
SocketPair packet_pair();
SocketPair stream_pair();

void set_nonblocking(int fd);

// Sends one packet with descriptors. False if the other side is gone. Throws std::system_error for the rest.
bool send_packet(int socket, std::string_view bytes, std::span<const int> fds = {});

struct Packet {
    std::string bytes{};
    std::vector<Fd> fds{};
};

// The next packet, of at most `bytes_max` bytes and `fds_max` descriptors; none when the other side is gone.
// Throws BadFrame when a packet is larger, std::system_error otherwise. Blocks unless told not to be.
std::optional<Packet> receive_packet(int socket, std::size_t bytes_max, std::size_t fds_max);

}  // namespace belay::isolate

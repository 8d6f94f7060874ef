#include "service/http/address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::http {
namespace {

struct Special {
    std::string_view network;
    std::string_view what;
};

// IANA's registries of special-purpose addresses: what is not "globally reachable" there, and multicast.
constexpr std::array kSpecial{
    Special{"0.0.0.0/8", "an address of this machine"},
    Special{"10.0.0.0/8", "private"},
    Special{"100.64.0.0/10", "shared address space (CGNAT)"},
    Special{"127.0.0.0/8", "loopback"},
    Special{"169.254.0.0/16", "link-local"},
    Special{"172.16.0.0/12", "private"},
    Special{"192.0.0.0/24", "reserved"},
    Special{"192.0.2.0/24", "reserved for documentation"},
    Special{"192.88.99.0/24", "reserved"},
    Special{"192.168.0.0/16", "private"},
    Special{"198.18.0.0/15", "reserved for benchmarks"},
    Special{"198.51.100.0/24", "reserved for documentation"},
    Special{"203.0.113.0/24", "reserved for documentation"},
    Special{"224.0.0.0/4", "multicast"},
    Special{"240.0.0.0/4", "reserved"},
    Special{"::/128", "an address of this machine"},
    Special{"::1/128", "loopback"},
    Special{"64:ff9b:1::/48", "private"},
    Special{"100::/64", "reserved"},
    Special{"2001::/23", "reserved"},
    Special{"2001:db8::/32", "reserved for documentation"},
    Special{"fc00::/7", "private"},
    Special{"fe80::/10", "link-local"},
    Special{"fec0::/10", "private"},
    Special{"ff00::/8", "multicast"},
};

struct SpecialNetwork {
    Network network;
    std::string_view what;
};

const std::vector<SpecialNetwork>& special_networks() {
    static const auto networks = [] {
        std::vector<SpecialNetwork> result;
        for (const auto& [network, what] : kSpecial)
            result.push_back({Network::parse(network), what});
        return result;
    }();
    return networks;
}

// Where the IPv4 address is in an IPv6 one that only wraps it.
std::optional<std::size_t> wrapped_at(const std::array<std::uint8_t, 16>& bytes) {
    const auto starts_with = [&](std::initializer_list<std::uint8_t> start) {
        return std::equal(start.begin(), start.end(), bytes.begin());
    };
    if (starts_with({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})) return 12;     // mapped
    if (starts_with({0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) return 12;  // NAT64
    if (starts_with({0x20, 0x02})) return 2;                                    // 6to4
    const bool is_low = starts_with({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    if (is_low && (bytes[12] != 0 || bytes[13] != 0)) return 12;  // compatible
    return std::nullopt;
}

}  // namespace

Address Address::from_v6(const std::array<std::uint8_t, 16>& bytes) {
    Address address;
    if (const auto at = wrapped_at(bytes)) {
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(*at), 4, address.bytes_.begin());
    } else {
        address.is_v4_ = false;
        address.bytes_ = bytes;
    }
    return address;
}

std::optional<Address> Address::parse(std::string_view text) {
    const std::string zero_ended{text};
    Address address;
    if (::inet_pton(AF_INET, zero_ended.c_str(), address.bytes_.data()) == 1) return address;
    std::array<std::uint8_t, 16> bytes{};
    if (::inet_pton(AF_INET6, zero_ended.c_str(), bytes.data()) == 1) return from_v6(bytes);
    return std::nullopt;
}

std::optional<Address> Address::of(const sockaddr& socket_address) {
    if (socket_address.sa_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &socket_address, sizeof v4);
        Address address;
        std::memcpy(address.bytes_.data(), &v4.sin_addr, 4);
        return address;
    }
    if (socket_address.sa_family == AF_INET6) {
        sockaddr_in6 v6{};
        std::memcpy(&v6, &socket_address, sizeof v6);
        std::array<std::uint8_t, 16> bytes{};
        std::memcpy(bytes.data(), &v6.sin6_addr, 16);
        return from_v6(bytes);
    }
    return std::nullopt;
}

std::string Address::text() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(is_v4_ ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
    return text.data();
}

Network Network::parse(std::string_view text) {
    const auto slash = text.find('/');
    const auto address = Address::parse(text.substr(0, slash));
    if (!address)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("`{}` is no address or network such as 10.0.0.0/8", text));
    const int bits_max = address->is_v4() ? 32 : 128;
    int bits = bits_max;
    if (slash != std::string_view::npos) {
        const auto number = text.substr(slash + 1);
        const auto end = number.data() + number.size();
        if (std::from_chars(number.data(), end, bits).ptr != end || number.empty() || bits < 0 ||
            bits > bits_max) {
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format("`{}`: a number from 0 to {} belongs after the slash", text, bits_max));
        }
    }
    return {*address, bits};
}

bool Network::contains(const Address& address) const {
    if (address.is_v4_ != first.is_v4_) return false;
    for (int bit = 0; bit < bits; bit += 8) {
        const auto at = static_cast<std::size_t>(bit / 8);
        const int used = std::min(8, bits - bit);
        const auto mask = static_cast<std::uint8_t>(0xff << (8 - used));
        if ((address.bytes_[at] & mask) != (first.bytes_[at] & mask)) return false;
    }
    return true;
}

AddressPolicy& AddressPolicy::allow(std::string_view network) {
    allowed_.push_back(Network::parse(network));
    return *this;
}

std::optional<std::string> AddressPolicy::refuses(const Address& address) const {
    if (any_) return std::nullopt;
    for (const auto& network : allowed_)
        if (network.contains(address)) return std::nullopt;
    for (const auto& [network, what] : special_networks())
        if (network.contains(address)) return std::string(what);
    return std::nullopt;
}

}  // namespace belay::http

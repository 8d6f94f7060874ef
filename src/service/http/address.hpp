// address.hpp — internet addresses, and which of them a request may go to.
//
// A web address that a stranger gives us must not reach what only this machine can reach: loopback, the
// local network, a cloud's metadata service. Names prove nothing, so the policy looks at the address of
// the very connection that is about to be made (curl_client.cpp), after every resolution.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace belay::http {

// An IPv4 or IPv6 address. IPv4 in IPv6 clothes (mapped, compatible, NAT64, 6to4) counts as the IPv4
// address it leads to.
class Address {
public:
    // Nothing if `text` is not an address in its usual form.
    static std::optional<Address> parse(std::string_view text);

    // Nothing for other families (Unix sockets, say).
    static std::optional<Address> of(const sockaddr& socket_address);

    bool is_v4() const { return is_v4_; }
    std::string text() const;

    friend bool operator==(const Address&, const Address&) = default;

private:
    friend struct Network;

    static Address from_v6(const std::array<std::uint8_t, 16>& bytes);

    bool is_v4_ = true;
    std::array<std::uint8_t, 16> bytes_{};  // the first four of IPv4
};

// A block of addresses: 10.0.0.0/8, fc00::/7, or a single address.
struct Network {
    Address first;
    int bits = 0;

    // Throws Error{InvalidArgument} naming the text.
    static Network parse(std::string_view text);

    bool contains(const Address& address) const;
};

class AddressPolicy {
public:
    // Everything that is not private, loopback, link-local, shared (CGNAT), multicast or reserved.
    static AddressPolicy public_only() { return AddressPolicy{false}; }

    // For endpoints that the owner of this machine configured.
    static AddressPolicy any() { return AddressPolicy{true}; }

    // These too, whatever they are.
    AddressPolicy& allow(std::string_view network);

    // Why it may not be reached, in words that complete "is …"; nothing if it may.
    std::optional<std::string> refuses(const Address& address) const;

private:
    explicit AddressPolicy(bool any) : any_(any) {}

    bool any_;
    std::vector<Network> allowed_;
};

}  // namespace belay::http

#include "service/http/address.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::http {
namespace {

bool is_refused(std::string_view text, const AddressPolicy& policy = AddressPolicy::public_only()) {
    return policy.refuses(Address::parse(text).value()).has_value();
}

TEST(AddressPolicy, refuses_what_only_this_machine_can_reach) {
    for (const auto* text : {"127.0.0.1",
                             "127.255.255.255",
                             "0.0.0.0",
                             "0.1.2.3",
                             "10.0.0.1",
                             "10.255.255.255",
                             "100.64.0.1",
                             "100.127.255.255",
                             "169.254.169.254",
                             "172.16.0.1",
                             "172.31.255.255",
                             "192.168.0.1",
                             "224.0.0.1",
                             "239.255.255.255",
                             "240.0.0.1",
                             "255.255.255.255",
                             "192.0.2.1",
                             "198.18.0.1",
                             "::",
                             "::1",
                             "fe80::1",
                             "febf::1",
                             "fc00::1",
                             "fd12:3456::1",
                             "ff02::1",
                             "fec0::1",
                             "2001:db8::1"}) {
        EXPECT_TRUE(is_refused(text)) << text;
    }
}

TEST(AddressPolicy, refuses_ipv4_in_ipv6_clothes_as_what_it_is) {
    for (const auto* text :
         {"::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:a9fe:a9fe", "64:ff9b::7f00:1",
          "2002:7f00:1::", "2002:c0a8:1::1", "::127.0.0.1", "::10.0.0.1"}) {
        EXPECT_TRUE(is_refused(text)) << text;
    }
    EXPECT_FALSE(is_refused("::ffff:8.8.8.8"));
    EXPECT_EQ(Address::parse("::ffff:8.8.8.8")->text(), "8.8.8.8");
}

TEST(AddressPolicy, lets_public_addresses_pass) {
    for (const auto* text :
         {"8.8.8.8", "1.1.1.1", "93.184.216.34", "9.255.255.255", "11.0.0.0", "100.63.255.255",
          "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "223.255.255.255",
          "2606:4700:4700::1111", "2a00:1450:4001:80b::200e"}) {
        EXPECT_FALSE(is_refused(text)) << text;
    }
}

TEST(AddressPolicy, lets_pass_what_the_configuration_allows) {
    auto policy = AddressPolicy::public_only();
    policy.allow("127.0.0.1").allow("10.1.0.0/16").allow("fd00::/8");

    EXPECT_FALSE(is_refused("127.0.0.1", policy));
    EXPECT_TRUE(is_refused("127.0.0.2", policy));
    EXPECT_FALSE(is_refused("10.1.255.1", policy));
    EXPECT_TRUE(is_refused("10.2.0.1", policy));
    EXPECT_FALSE(is_refused("fd00::1", policy));
    EXPECT_FALSE(is_refused("127.0.0.1", AddressPolicy::any()));
}

TEST(AddressPolicy, says_what_is_wrong_with_a_network) {
    auto policy = AddressPolicy::public_only();
    for (const auto* text :
         {"", "localhost", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "::/129", "10.0.0/8"})
        EXPECT_THROW(policy.allow(text), Error) << text;
}

TEST(Address, is_read_only_in_its_usual_form) {
    EXPECT_FALSE(Address::parse("0x7f.1"));
    EXPECT_FALSE(Address::parse("127.1"));
    EXPECT_FALSE(Address::parse("2130706433"));
    EXPECT_EQ(Address::parse("2001:4860:4860::8888")->text(), "2001:4860:4860::8888");
}

}  // namespace
}  // namespace belay::http

#include "core/base/hmac.hpp"

#include <gtest/gtest.h>

#include "core/base/text.hpp"

namespace belay::base {
namespace {

std::string hex(const Sha256Digest& digest) { return to_hex(std::as_bytes(std::span(digest))); }

TEST(Hmac, gives_the_digests_of_rfc_4231) {
    EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(hex(hmac_sha256(std::string(20, '\xaa'), std::string(50, '\xdd'))),
              "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'),
                              "Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hmac, compares_texts_by_value) {
    EXPECT_TRUE(equal_in_constant_time("", ""));
    EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
    EXPECT_FALSE(equal_in_constant_time("secret", "Secret"));
    EXPECT_FALSE(equal_in_constant_time("secret", "secre"));
}

}  // namespace
}  // namespace belay::base

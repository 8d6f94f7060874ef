// json_text_test.cpp — the fast scan stops exactly where a slow one would.
#include "core/base/json_text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace belay::base {
namespace {

TEST(PlainPrefix, stops_at_each_special_byte_at_each_position) {
    for (int byte = 0; byte < 256; ++byte) {
        const bool special = byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\';
        for (std::size_t at = 0; at < 20; ++at) {
            std::string text(20, 'x');
            text[at] = static_cast<char>(byte);
            EXPECT_EQ(plain_prefix(text), special ? at : 20u) << byte << " at " << at;
        }
    }
}

TEST(PlainPrefix, stops_at_the_first_of_several) {
    EXPECT_EQ(plain_prefix("ab\"\n\\cdefgh"), 2u);
    EXPECT_EQ(plain_prefix("ab\xC3\xA7\"\ncdef"), 2u);
    EXPECT_EQ(plain_prefix(""), 0u);
}

}  // namespace
}  // namespace belay::base

// base64_test.cpp — the vectors of RFC 4648, and texts that are not base64.
#include "core/base/base64.hpp"

#include <gtest/gtest.h>

namespace belay::base {
namespace {

std::string encode(std::string_view bytes) {
    std::string out;
    append_base64(out, std::as_bytes(std::span(bytes)));
    return out;
}

TEST(Base64, encodes_and_decodes_the_published_vectors) {
    const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                     {"f", "Zg=="},
                                                                     {"fo", "Zm8="},
                                                                     {"foo", "Zm9v"},
                                                                     {"foob", "Zm9vYg=="},
                                                                     {"fooba", "Zm9vYmE="},
                                                                     {"foobar", "Zm9vYmFy"}};

    for (const auto& [plain, coded] : vectors) {
        const auto decoded = decode_base64(coded);
        EXPECT_EQ(encode(plain), coded);
        ASSERT_TRUE(decoded.has_value()) << coded;
        EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(decoded->data()), decoded->size()),
                  plain);
    }
}

TEST(Base64, every_byte_survives) {
    std::string all(256, '\0');
    for (int i = 0; i < 256; ++i) all[static_cast<std::size_t>(i)] = static_cast<char>(i);

    const auto decoded = decode_base64(encode(all));

    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(decoded->data()), decoded->size()), all);
}

TEST(Base64, refuses_what_is_not_base64) {
    for (const char* text : {"A", "AB", "ABC", "AB=C", "====", "A===", "Zm9v!g==", "Zm9v\n"})
        EXPECT_FALSE(decode_base64(text).has_value()) << text;
}

}  // namespace
}  // namespace belay::base

// hash_test.cpp — published vectors: these values are in databases and may never change.
#include "core/base/hash.hpp"

#include <cstring>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/sha256_block.hpp"

namespace belay::base {
namespace {

TEST(Hash64, is_fnv_1a) {
    EXPECT_EQ(hash64(""), 0xcbf29ce484222325u);
    EXPECT_EQ(hash64("a"), 0xaf63dc4c8601ec8cu);
    EXPECT_EQ(hash64("foobar"), 0x85944171f73967e8u);
}

TEST(Hash64, goes_on_from_an_earlier_hash) {
    EXPECT_EQ(hash64("bar", hash64("foo")), hash64("foobar"));
}

TEST(Mix64, is_splitmix64) {
    // The first outputs of the reference generator seeded with 1234567.
    const std::uint64_t step = 0x9e3779b97f4a7c15u;
    EXPECT_EQ(mix64(1234567), 6457827717110365317u);
    EXPECT_EQ(mix64(1234567 + step), 3203168211198807973u);
    EXPECT_EQ(mix64(1234567 + 2 * step), 9817491932198370423u);
}

TEST(Sha256, matches_the_published_vectors) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, pieces_of_any_size_give_the_digest_of_the_whole) {
    const std::string text(1000, 'x');
    const std::string whole = sha256_hex(text);

    for (std::size_t piece = 1; piece <= 200; ++piece) {
        Sha256 hash;
        for (std::size_t at = 0; at < text.size(); at += piece)
            hash.update(std::string_view(text).substr(at, piece));
        EXPECT_EQ(hash.finish_hex(), whole) << "pieces of " << piece;
    }
}

TEST(Sha256, every_length_around_a_block_has_a_digest_of_its_own) {
    std::set<std::string> digests;
    for (std::size_t length = 0; length < 200; ++length)
        digests.insert(sha256_hex(std::string(length, '\0')));
    EXPECT_EQ(digests.size(), 200u);
}

TEST(Sha256, the_fast_form_equals_the_portable_one) {
    std::mt19937 random{20261115};
    std::vector<std::uint8_t> blocks(64 * 50);
    for (auto& byte : blocks) byte = static_cast<std::uint8_t>(random());

    std::array<std::uint32_t, 8> portable{1, 2, 3, 4, 5, 6, 7, 8};
    auto fast = portable;
    detail::sha256_blocks_portable(portable.data(), blocks.data(), 50);
    detail::sha256_blocks_fastest()(fast.data(), blocks.data(), 50);

    EXPECT_EQ(portable, fast);
}

}  // namespace
}  // namespace belay::base

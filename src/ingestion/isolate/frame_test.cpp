#include "ingestion/isolate/frame.hpp"

#include <random>

#include <gtest/gtest.h>

namespace belay::isolate {
namespace {

TEST(Frame, what_was_written_is_read_in_pieces_of_any_size) {
    const auto bytes = encode_frame(FrameType::Answer, "the payload of a frame");
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
        FrameReader reader{100};
        for (std::size_t at = 0; at < bytes.size(); at += size) {
            EXPECT_FALSE(reader.complete());
            reader.feed(std::string_view{bytes}.substr(at, size));
        }
        ASSERT_TRUE(reader.complete());
        EXPECT_EQ(reader.frame().type, FrameType::Answer);
        EXPECT_EQ(reader.frame().payload, "the payload of a frame");
    }
}

TEST(Frame, a_frame_without_payload_is_a_frame) {
    EXPECT_EQ(decode_frame(encode_frame(FrameType::Started, ""), 0).type, FrameType::Started);
}

TEST(Frame, a_length_above_the_limit_is_refused_before_anything_is_read) {
    FrameReader reader{100};
    EXPECT_THROW(reader.feed(encode_head(FrameType::Answer, 101)), FrameTooLarge);
    FrameReader other{100};
    EXPECT_THROW(other.feed(encode_head(FrameType::Answer, ~0ull)), FrameTooLarge);
}

TEST(Frame, whatever_is_not_exactly_a_frame_is_an_error) {
    const auto frame = encode_frame(FrameType::Failure, "x");
    EXPECT_THROW(decode_frame("", 10), BadFrame);
    EXPECT_THROW(decode_frame(frame.substr(0, 15), 10), BadFrame);
    EXPECT_THROW(decode_frame(frame.substr(0, 16), 10), BadFrame);
    EXPECT_THROW(decode_frame(frame + "y", 10), BadFrame);
    auto other_magic = frame;
    other_magic[0] = 'X';
    EXPECT_THROW(decode_frame(other_magic, 10), BadFrame);
    for (const char type : {'\0', '\x09', '\xff'}) {
        auto other_type = frame;
        other_type[4] = type;
        EXPECT_THROW(decode_frame(other_type, 10), BadFrame);
    }
}

TEST(Frame, no_bytes_do_worse_than_an_error) {
    std::mt19937 random{20250101};
    const auto good = encode_frame(FrameType::Answer, std::string(40, 'p'));
    for (int round = 0; round < 20'000; ++round) {
        auto bytes = good.substr(0, random() % (good.size() + 1));
        for (std::size_t i = 0, n = random() % 4; i < n && !bytes.empty(); ++i) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        try {
            const auto frame = decode_frame(bytes, 64);
            EXPECT_LE(frame.payload.size(), 64u);
        } catch (const BadFrame&) {
        }
    }
}

}  // namespace
}  // namespace belay::isolate
